/* SPDX-License-Identifier: Apache-2.0 */
/* The table of input formats, made from inputs.def. */
#include "ingest/input.h"

#include <string.h>

#define SM_INPUT(name) extern const sm_input sm_input_##name;
#include "ingest/inputs.def"
#undef SM_INPUT

static const sm_input *const INPUTS[] = {
#define SM_INPUT(name) &sm_input_##name,
#include "ingest/inputs.def"
#undef SM_INPUT
};

const sm_input *sm_input_named(const char *name)
{
    for (size_t i = 0; i < sizeof INPUTS / sizeof INPUTS[0]; i++) {
        if (strcmp(INPUTS[i]->name, name) == 0) {
            return INPUTS[i];
        }
    }
    return NULL;
}
