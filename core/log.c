/* SPDX-License-Identifier: Apache-2.0 */
/* Lines on standard error. Each is put together first and written in one call, so that lines of
 * several threads don't mix; no state is kept, so on a terminal every line first clears the row it
 * starts in, where a progress line may stand. */
#include "core/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LINE_SIZE = 4096, DEFAULT_COLUMNS = 80 };

static const char clear_row[] = "\r\033[K";

/* Names of files may hold control bytes; a terminal must not obey them. */
static void blunt(char *text)
{
    for (char *p = text; *p != '\0'; p++) {
        const unsigned char c = (unsigned char)*p;
        if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7F) {
            *p = '?';
        }
    }
}

/* "saltmill run: warning: text", cut at the size of out. */
SM_PRINTF(3, 0)
static void compose(const sm_log *log, const char *kind, const char *fmt, va_list args, char *out)
{
    const char *blank = log->command == NULL ? "" : " ";
    const char *command = log->command == NULL ? "" : log->command;
    const int n = snprintf(out, LINE_SIZE, "saltmill%s%s: %s", blank, command, kind);
    if (n >= 0 && n < LINE_SIZE) {
        (void)vsnprintf(out + n, (size_t)(LINE_SIZE - n), fmt, args);
    }
    blunt(out);
}

SM_PRINTF(3, 0)
static void write_line(const sm_log *log, const char *kind, const char *fmt, va_list args)
{
    char text[LINE_SIZE];
    char line[sizeof clear_row + LINE_SIZE + 1];
    compose(log, kind, fmt, args, text);
    const char *clear = isatty(STDERR_FILENO) ? clear_row : "";
    const int n = snprintf(line, sizeof line, "%s%s\n", clear, text);
    if (n > 0) {
        (void)fwrite(line, 1, (size_t)n, stderr);
    }
}

void sm_log_error(const sm_log *log, const char *fmt, ...)
{
    if (log == NULL || log->level < SM_LOG_ERRORS) {
        return;
    }
    va_list args;
    va_start(args, fmt);
    write_line(log, "error: ", fmt, args);
    va_end(args);
}

void sm_log_warning(const sm_log *log, const char *fmt, ...)
{
    if (log == NULL || log->level < SM_LOG_NORMAL) {
        return;
    }
    va_list args;
    va_start(args, fmt);
    write_line(log, "warning: ", fmt, args);
    va_end(args);
}

void sm_log_info(const sm_log *log, const char *fmt, ...)
{
    if (log == NULL || log->level < SM_LOG_NORMAL) {
        return;
    }
    va_list args;
    va_start(args, fmt);
    write_line(log, "", fmt, args);
    va_end(args);
}

static size_t terminal_columns(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
        return DEFAULT_COLUMNS;
    }
    return size.ws_col;
}

void sm_log_progress(const sm_log *log, const char *fmt, ...)
{
    if (log == NULL || log->level < SM_LOG_NORMAL || !isatty(STDERR_FILENO)) {
        return;
    }
    char text[LINE_SIZE];
    char line[sizeof clear_row + LINE_SIZE];
    va_list args;
    va_start(args, fmt);
    compose(log, "", fmt, args, text);
    va_end(args);
    /* A line that wraps could not be overwritten. */
    const size_t columns = terminal_columns();
    if (columns < sizeof text) {
        text[columns - 1] = '\0';
    }
    const int n = snprintf(line, sizeof line, "%s%s", clear_row, text);
    if (n > 0) {
        (void)fwrite(line, 1, (size_t)n, stderr);
    }
}
