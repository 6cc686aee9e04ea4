/* SPDX-License-Identifier: Apache-2.0 */
/* Rule files: what was read is printed, and reads back as the same rules; any two rules have a
 * difference in words. */
#include "job/rule_diff.h"
#include "job/rule_file.h"
#include "support.h"

static void check_same(const sm_rules *a, const sm_rules *b)
{
    fuzz_require(a->count == b->count, "as many rules as were printed");
    for (size_t i = 0; i < a->count; i++) {
        fuzz_require(strcmp(a->items[i].table, b->items[i].table) == 0 &&
                         strcmp(a->items[i].key, b->items[i].key) == 0 &&
                         strcmp(a->items[i].text, b->items[i].text) == 0 &&
                         strcmp(a->items[i].fingerprint, b->items[i].fingerprint) == 0,
                     "what is printed reads back");
    }
}

static void check_difference(const sm_rule *a, const sm_rule *b)
{
    sm_buf text;
    sm_buf_init(&text, 64 << 20);
    fuzz_ok(sm_rule_difference(a, b, &text, NULL), "a difference in words");
    fuzz_require((text.len == 0) == (strcmp(a->fingerprint, b->fingerprint) == 0),
                 "other fingerprints are told apart");
    sm_buf_free(&text);
}

static void check(const sm_rules *rules, sm_arena *arena)
{
    sm_rules again;
    sm_buf text;
    sm_buf_init(&text, 64 << 20);
    fuzz_ok(sm_rules_print(rules, &text, NULL), "rules that were read can be printed");
    fuzz_ok(sm_rules_parse(sm_buf_view(&text), "again", arena, &again, NULL), "what is printed");
    check_same(rules, &again);
    sm_buf_free(&text);
    for (size_t i = 0; i + 1 < rules->count; i++) {
        check_difference(&rules->items[i], &rules->items[i + 1]);
    }
}

/* The texts of two rules, without fingerprints that would have to be right: parted by a NUL. */
static void differ(sm_bytes in, sm_arena *arena)
{
    const char *parts[4];
    for (size_t i = 0; i < 4; i++) {
        const sm_bytes part = fuzz_until(&in, 0);
        parts[i] = sm_arena_text(arena, part.data, part.len);
        fuzz_require(parts[i] != NULL, "memory");
    }
    const sm_rule a = {.table = "t", .key = parts[0], .text = parts[1], .fingerprint = "a"};
    const sm_rule b = {.table = "t", .key = parts[2], .text = parts[3], .fingerprint = "b"};
    check_difference(&a, &b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sm_arena *arena = NULL;
    sm_rules rules;
    sm_error err = {.code = SM_OK};
    sm_bytes in = sm_bytes_of(data, size);
    fuzz_ok(sm_arena_new(4096, &arena, NULL), "an arena");
    if (fuzz_byte(&in) % 2 == 1) {
        differ(in, arena);
    } else if (sm_rules_parse(in, "rules", arena, &rules, &err) == SM_OK) {
        check(&rules, arena);
    } else {
        fuzz_require(err.text[0] != '\0', "an error has a text");
    }
    sm_arena_free(arena);
    return 0;
}
