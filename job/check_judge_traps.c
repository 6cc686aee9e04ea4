/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about the key expression itself, and about the declared queries. */
#include "job/check_judge.h"
#include "partitioner/keytraps.h"

static const double WIDE_SHARE = 0.10;

static const sm_finding_code CODE_OF[] = {
    [SM_TRAP_OPEN_END] = SM_FINDING_JOINED_PARTS,
    [SM_TRAP_OPEN_ORDER] = SM_FINDING_WIDER_SCANS,
    [SM_TRAP_SEPARATOR] = SM_FINDING_SEPARATOR_IN_DATA,
    [SM_TRAP_UNPADDED_NUMBER] = SM_FINDING_UNPADDED_NUMBER,
    [SM_TRAP_SIGNED_NUMBER] = SM_FINDING_SIGNED_NUMBER,
    [SM_TRAP_UNSORTED_TIME] = SM_FINDING_UNSORTED_TIME,
    [SM_TRAP_ZERO_PADDING] = SM_FINDING_ZERO_PADDING,
    [SM_TRAP_RANDOM] = SM_FINDING_RANDOM_PART,
    [SM_TRAP_WHOLE_HASH] = SM_FINDING_WHOLE_HASH,
    [SM_TRAP_NO_TIME] = SM_FINDING_NO_TIME_PART,
};

static const char *field_of(const sm_judge *j, const sm_key_trap *t)
{
    return t->field < 0 ? "the field" : j->result->job->schema.fields[t->field].name;
}

static const char *describe(sm_judge *j, const sm_key_trap *t)
{
    const int next = (int)t->next.len;
    const char *behind = (const char *)t->next.data;
    switch (t->kind) {
    case SM_TRAP_OPEN_END:
        return sm_judge_format(j,
                               "no fixed width, and %.*s follows without a separator: different "
                               "records may make one key",
                               next, behind);
    case SM_TRAP_OPEN_ORDER:
        return sm_judge_format(j,
                               "no fixed width, and %.*s follows: a scan for one value also "
                               "reads values that begin with it",
                               next, behind);
    case SM_TRAP_SEPARATOR:
        return sm_judge_format(j, "%s may itself hold the separator %.*s that ends it",
                               field_of(j, t), next, behind);
    case SM_TRAP_UNPADDED_NUMBER: return "a number as text of no fixed width: 10 sorts before 9";
    case SM_TRAP_SIGNED_NUMBER: return "negative numbers sort behind positive ones";
    case SM_TRAP_UNSORTED_TIME: return "the text does not sort as time does";
    case SM_TRAP_ZERO_PADDING:
        return sm_judge_format(j,
                               "padded with a digit that %s may have at that end: 138 and 0138 "
                               "become one",
                               field_of(j, t));
    case SM_TRAP_RANDOM:
        return sm_judge_format(j, "a get needs %llu reads, one for each value",
                               (unsigned long long)t->values);
    case SM_TRAP_WHOLE_HASH: return "the key is one hash: gets only, no scans";
    case SM_TRAP_NO_TIME: return "no time field stands in the key outside of hashes";
    }
    return "";
}

static const char *spelled(sm_judge *j, sm_bytes part)
{
    return part.len == 0 ? NULL
                         : sm_judge_format(j, "%.*s", (int)part.len, (const char *)part.data);
}

void sm_judge_traps(sm_judge *j)
{
    sm_key_traps traps;
    if (j->st == SM_OK) {
        j->st = sm_key_traps_find(&j->result->job->schema, j->table->table->key, j->arena, &traps,
                                  j->err);
    }
    for (size_t i = 0; j->st == SM_OK && i < traps.count; i++) {
        const sm_key_trap *t = &traps.items[i];
        sm_finding *f = sm_judge_add(j, CODE_OF[t->kind]);
        f->part = spelled(j, t->part);
        f->text = describe(j, t);
        if (t->kind == SM_TRAP_RANDOM) {
            sm_judge_number(f, "reads", (double)t->values);
        }
    }
}

/* ---- queries --------------------------------------------------------------------------------- */

static void judge_query(sm_judge *j, size_t i)
{
    const sm_check_result *r = j->result;
    const sm_check_price *p = &r->prices.items[i];
    const sm_check_table *t = &r->report->tables[p->table];
    const bool counted = r->report->query_images != NULL && t->images > 0;
    const double share = counted         ? (double)r->report->query_images[i] / (double)t->images
                         : p->plan->full ? 1
                                         : 0;
    j->table = t;
    if (p->plan->full) {
        sm_finding *f = sm_judge_add(j, SM_FINDING_FULL_SCAN_QUERY);
        f->part = p->text;
        f->text = sm_judge_format(j, "reads the whole table: %s", p->plan->why_full);
        sm_judge_number(f, "share", 1);
    } else if (share > WIDE_SHARE) {
        sm_finding *f = sm_judge_add(j, SM_FINDING_WIDE_QUERY);
        f->part = p->text;
        f->text = sm_judge_format(j, "reads %.1f%% of the rows in %zu scan%s", 100 * share,
                                  p->plan->count, p->plan->count == 1 ? "" : "s");
        sm_judge_number(f, "share", share);
    }
}

void sm_judge_queries(sm_judge *j)
{
    for (size_t i = 0; i < j->result->prices.count; i++) {
        judge_query(j, i);
    }
    j->table = NULL;
}
