/* SPDX-License-Identifier: Apache-2.0 */
/* The job file as a tree that remembers where each thing stood: libyaml's events turned into nodes,
 * and
 * ${name} in scalars filled from --set. No meaning yet: job_*.c gives it. Aliases and anchors are
 * refused (a job should say what it means), so are duplicate keys, several documents and depths
 * over 32. */
#ifndef SM_JOB_YAML_NODE_H
#define SM_JOB_YAML_NODE_H

#include "core/arena.h"
#include "core/bytes.h"
#include "core/error.h"

typedef enum sm_yaml_node_kind { SM_YAML_SCALAR, SM_YAML_LIST, SM_YAML_MAP } sm_yaml_node_kind;

typedef struct sm_yaml_node sm_yaml_node;

typedef struct sm_yaml_node_pair {
    const char *key;
    unsigned line, column; /* of the key, from 1 */
    const sm_yaml_node *value;
} sm_yaml_node_pair;

struct sm_yaml_node {
    sm_yaml_node_kind kind;
    unsigned line, column; /* from 1 */
    const char *text;      /* SCALAR: NUL-terminated, after filling */
    size_t text_len;
    bool quoted;                /* SCALAR: written in quotes */
    const sm_yaml_node **items; /* LIST */
    sm_yaml_node_pair *pairs;   /* MAP, in file order */
    size_t count;               /* items or pairs */
};

/* name=value from --set. */
typedef struct sm_setting {
    const char *name;
    const char *value;
    bool used;
} sm_setting;

typedef struct sm_settings {
    sm_setting *items;
    size_t count;
} sm_settings;

/* Parses the text of a job file. path is for messages. A ${name} without a setting, and a setting
 * that no
 * ${name} uses, are errors (SM_E_JOB). "$${" stands for "${". */
sm_status sm_yaml_parse(sm_arena *arena, const char *path, sm_bytes text, sm_settings *settings,
                        const sm_yaml_node **out, sm_error *err) SM_MUST_CHECK;

/* NULL when the map has no such key. */
const sm_yaml_node *sm_yaml_node_get(const sm_yaml_node *map, const char *key);

#endif
