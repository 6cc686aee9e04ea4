/* SPDX-License-Identifier: Apache-2.0 */
/* What the machine, and the control group around this process, let us have. Nothing here fails:
 * what cannot be read sets no limit. */
#include "core/fs.h"
#include "core/number.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SMALL_FILE = 8192, PATH_SIZE = 4352 };

void sm_fs_hold_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0) {
            /* The lowest free number is this one. Without a null device it stays closed. */
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

uint64_t sm_fs_open_file_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return 1024;
    }
    if (limit.rlim_cur < limit.rlim_max) {
        const struct rlimit raised = {.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
        if (setrlimit(RLIMIT_NOFILE, &raised) == 0) {
            limit = raised;
        }
    }
    return limit.rlim_cur;
}

/* The first bytes of one of the kernel's text files, NUL-terminated; empty when it cannot be read.
 * Faults don't reach here: a failure would be no failure of the program. */
static const char *small_text(const char *path, char text[SMALL_FILE])
{
    size_t len = 0;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        ssize_t n = 0;
        do {
            n = read(fd, text + len, SMALL_FILE - 1 - len);
            len += n > 0 ? (size_t)n : 0;
        } while (n > 0 && len < SMALL_FILE - 1);
        (void)close(fd);
    }
    text[len] = '\0';
    return text;
}

/* The number that starts at p, or UINT64_MAX ("max" in control groups). */
static uint64_t number_at(const char *p)
{
    uint64_t value = UINT64_MAX;
    const size_t digits = strspn(p, "0123456789");
    (void)sm_parse_uint(sm_bytes_of(p, digits), &value);
    return value;
}

static uint64_t physical_memory(void)
{
    char text[SMALL_FILE];
    const char *at = strstr(small_text("/proc/meminfo", text), "MemTotal:");
    if (at == NULL) {
        return UINT64_MAX;
    }
    at += strlen("MemTotal:");
    const uint64_t kib = number_at(at + strspn(at, " \t"));
    uint64_t bytes = 0;
    return __builtin_mul_overflow(kib, UINT64_C(1024), &bytes) ? UINT64_MAX : bytes;
}

/* The smallest limit from the group up to the root: each level bounds those below it. Inside a
 * container the group's path may not be there; the walk then ends at the root, which is the
 * container's own. */
static uint64_t group_limit(const char *root, const char *group, size_t group_len, const char *file)
{
    uint64_t least = UINT64_MAX;
    for (;;) {
        char path[PATH_SIZE];
        char text[SMALL_FILE];
        const int n = snprintf(path, sizeof path, "%s%.*s/%s", root, (int)group_len, group, file);
        if (n > 0 && n < PATH_SIZE) {
            const uint64_t limit = number_at(small_text(path, text));
            least = limit < least ? limit : least;
        }
        if (group_len == 0) {
            return least;
        }
        while (group_len > 0 && group[group_len - 1] != '/') {
            group_len--;
        }
        group_len -= group_len > 0 ? 1 : 0;
    }
}

/* Lines "0::/path" (version 2) and "4:memory:/path" or "4:cpu,memory:/path" (version 1). */
static uint64_t limit_of_line(const char *line, size_t len)
{
    const char *first = memchr(line, ':', len);
    const char *second =
        first == NULL ? NULL : memchr(first + 1, ':', len - (size_t)(first + 1 - line));
    if (second == NULL) {
        return UINT64_MAX;
    }
    const char *group = second + 1;
    const size_t group_len = len - (size_t)(group - line);
    if (second == first + 1) {
        return group_limit("/sys/fs/cgroup", group, group_len, "memory.max");
    }
    const size_t names_len = (size_t)(second - first - 1);
    if (memmem(first + 1, names_len, "memory", 6) == NULL) {
        return UINT64_MAX;
    }
    return group_limit("/sys/fs/cgroup/memory", group, group_len, "memory.limit_in_bytes");
}

static uint64_t cgroup_memory(void)
{
    char text[SMALL_FILE];
    uint64_t least = UINT64_MAX;
    for (const char *line = small_text("/proc/self/cgroup", text); *line != '\0';) {
        const size_t len = strcspn(line, "\n");
        const uint64_t limit = limit_of_line(line, len);
        least = limit < least ? limit : least;
        line += len + (line[len] == '\n' ? 1 : 0);
    }
    return least;
}

uint64_t sm_fs_memory_limit(void)
{
    const uint64_t physical = physical_memory();
    const uint64_t group = cgroup_memory();
    return physical < group ? physical : group;
}

unsigned sm_fs_cpu_count(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        const int count = CPU_COUNT(&set);
        return count > 0 ? (unsigned)count : 1;
    }
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}
