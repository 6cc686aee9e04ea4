/* SPDX-License-Identifier: Apache-2.0 */
/* Scalars, choices and bound maps of a job file, with messages that name line and column. */
#include "job/job_reader.h"

#include "core/nearest.h"
#include "core/number.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const KIND_NAMES[] = {"a plain value", "a list", "a map"};

sm_status sm_job_fail(sm_job_reader *r, const sm_yaml_node *at, const char *fmt, ...)
{
    char text[SM_ERROR_TEXT_SIZE];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return sm_fail(r->err, SM_E_JOB, "%s:%u:%u: %s", r->job->path, at->line, at->column, text);
}

sm_status sm_job_no_memory(sm_job_reader *r)
{
    return sm_fail_memory(r->err, 0, "the job file");
}

const char *sm_job_format(sm_job_reader *r, const char *fmt, ...)
{
    char text[SM_ERROR_TEXT_SIZE];
    va_list args;
    va_start(args, fmt);
    const int len = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    const size_t kept = len < (int)sizeof text ? (size_t)len : sizeof text - 1;
    return sm_arena_text(r->arena, text, kept);
}

sm_status sm_job_want(sm_job_reader *r, const sm_yaml_node *node, sm_yaml_node_kind kind,
                      const char *what)
{
    if (node->kind == kind) {
        return SM_OK;
    }
    return sm_job_fail(r, node, "%s must be %s, but this is %s", what, KIND_NAMES[kind],
                       KIND_NAMES[node->kind]);
}

static const sm_bind *find_rule(const sm_bind *rules, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rules[i].key, key) == 0) {
            return &rules[i];
        }
    }
    return NULL;
}

static sm_status unknown_key(sm_job_reader *r, const sm_yaml_node_pair *pair, const char *what,
                             const sm_bind *rules, size_t count)
{
    const sm_yaml_node at = {.line = pair->line, .column = pair->column};
    sm_nearest near;
    sm_nearest_start(&near, sm_bytes_text(pair->key));
    for (size_t i = 0; i < count; i++) {
        sm_nearest_offer(&near, rules[i].key);
    }
    const char *best = sm_nearest_best(&near);
    if (best != NULL) {
        return sm_job_fail(r, &at, "%s has no \"%s\"; did you mean \"%s\"?", what, pair->key, best);
    }
    char known[512] = "";
    size_t used = 0;
    for (size_t i = 0; i < count && used < sizeof known - 64; i++) {
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                                 rules[i].key);
    }
    return sm_job_fail(r, &at, "%s has no \"%s\"; it takes %s", what, pair->key, known);
}

static sm_status apply_rule(sm_job_reader *r, const sm_bind *rule, const sm_yaml_node *value,
                            void *target)
{
    if (rule->read != NULL) {
        return rule->read(r, value, target);
    }
    memcpy((char *)target + rule->offset, &value, sizeof value);
    return SM_OK;
}

sm_status sm_job_bind(sm_job_reader *r, const sm_yaml_node *map, const char *what,
                      const sm_bind *rules, size_t rule_count, void *target)
{
    sm_status st = sm_job_want(r, map, SM_YAML_MAP, what);
    for (size_t i = 0; st == SM_OK && i < map->count; i++) {
        const sm_yaml_node_pair *pair = &map->pairs[i];
        const sm_bind *rule = find_rule(rules, rule_count, pair->key);
        if (rule == NULL) {
            return unknown_key(r, pair, what, rules, rule_count);
        }
        st = apply_rule(r, rule, pair->value, target);
    }
    return st;
}

sm_bytes sm_yaml_node_bytes(const sm_yaml_node *node)
{
    return sm_bytes_of(node->text, node->text_len);
}

sm_status sm_job_text(sm_job_reader *r, const sm_yaml_node *node, const char *what,
                      const char **out)
{
    const sm_status st = sm_job_want(r, node, SM_YAML_SCALAR, what);
    if (st != SM_OK) {
        return st;
    }
    if (strlen(node->text) != node->text_len) {
        return sm_job_fail(r, node, "%s holds a NUL byte", what);
    }
    *out = node->text;
    return SM_OK;
}

sm_status sm_job_bool(sm_job_reader *r, const sm_yaml_node *node, const char *what, bool *out)
{
    static const char *const names[] = {"false", "true"};
    size_t index = 0;
    const sm_status st = sm_job_choice(r, node, what, names, 2, &index);
    *out = index == 1;
    return st;
}

sm_status sm_job_size(sm_job_reader *r, const sm_yaml_node *node, const char *what, uint64_t *out)
{
    const sm_status st = sm_job_want(r, node, SM_YAML_SCALAR, what);
    if (st != SM_OK) {
        return st;
    }
    if (!sm_parse_size(sm_yaml_node_bytes(node), out)) {
        return sm_job_fail(r, node, "%s is \"%s\", but must be a size such as 1GiB, 64MiB or 4096",
                           what, node->text);
    }
    return SM_OK;
}

sm_status sm_job_int(sm_job_reader *r, const sm_yaml_node *node, const char *what, int64_t low,
                     int64_t high, int64_t *out)
{
    const sm_status st = sm_job_want(r, node, SM_YAML_SCALAR, what);
    if (st != SM_OK) {
        return st;
    }
    if (!sm_parse_int(sm_yaml_node_bytes(node), out) || *out < low || *out > high) {
        return sm_job_fail(r, node, "%s is \"%s\", but must be a whole number from %lld to %lld",
                           what, node->text, (long long)low, (long long)high);
    }
    return SM_OK;
}

sm_status sm_job_choice(sm_job_reader *r, const sm_yaml_node *node, const char *what,
                        const char *const *names, size_t count, size_t *out)
{
    const sm_status st = sm_job_want(r, node, SM_YAML_SCALAR, what);
    if (st != SM_OK) {
        return st;
    }
    char known[512] = "";
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(node->text, names[i]) == 0) {
            *out = i;
            return SM_OK;
        }
        if (used < sizeof known - 64) {
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                                     names[i]);
        }
    }
    return sm_job_fail(r, node, "%s is \"%s\", but must be one of: %s", what, node->text, known);
}

sm_status sm_job_texts(sm_job_reader *r, const sm_yaml_node *node, const char *what,
                       const char *const **out, size_t *count)
{
    const size_t n = node->kind == SM_YAML_LIST ? node->count : 1;
    const char **texts = sm_arena_array(r->arena, n, sizeof *texts);
    if (texts == NULL) {
        return sm_job_no_memory(r);
    }
    for (size_t i = 0; i < n; i++) {
        const sm_yaml_node *item = node->kind == SM_YAML_LIST ? node->items[i] : node;
        const sm_status st = sm_job_text(r, item, what, &texts[i]);
        if (st != SM_OK) {
            return st;
        }
    }
    *out = texts;
    *count = n;
    return SM_OK;
}
