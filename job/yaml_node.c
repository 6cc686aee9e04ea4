/* SPDX-License-Identifier: Apache-2.0 */
/* libyaml's event stream -> sm_yaml_node tree. The only file that knows libyaml. */
#include "job/yaml_node.h"

#include "core/buf.h"

#include <yaml.h>

#include <string.h>

/* Keys of a map are compared with each other, so there may be fewer of them. */
enum { MAX_DEPTH = 32, MAX_CHILDREN = 100000, MAX_KEYS = 10000, MAX_SCALAR = 1 << 20 };

typedef struct loader {
    sm_arena *arena;
    const char *path;
    sm_settings *settings;
    yaml_parser_t parser;
    sm_buf scratch;
    sm_error *err;
} loader;

static sm_status load_node(loader *l, const yaml_event_t *event, unsigned depth,
                           sm_yaml_node **out);

static unsigned mark_line(const yaml_event_t *e)
{
    return (unsigned)e->start_mark.line + 1;
}

static unsigned mark_column(const yaml_event_t *e)
{
    return (unsigned)e->start_mark.column + 1;
}

static sm_status next_event(loader *l, yaml_event_t *event)
{
    if (yaml_parser_parse(&l->parser, event)) {
        return SM_OK;
    }
    if (l->parser.error == YAML_READER_ERROR) {
        /* Bytes that are no text have no line yet. */
        return sm_fail(l->err, SM_E_JOB, "%s: byte offset %zu: not valid YAML: %s", l->path,
                       l->parser.problem_offset,
                       l->parser.problem ? l->parser.problem : "unreadable text");
    }
    const yaml_mark_t mark = l->parser.problem_mark;
    return sm_fail(l->err, SM_E_JOB, "%s:%u:%u: not valid YAML: %s", l->path,
                   (unsigned)mark.line + 1, (unsigned)mark.column + 1,
                   l->parser.problem ? l->parser.problem : "unreadable text");
}

static sm_status no_memory(loader *l)
{
    return sm_fail_memory(l->err, sizeof(sm_yaml_node), "the job file");
}

static sm_setting *find_setting(const sm_settings *settings, const char *name, size_t len)
{
    for (size_t i = 0; settings != NULL && i < settings->count; i++) {
        sm_setting *s = &settings->items[i];
        if (strlen(s->name) == len && memcmp(s->name, name, len) == 0) {
            return s;
        }
    }
    return NULL;
}

/* p stands behind "${"; appends the value and moves p behind "}". */
static sm_status fill_one(loader *l, const sm_yaml_node *node, const char **p, const char *end)
{
    const char *close = memchr(*p, '}', (size_t)(end - *p));
    if (close == NULL) {
        return sm_fail(l->err, SM_E_JOB,
                       "%s:%u:%u: \"${\" without \"}\"; write $${ for the text itself", l->path,
                       node->line, node->column);
    }
    const size_t len = (size_t)(close - *p);
    sm_setting *s = find_setting(l->settings, *p, len);
    if (s == NULL) {
        return sm_fail(l->err, SM_E_JOB, "%s:%u:%u: ${%.*s} is not set; give --set %.*s=VALUE",
                       l->path, node->line, node->column, (int)len, *p, (int)len, *p);
    }
    s->used = true;
    *p = close + 1;
    return sm_buf_append(&l->scratch, s->value, strlen(s->value), l->err);
}

/* Fills ${name} in text into l->scratch. */
static sm_status fill(loader *l, const sm_yaml_node *node, const char *text, size_t len)
{
    const char *p = text;
    const char *end = text + len;
    sm_buf_clear(&l->scratch);
    while (p < end) {
        sm_status st;
        if (end - p >= 3 && memcmp(p, "$${", 3) == 0) {
            st = sm_buf_append(&l->scratch, "${", 2, l->err);
            p += 3;
        } else if (end - p >= 2 && memcmp(p, "${", 2) == 0) {
            p += 2;
            st = fill_one(l, node, &p, end);
        } else {
            st = sm_buf_append(&l->scratch, p, 1, l->err);
            p++;
        }
        if (st != SM_OK) {
            return st;
        }
    }
    return SM_OK;
}

static sm_status load_scalar(loader *l, const yaml_event_t *event, sm_yaml_node *node)
{
    const char *text = (const char *)event->data.scalar.value;
    const size_t len = event->data.scalar.length;
    node->kind = SM_YAML_SCALAR;
    node->quoted = event->data.scalar.style == YAML_SINGLE_QUOTED_SCALAR_STYLE ||
                   event->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    const sm_status st = fill(l, node, text, len);
    if (st != SM_OK) {
        return st;
    }
    node->text_len = l->scratch.len;
    node->text = sm_arena_text(l->arena, l->scratch.data, l->scratch.len);
    return node->text == NULL ? no_memory(l) : SM_OK;
}

