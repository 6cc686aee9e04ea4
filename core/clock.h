/* SPDX-License-Identifier: Apache-2.0 */
/* How long something took. Never what time it is: no clock enters a cell or an output file. */
#ifndef SM_CORE_CLOCK_H
#define SM_CORE_CLOCK_H

/* Seconds since some fixed instant. */
double sm_clock_seconds(void);
/* Sleeps about so long; a signal may end it early. */
void sm_clock_wait(unsigned ms);

#endif
