/* SPDX-License-Identifier: Apache-2.0 */
/* Status codes and the error that travels with them.
 *
 * A function that can fail returns sm_status (SM_OK is 0) and takes `sm_error *err` last. Failing
 * is one visible line: `return sm_fail(err, SM_E_DISK_FULL, "%s: ...", path);`. The text says
 * where, what was found, what was expected and what to do. sm_error has a fixed size, owns nothing,
 * and may be copied between threads. The first error wins: sm_fail on an error that is already set
 * leaves it alone. `err` may be NULL: then only the code is returned. */
#ifndef SM_CORE_ERROR_H
#define SM_CORE_ERROR_H

#include "core/compiler.h"

#include <stdint.h>

typedef enum sm_status {
#define SM_ERROR(name, number, exit_status, sentence) SM_E_##name = number,
#include "core/errors.def"
#undef SM_ERROR
    SM_OK = 0
} sm_status;

/* Why a single record was rejected; data, not an error. */
typedef enum sm_reject {
#define SM_REJECT(name, text, sentence) SM_REJECT_##name,
#include "core/rejects.def"
#undef SM_REJECT
    SM_REJECT_COUNT
} sm_reject;

enum { SM_ERROR_TEXT_SIZE = 1024 };

typedef struct sm_error {
    sm_status code;   /* SM_OK: no error yet */
    int system_errno; /* 0 when no system call is to blame */
    uint64_t place;   /* order of errors among workers: the smallest place is reported */
    char text[SM_ERROR_TEXT_SIZE]; /* NUL-terminated; cut with "..." when longer */
} sm_error;

/* Clears the error. A zeroed sm_error is cleared too. */
void sm_error_clear(sm_error *err);

/* Sets code and text unless an error is already there; returns code. */
sm_status sm_fail(sm_error *err, sm_status code, const char *fmt, ...) SM_PRINTF(3, 4);

/* As sm_fail, with errno saved and its text appended: ": No such file or directory". ENOSPC and
 * EDQUOT turn SM_E_OUTPUT into SM_E_DISK_FULL, ENOMEM into SM_E_MEMORY. */
sm_status sm_fail_errno(sm_error *err, sm_status code, int saved_errno, const char *fmt, ...)
    SM_PRINTF(4, 5);

/* Memory could not be had: `what` names the thing it was for. */
sm_status sm_fail_memory(sm_error *err, uint64_t bytes, const char *what);

int sm_status_exit(sm_status code);             /* exit status of the process */
const char *sm_status_name(sm_status code);     /* "DISK_FULL" */
const char *sm_status_sentence(sm_status code); /* for the manual */
const char *sm_reject_text(sm_reject code);     /* "not-an-int" */
const char *sm_reject_sentence(sm_reject code); /* "not a 64-bit integer" */

#endif