/* Children are collected in a growing array in the arena: doubling, old ones are left behind. */
static bool grow(sm_arena *arena, void **array, size_t count, size_t item)
{
    if ((count & (count - 1)) != 0) {
        return true; /* room until the next power of two */
    }
    const size_t capacity = count == 0 ? 1 : count * 2;
    void *bigger = sm_arena_array(arena, capacity, item);
    if (bigger == NULL) {
        return false;
    }
    if (count != 0) {
        memcpy(bigger, *array, count * item);
    }
    *array = bigger;
    return true;
}

static sm_status too_many(loader *l, const sm_yaml_node *node)
{
    return sm_fail(l->err, SM_E_JOB, "%s:%u:%u: more than %d entries", l->path, node->line,
                   node->column, MAX_CHILDREN);
}

static sm_status load_list(loader *l, unsigned depth, sm_yaml_node *node)
{
    node->kind = SM_YAML_LIST;
    for (;;) {
        yaml_event_t event;
        sm_status st = next_event(l, &event);
        if (st != SM_OK) {
            return st;
        }
        if (event.type == YAML_SEQUENCE_END_EVENT) {
            yaml_event_delete(&event);
            return SM_OK;
        }
        sm_yaml_node *item = NULL;
        st = load_node(l, &event, depth + 1, &item);
        yaml_event_delete(&event);
        if (st != SM_OK) {
            return st;
        }
        void *items = (void *)node->items;
        if (!grow(l->arena, &items, node->count, sizeof *node->items)) {
            return no_memory(l);
        }
        node->items = (const sm_yaml_node **)items;
        node->items[node->count++] = item;
        if (node->count > MAX_CHILDREN) {
            return too_many(l, node);
        }
    }
}

static sm_status load_pair(loader *l, const yaml_event_t *key_event, unsigned depth,
                           sm_yaml_node *map)
{
    sm_yaml_node *key = NULL;
    sm_status st = load_node(l, key_event, depth + 1, &key);
    if (st != SM_OK) {
        return st;
    }
    if (key->kind != SM_YAML_SCALAR) {
        return sm_fail(l->err, SM_E_JOB, "%s:%u:%u: a key must be plain text", l->path, key->line,
                       key->column);
    }
    if (strlen(key->text) != key->text_len) {
        return sm_fail(l->err, SM_E_JOB, "%s:%u:%u: a key holds a NUL byte", l->path, key->line,
                       key->column);
    }
    if (map->count >= MAX_KEYS) {
        return sm_fail(l->err, SM_E_JOB, "%s:%u:%u: more than %d keys in one map", l->path,
                       map->line, map->column, MAX_KEYS);
    }
    if (sm_yaml_node_get(map, key->text) != NULL) {
        return sm_fail(l->err, SM_E_JOB, "%s:%u:%u: \"%s\" stands here twice; keep one", l->path,
                       key->line, key->column, key->text);
    }
    yaml_event_t event;
    st = next_event(l, &event);
    if (st != SM_OK) {
        return st;
    }
    sm_yaml_node *value = NULL;
    st = load_node(l, &event, depth + 1, &value);
    yaml_event_delete(&event);
    if (st != SM_OK) {
        return st;
    }
    void *pairs = map->pairs;
    if (!grow(l->arena, &pairs, map->count, sizeof *map->pairs)) {
        return no_memory(l);
    }
    map->pairs = pairs;
    map->pairs[map->count++] = (sm_yaml_node_pair){key->text, key->line, key->column, value};
    return SM_OK;
}

static sm_status load_map(loader *l, unsigned depth, sm_yaml_node *node)
{
    node->kind = SM_YAML_MAP;
    for (;;) {
        yaml_event_t event;
        sm_status st = next_event(l, &event);
        if (st != SM_OK) {
            return st;
        }
        if (event.type == YAML_MAPPING_END_EVENT) {
            yaml_event_delete(&event);
            return SM_OK;
        }
        st = load_pair(l, &event, depth, node);
        yaml_event_delete(&event);
        if (st != SM_OK) {
            return st;
        }
    }
}

static bool has_anchor(const yaml_event_t *e)
{
    return e->type == YAML_ALIAS_EVENT || (e->type == YAML_SCALAR_EVENT && e->data.scalar.anchor) ||
           (e->type == YAML_SEQUENCE_START_EVENT && e->data.sequence_start.anchor) ||
           (e->type == YAML_MAPPING_START_EVENT && e->data.mapping_start.anchor);
}

