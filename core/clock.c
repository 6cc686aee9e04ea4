/* SPDX-License-Identifier: Apache-2.0 */
/* The monotonic clock. */
#include "core/clock.h"

#include <time.h>

double sm_clock_seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void sm_clock_wait(unsigned ms)
{
    const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    (void)nanosleep(&t, NULL);
}
