/* SPDX-License-Identifier: Apache-2.0 */
/* An expression fixture whose context has dictionaries, without files. Tests only. */
#ifndef SM_TESTS_UNIT_SUPPORT_UIDS_H
#define SM_TESTS_UNIT_SUPPORT_UIDS_H

#include "partitioner/uids.h"
#include "support_expr.h"

typedef struct uids_fixture {
    expr_fixture *expr;
    sm_uid_dictionary items[2];
    sm_uids *uids;
} uids_fixture;

/* "names": idHHHHHH for the ids that OpenTsdbVectors.java uses; "few": "a" is 1, "b" is 200; new
 * names of "few" may be assigned. */
int uids_setup(void **state);
int uids_teardown(void **state);

#endif
