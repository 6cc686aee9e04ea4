/* SPDX-License-Identifier: Apache-2.0 */
/* Tables and text formatting behind error.h. */
#include "core/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct error_row {
    sm_status code;
    int exit_status;
    const char *name;
    const char *sentence;
} error_row;

static const error_row ERROR_ROWS[] = {
#define SM_ERROR(name, number, exit_status, sentence) {SM_E_##name, exit_status, #name, sentence},
#include "core/errors.def"
#undef SM_ERROR
};

static const char *const REJECT_TEXTS[] = {
#define SM_REJECT(name, text, sentence) text,
#include "core/rejects.def"
#undef SM_REJECT
};

static const char *const REJECT_SENTENCES[] = {
#define SM_REJECT(name, text, sentence) sentence,
#include "core/rejects.def"
#undef SM_REJECT
};

static const error_row *row_of(sm_status code)
{
    const size_t rows = sizeof ERROR_ROWS / sizeof ERROR_ROWS[0];
    for (size_t i = 0; i < rows; i++) {
        if (ERROR_ROWS[i].code == code) {
            return &ERROR_ROWS[i];
        }
    }
    return &ERROR_ROWS[0];
}

void sm_error_clear(sm_error *err)
{
    err->code = SM_OK;
    err->system_errno = 0;
    err->place = 0;
    err->text[0] = '\0';
}

static void mark_cut(char *text, size_t size, int wanted)
{
    if (wanted >= (int)size) {
        memcpy(text + size - 4, "...", 4);
    }
}

sm_status sm_fail(sm_error *err, sm_status code, const char *fmt, ...)
{
    if (err == NULL || err->code != SM_OK) {
        return code;
    }
    err->code = code;
    va_list args;
    va_start(args, fmt);
    const int wanted = vsnprintf(err->text, sizeof err->text, fmt, args);
    va_end(args);
    mark_cut(err->text, sizeof err->text, wanted);
    return code;
}

static sm_status code_for_errno(sm_status code, int saved_errno)
{
    if (code == SM_E_OUTPUT && (saved_errno == ENOSPC || saved_errno == EDQUOT)) {
        return SM_E_DISK_FULL;
    }
    if (saved_errno == ENOMEM) {
        return SM_E_MEMORY;
    }
    if (saved_errno == EMFILE || saved_errno == ENFILE) {
        return SM_E_OPEN_FILES;
    }
    return code;
}

sm_status sm_fail_errno(sm_error *err, sm_status code, int saved_errno, const char *fmt, ...)
{
    const sm_status mapped = code_for_errno(code, saved_errno);
    if (err == NULL || err->code != SM_OK) {
        return mapped;
    }
    err->code = mapped;
    err->system_errno = saved_errno;
    va_list args;
    va_start(args, fmt);
    int wanted = vsnprintf(err->text, sizeof err->text, fmt, args);
    va_end(args);
    mark_cut(err->text, sizeof err->text, wanted);
    const size_t used = strlen(err->text);
    char reason[128];
    const char *text = strerror_r(saved_errno, reason, sizeof reason);
    wanted = snprintf(err->text + used, sizeof err->text - used, ": %s", text);
    mark_cut(err->text, sizeof err->text, (int)used + wanted);
    return mapped;
}

sm_status sm_fail_memory(sm_error *err, uint64_t bytes, const char *what)
{
    return sm_fail(err, SM_E_MEMORY,
                   "%s: %llu bytes of memory could not be had; lower limits.memory or free memory",
                   what, (unsigned long long)bytes);
}

int sm_status_exit(sm_status code)
{
    return row_of(code)->exit_status;
}

const char *sm_status_name(sm_status code)
{
    return row_of(code)->name;
}

const char *sm_status_sentence(sm_status code)
{
    return row_of(code)->sentence;
}

const char *sm_reject_text(sm_reject code)
{
    return (unsigned)code < SM_REJECT_COUNT ? REJECT_TEXTS[code] : "unknown";
}

const char *sm_reject_sentence(sm_reject code)
{
    return (unsigned)code < SM_REJECT_COUNT ? REJECT_SENTENCES[code] : "unknown";
}
