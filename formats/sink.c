/* SPDX-License-Identifier: Apache-2.0 */
/* The table of output formats and the calls through it. What a file looks like is not known here.
 */
#include "formats/sink.h"

#include "formats/sink_class.h"

static const sm_sink_format formats[] = {
#define SM_SINK(name) {#name, sm_sink_open_##name},
#include "formats/sinks.def"
#undef SM_SINK
};

const sm_sink_format *sm_sink_format_named(sm_bytes name)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (sm_bytes_equal_text(name, formats[i].name)) {
            return &formats[i];
        }
    }
    return NULL;
}

sm_status sm_sink_add(sm_sink *s, const sm_cell *cell, sm_error *err)
{
    return s->methods->add(s, cell, err);
}

uint64_t sm_sink_written(const sm_sink *s)
{
    return s->methods->written(s);
}

sm_status sm_sink_finish(sm_sink *s, sm_sink_summary *out, sm_error *err)
{
    *out = (sm_sink_summary){0};
    return s->methods->finish(s, out, err);
}

void sm_sink_close(sm_sink *s)
{
    if (s != NULL) {
        s->methods->close(s);
    }
}
