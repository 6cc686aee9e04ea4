/* SPDX-License-Identifier: Apache-2.0 */
/* Fields that come from the paths of the inputs: one match and one conversion per file, before
 * anything is read. Internal to the source. */
#ifndef SM_INGEST_PATH_FIELDS_H
#define SM_INGEST_PATH_FIELDS_H

#include "core/arena.h"
#include "ingest/source.h"

/* Fills path_values and what goes with them in each of the `count` infos, in the arena.
 * SM_E_INPUT_PATH: a path that the pattern does not match, a value that its type does not take. */
sm_status sm_path_fields_read(const sm_source_options *options, sm_arena *arena,
                              sm_input_info *infos, size_t count, sm_error *err) SM_MUST_CHECK;

#endif
