/* SPDX-License-Identifier: Apache-2.0 */
/* A table's `queries`: what will be asked of it, for `check` to price. Each is one text with the
 * terms that `plan` takes, apart by blanks; a term with blanks stands in single quotes.
 *
 *   queries: ["caller=138 from=2021-09-01 to=2021-10-01", "'start>=2021-09-01 12:00:00'
 * callee=139"]
 */
#include "job/job_reader.h"

#include <string.h>

static const char *skip_blanks(const char *p)
{
    return p + strspn(p, " \t");
}

/* One term from *p on, which moves behind it; NULL without memory or without a closing quote. */
static const char *take_term(sm_job_reader *r, const char **p)
{
    const bool quoted = **p == '\'';
    const char *start = *p + quoted;
    const size_t len = strcspn(start, quoted ? "'" : " \t");
    if (quoted && start[len] == '\0') {
        return NULL;
    }
    *p = skip_blanks(start + len + quoted);
    return sm_arena_text(r->arena, start, len);
}

static sm_status read_query(sm_job_reader *r, const sm_yaml_node *node, sm_job_query *out)
{
    sm_status st = sm_job_text(r, node, "a query", &out->text);
    if (st != SM_OK) {
        return st;
    }
    const char *p = skip_blanks(out->text);
    const char **terms = sm_arena_array(r->arena, strlen(p) / 2 + 1, sizeof *terms);
    if (terms == NULL) {
        return sm_job_no_memory(r);
    }
    while (*p != '\0') {
        terms[out->term_count] = take_term(r, &p);
        if (terms[out->term_count++] == NULL) {
            return sm_job_fail(r, node, "the query \"%s\" opens a quote and does not close it",
                               out->text);
        }
    }
    if (out->term_count == 0) {
        return sm_job_fail(r, node,
                           "a query is empty; expected terms such as caller=138 from=2021-09-01");
    }
    out->terms = terms;
    return SM_OK;
}

sm_status sm_job_read_queries(sm_job_reader *r, const sm_yaml_node *node, sm_job_table *table)
{
    sm_status st = sm_job_want(r, node, SM_YAML_LIST, "queries");
    if (st != SM_OK) {
        return st;
    }
    sm_job_query *list = sm_arena_array(r->arena, node->count + 1, sizeof *list);
    if (list == NULL) {
        return sm_job_no_memory(r);
    }
    for (size_t i = 0; st == SM_OK && i < node->count; i++) {
        st = read_query(r, node->items[i], &list[i]);
    }
    table->queries = list;
    table->query_count = node->count;
    return st;
}
