/* SPDX-License-Identifier: Apache-2.0 */
/* `input.time_range`: which records are wanted by their time, half open.
 *
 *   time_range: {field: start, from: "${date} - 30d", to: "${date} + 1d"} */
#include "job/job_reader.h"

#include <stddef.h>

typedef struct range_nodes {
    const sm_yaml_node *field, *from, *to;
} range_nodes;

static const sm_bind RANGE_RULES[] = {{.key = "field", .offset = offsetof(range_nodes, field)},
                                      {.key = "from", .offset = offsetof(range_nodes, from)},
                                      {.key = "to", .offset = offsetof(range_nodes, to)}};

static sm_status read_nodes(sm_job_reader *r, range_nodes *out)
{
    *out = (range_nodes){.field = NULL};
    const sm_status st = sm_job_bind(r, r->time_range, "input.time_range", RANGE_RULES,
                                     sizeof RANGE_RULES / sizeof RANGE_RULES[0], out);
    if (st != SM_OK) {
        return st;
    }
    if (out->field == NULL || (out->from == NULL && out->to == NULL)) {
        return sm_job_fail(r, r->time_range,
                           "input.time_range needs field and at least one of from and to");
    }
    return sm_job_want(r, out->field, SM_YAML_SCALAR, "input.time_range.field");
}

sm_status sm_job_declare_time_range(sm_job_reader *r)
{
    range_nodes nodes;
    const sm_status st = r->time_range == NULL ? SM_OK : read_nodes(r, &nodes);
    return st == SM_OK && r->time_range != NULL
               ? sm_job_declare_names(r, sm_yaml_node_bytes(nodes.field))
               : st;
}

/* Dates are midnights where the field's times are local. */
static const sm_zone *zone_of(const sm_job_reader *r, const sm_expr *time)
{
    const int field = sm_expr_field(time);
    const sm_time_format *format = field < 0 ? NULL : r->fields[field].time;
    return format == NULL ? NULL : sm_time_format_zone(format);
}

sm_status sm_job_read_time_range(sm_job_reader *r)
{
    sm_job_time_range range = {.from = INT64_MIN, .to = INT64_MAX};
    range_nodes nodes;
    sm_status st = read_nodes(r, &nodes);
    if (st == SM_OK) {
        st =
            sm_job_compile(r, nodes.field, SM_USE_TIMESTAMP, "input.time_range.field", &range.time);
    }
    if (st != SM_OK) {
        return st;
    }
    if (sm_expr_type(range.time) != SM_TYPE_TIME) {
        return sm_job_fail(r, nodes.field, "input.time_range.field must be a time, but %s is %s",
                           nodes.field->text, sm_type_name(sm_expr_type(range.time)));
    }
    const sm_zone *zone = zone_of(r, range.time);
    if (nodes.from != NULL) {
        st = sm_job_instant(r, nodes.from, "input.time_range.from", zone, &range.from);
    }
    if (st == SM_OK && nodes.to != NULL) {
        st = sm_job_instant(r, nodes.to, "input.time_range.to", zone, &range.to);
    }
    if (st == SM_OK && range.from >= range.to) {
        return sm_job_fail(r, r->time_range,
                           "input.time_range: from must lie before to, which is not included");
    }
    r->job->time_range = range;
    return st;
}