static sm_status load_node(loader *l, const yaml_event_t *event, unsigned depth, sm_yaml_node **out)
{
    const unsigned line = mark_line(event);
    const unsigned column = mark_column(event);
    if (depth > MAX_DEPTH) {
        return sm_fail(l->err, SM_E_JOB, "%s:%u:%u: nested more than %d deep", l->path, line,
                       column, MAX_DEPTH);
    }
    if (has_anchor(event)) {
        return sm_fail(l->err, SM_E_JOB,
                       "%s:%u:%u: anchors and aliases are not used in jobs; write it out", l->path,
                       line, column);
    }
    sm_yaml_node *node = sm_arena_array(l->arena, 1, sizeof *node);
    if (node == NULL) {
        return no_memory(l);
    }
    node->line = line;
    node->column = column;
    *out = node;
    switch (event->type) {
    case YAML_SCALAR_EVENT: return load_scalar(l, event, node);
    case YAML_SEQUENCE_START_EVENT: return load_list(l, depth, node);
    case YAML_MAPPING_START_EVENT: return load_map(l, depth, node);
    default:
        return sm_fail(l->err, SM_E_JOB, "%s:%u:%u: a value was expected here", l->path, line,
                       column);
    }
}

/* Skips stream and document start; *event is the first event of the document's root. */
static sm_status find_root(loader *l, yaml_event_t *event)
{
    for (;;) {
        const sm_status st = next_event(l, event);
        if (st != SM_OK) {
            return st;
        }
        if (event->type == YAML_STREAM_END_EVENT) {
            yaml_event_delete(event);
            return sm_fail(l->err, SM_E_JOB,
                           "%s: the job file is empty; it needs input, tables and output", l->path);
        }
        if (event->type != YAML_STREAM_START_EVENT && event->type != YAML_DOCUMENT_START_EVENT) {
            return SM_OK;
        }
        yaml_event_delete(event);
    }
}

static sm_status check_end(loader *l)
{
    for (;;) {
        yaml_event_t event;
        const sm_status st = next_event(l, &event);
        if (st != SM_OK) {
            return st;
        }
        const yaml_event_type_t type = event.type;
        const unsigned line = mark_line(&event);
        const unsigned column = mark_column(&event);
        yaml_event_delete(&event);
        if (type == YAML_STREAM_END_EVENT) {
            return SM_OK;
        }
        if (type == YAML_DOCUMENT_START_EVENT) {
            return sm_fail(l->err, SM_E_JOB, "%s:%u:%u: a second document; a job file holds one",
                           l->path, line, column);
        }
    }
}

static sm_status load_document(loader *l, const sm_yaml_node **out)
{
    yaml_event_t event;
    sm_status st = find_root(l, &event);
    if (st != SM_OK) {
        return st;
    }
    sm_yaml_node *root = NULL;
    st = load_node(l, &event, 0, &root);
    yaml_event_delete(&event);
    if (st != SM_OK) {
        return st;
    }
    *out = root;
    return check_end(l);
}

static sm_status check_settings(loader *l)
{
    for (size_t i = 0; l->settings != NULL && i < l->settings->count; i++) {
        const sm_setting *s = &l->settings->items[i];
        if (!s->used) {
            return sm_fail(l->err, SM_E_JOB, "--set %s=...: %s has no ${%s}", s->name, l->path,
                           s->name);
        }
    }
    return SM_OK;
}

sm_status sm_yaml_parse(sm_arena *arena, const char *path, sm_bytes text, sm_settings *settings,
                        const sm_yaml_node **out, sm_error *err)
{
    *out = NULL;
    loader l = {.arena = arena, .path = path, .settings = settings, .err = err};
    if (!yaml_parser_initialize(&l.parser)) {
        return sm_fail_memory(err, sizeof l.parser, "the YAML parser");
    }
    sm_buf_init(&l.scratch, MAX_SCALAR);
    yaml_parser_set_input_string(&l.parser, text.data, text.len);
    sm_status st = load_document(&l, out);
    if (st == SM_OK) {
        st = check_settings(&l);
    }
    sm_buf_free(&l.scratch);
    yaml_parser_delete(&l.parser);
    return st;
}

const sm_yaml_node *sm_yaml_node_get(const sm_yaml_node *map, const char *key)
{
    for (size_t i = 0; map->kind == SM_YAML_MAP && i < map->count; i++) {
        if (strcmp(map->pairs[i].key, key) == 0) {
            return map->pairs[i].value;
        }
    }
    return NULL;
}
