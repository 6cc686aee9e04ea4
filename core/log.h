/* SPDX-License-Identifier: Apache-2.0 */
/* Messages for people on standard error, and the progress line (only on a terminal). Standard
 * output belongs to data and reports (core/out.h). Thread-safe. */
#ifndef SM_CORE_LOG_H
#define SM_CORE_LOG_H

#include "core/compiler.h"

#include <stdint.h>

typedef enum sm_log_level {
    SM_LOG_QUIET,
    SM_LOG_ERRORS,
    SM_LOG_NORMAL,
    SM_LOG_VERBOSE
} sm_log_level;

/* Everywhere a log is taken, NULL is silent. */
typedef struct sm_log {
    sm_log_level level;
    const char *command; /* "run": every line starts "saltmill run: " */
} sm_log;

void sm_log_error(const sm_log *log, const char *fmt, ...) SM_PRINTF(2, 3);   /* level >= ERRORS */
void sm_log_warning(const sm_log *log, const char *fmt, ...) SM_PRINTF(2, 3); /* level >= NORMAL */
void sm_log_info(const sm_log *log, const char *fmt, ...) SM_PRINTF(2, 3);    /* level >= NORMAL */
/* Overwrites the last progress line; nothing when stderr is not a terminal or level < NORMAL. */
void sm_log_progress(const sm_log *log, const char *fmt, ...) SM_PRINTF(2, 3);

#endif
