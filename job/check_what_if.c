/* SPDX-License-Identifier: Apache-2.0 */
/* The same rows under other salts or regions: the key's rule with another number of salts, and the
 * split points that go with it. */
#include "core/number.h"
#include "job/check_engine.h"
#include "job/query.h"

#include <stdio.h>
#include <string.h>

static const char DIGITS[] = "0123456789";

typedef struct making {
    const sm_job *job;
    const sm_job_table *table;
    sm_arena *arena;
    sm_check_variant_plan *plan;
    uint64_t salts;    /* of the table's own key */
    bool digits, byte; /* how the key writes its salts; neither: it has none, or a list */
} making;

static sm_status refuse(const making *m, const char *why, sm_error *err)
{
    m->plan->why_not = sm_arena_text(m->arena, why, strlen(why));
    return m->plan->why_not != NULL ? SM_OK : sm_fail_memory(err, 0, "what-ifs");
}

/* What the expression or splits module says about numbers that cannot be is an answer here. */
static sm_status refuse_because(const making *m, const sm_error *why, sm_error *err)
{
    if (why->code == SM_E_MEMORY) {
        return sm_fail_memory(err, 0, "what-ifs");
    }
    return refuse(m, why->text, err);
}

static bool begins_with(const char *text, const char *front)
{
    return strncmp(text, front, strlen(front)) == 0;
}

/* ---- key ------------------------------------------------------------------------------------- */

static void read_kind(making *m)
{
    const char *rule = m->table->key_canonical;
    m->digits = m->salts != 0 && (begins_with(rule, "salt(") || begins_with(rule, "random("));
    m->byte = m->salts != 0 && begins_with(rule, "salt_byte(");
    if (m->digits || m->byte) { /* java_abs has one value more than salts */
        const char *number = strchr(rule, '(') + 1;
        (void)sm_parse_uint(sm_bytes_of(number, strspn(number, DIGITS)), &m->salts);
    }
}

/* The canonical spelling begins "salt(300, ": the number is replaced. */
static sm_status make_key(making *m, sm_error *err)
{
    const char *rule = m->table->key_canonical;
    const char *number = strchr(rule, '(') + 1;
    const char *rest = number + strspn(number, DIGITS);
    sm_expr_context context;
    sm_error why = {.code = SM_OK};
    sm_buf text;
    sm_job_expr_context(m->job, m->table, m->arena, "what if", &context);
    sm_buf_init(&text, SIZE_MAX / 4);
    sm_status st = sm_buf_printf(&text, err, "%.*s%llu%s", (int)(number - rule), rule,
                                 (unsigned long long)m->plan->asked.salts, rest);
    const char *copy = st == SM_OK ? sm_arena_text(m->arena, text.data, text.len) : NULL;
    if (st == SM_OK && copy == NULL) {
        st = sm_fail_memory(err, text.len, "what-ifs");
    }
    if (st == SM_OK && sm_expr_compile(&context, SM_USE_KEY, sm_bytes_of(copy, text.len),
                                       &m->plan->key, &why) != SM_OK) {
        m->plan->key = NULL;
        st = refuse_because(m, &why, err);
    }
    sm_buf_free(&text);
    return st;
}

/* ---- regions --------------------------------------------------------------------------------- */

/* As salts in digits are cut: cut i is floor(i * salts / regions), here as one byte. */
static sm_status spec_of_bytes(making *m, uint64_t regions, sm_split_spec *spec, sm_error *err)
{
    const uint64_t salts = m->plan->salts;
    if (regions > salts) {
        return refuse(m, "there would be more regions than salts", err);
    }
    sm_bytes *texts = sm_arena_array(m->arena, (size_t)regions, sizeof *texts);
    for (uint64_t i = 1; texts != NULL && i < regions; i++) {
        char text[8];
        const int len = snprintf(text, sizeof text, "\\x%02X", (unsigned)(i * salts / regions));
        const char *copy = sm_arena_text(m->arena, text, (size_t)len);
        texts[i - 1] = sm_bytes_of(copy, copy != NULL ? (size_t)len : 0);
        texts = copy != NULL ? texts : NULL;
    }
    if (texts == NULL) {
        return sm_fail_memory(err, 0, "what-ifs");
    }
    *spec = (sm_split_spec){.kind = regions > 1 ? SM_SPLITS_LIST : SM_SPLITS_NONE,
                            .where = "what if",
                            .texts = texts,
                            .text_count = (size_t)regions - 1};
    return SM_OK;
}

static bool computed(const sm_split_spec *spec)
{
    return spec->kind == SM_SPLITS_HEX || spec->kind == SM_SPLITS_DECIMAL ||
           spec->kind == SM_SPLITS_UNIFORM || spec->kind == SM_SPLITS_REGION_SPLITTER;
}

static sm_status spec_of(making *m, uint64_t regions, sm_split_spec *spec, sm_error *err)
{
    if (m->byte) {
        return spec_of_bytes(m, regions, spec, err);
    }
    if (m->digits) {
        *spec = (sm_split_spec){.kind = SM_SPLITS_SALT,
                                .where = "what if",
                                .salts = m->plan->salts,
                                .regions = regions};
        return SM_OK;
    }
    if (!computed(&m->table->split_spec)) {
        return refuse(m,
                      "the key begins with no salt and the table's splits are not computed from a "
                      "number of regions",
                      err);
    }
    *spec = m->table->split_spec;
    spec->where = "what if";
    spec->regions = regions;
    return SM_OK;
}

static sm_status make_splits(making *m, sm_error *err)
{
    const sm_check_variant *asked = &m->plan->asked;
    const uint64_t own = sm_splits_regions(m->table->splits);
    const uint64_t regions = asked->regions != 0 ? asked->regions : own;
    sm_split_spec spec = {.kind = SM_SPLITS_NONE};
    sm_error why = {.code = SM_OK};
    if (regions > SM_CHECK_VARIANT_REGIONS) {
        return refuse(m, "more than 4096 regions are not tried", err);
    }
    if (asked->salts == 0 && regions == own) {
        m->plan->splits = m->table->splits;
        return SM_OK;
    }
    const sm_status st = spec_of(m, regions, &spec, err);
    if (st != SM_OK || m->plan->why_not != NULL) {
        return st;
    }
    return sm_splits_make(m->arena, &spec, &m->plan->splits, &why) == SM_OK
               ? SM_OK
               : refuse_because(m, &why, err);
}

sm_status sm_check_variant_make(const sm_job *job, const sm_job_table *table, uint64_t salts,
                                sm_arena *arena, sm_check_variant_plan *plan, sm_error *err)
{
    making m = {.job = job, .table = table, .arena = arena, .plan = plan, .salts = salts};
    read_kind(&m);
    plan->salts = plan->asked.salts != 0 ? plan->asked.salts : m.salts;
    sm_status st = SM_OK;
    if (plan->asked.salts != 0 && !m.digits && !m.byte) {
        return refuse(&m, "the key does not begin with salt(), random() or salt_byte()", err);
    }
    if (plan->asked.salts != 0 && plan->asked.salts != m.salts) {
        st = make_key(&m, err);
    }
    return st == SM_OK && plan->why_not == NULL ? make_splits(&m, err) : st;
}
