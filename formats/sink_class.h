/* SPDX-License-Identifier: Apache-2.0 */
/* What a writer must offer to be a sink: for sink.c and the sink_*.c files alone. Each sink's own
 * struct begins with a struct sm_sink. */
#ifndef SM_FORMATS_SINK_CLASS_H
#define SM_FORMATS_SINK_CLASS_H

#include "formats/sink.h"

typedef struct sm_sink_class {
    sm_status (*add)(sm_sink *s, const sm_cell *cell, sm_error *err) SM_MUST_CHECK;
    uint64_t (*written)(const sm_sink *s);
    sm_status (*finish)(sm_sink *s, sm_sink_summary *out, sm_error *err) SM_MUST_CHECK;
    void (*close)(sm_sink *s); /* frees; removes the file unless finished */
} sm_sink_class;

/* The function that adds differs with the options, so a format may have several classes. */
struct sm_sink {
    const sm_sink_class *methods;
};

#define SM_SINK(name)                                                                           \
    sm_status sm_sink_open_##name(const sm_sink_options *options, sm_sink **out, sm_error *err) \
        SM_MUST_CHECK;
#include "formats/sinks.def"
#undef SM_SINK

#endif
