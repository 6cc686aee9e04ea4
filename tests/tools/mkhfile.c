/* SPDX-License-Identifier: Apache-2.0 */
/* Makes an HFile of cells that follow from the arguments alone, for judges outside of this project:
 *
 *   mkhfile OUT [name=value ...]
 *
 *   compression NONE GZ SNAPPY LZ4 ZSTD   framing hbase hadoop   level N   rows N   columns N
 *   block N   index N   bloom N (0: none)   keys short binary long   values small mixed huge
 *   ttl 0|1   deletes 0|1   dump FILE
 *
 * dump=FILE lists the cells, one a line, tab-separated: row, family, qualifier, timestamp, type,
 * value, tags; row, qualifier, value and tags in hexadecimal. The list is made from the cells as
 * they were meant, not from the file. */
#include "formats/sink.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_MAX = 400, HUGE_VALUE = 1500000, COLUMNS_MAX = 40 };

typedef struct maker {
    sm_sink_options options;
    uint64_t rows, columns;
    uint64_t bloom_bytes;
    const char *keys, *values, *dump_path;
    bool ttl, deletes;
    FILE *dump;
    uint64_t state; /* of the generator */
    uint8_t *value;
} maker;

static void fail(const char *text)
{
    (void)fprintf(stderr, "mkhfile: %s\n", text);
    exit(1);
}

/* xorshift64*: the same numbers everywhere. */
static uint64_t next(maker *m)
{
    m->state ^= m->state >> 12;
    m->state ^= m->state << 25;
    m->state ^= m->state >> 27;
    return m->state * 0x2545F4914F6CDD1Du;
}

/* ---- arguments ----------------------------------------------------------------------------------
 */

static uint64_t number(const char *text)
{
    char *end = NULL;
    const unsigned long long n = strtoull(text, &end, 10);
    if (end == text || *end != '\0') {
        fail(text);
    }
    return n;
}

static bool take_number(maker *m, const char *name, const char *value)
{
    const struct {
        const char *name;
        uint64_t *big;
        uint32_t *small;
    } known[] = {
        {"rows", &m->rows, NULL},
        {"columns", &m->columns, NULL},
        {"bloom", &m->bloom_bytes, NULL},
        {"block", NULL, &m->options.block_size},
        {"index", NULL, &m->options.index_block_size},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(name, known[i].name) == 0) {
            if (known[i].big != NULL) {
                *known[i].big = number(value);
            } else {
                *known[i].small = (uint32_t)number(value);
            }
            return true;
        }
    }
    return false;
}

static bool take_choice(maker *m, const char *name, const char *value)
{
    if (strcmp(name, "framing") == 0) {
        m->options.zstd_framing =
            strcmp(value, "hadoop") == 0 ? SM_ZSTD_FRAMING_HADOOP : SM_ZSTD_FRAMING_HBASE;
    } else if (strcmp(name, "level") == 0) {
        m->options.level = (int)number(value);
    } else if (strcmp(name, "keys") == 0) {
        m->keys = value;
    } else if (strcmp(name, "values") == 0) {
        m->values = value;
    } else if (strcmp(name, "ttl") == 0) {
        m->ttl = m->options.tags = number(value) != 0;
    } else if (strcmp(name, "deletes") == 0) {
        m->deletes = number(value) != 0;
    } else if (strcmp(name, "dump") == 0) {
        m->dump_path = value;
    } else {
        return strcmp(name, "compression") == 0 &&
               sm_compression_named(sm_bytes_text(value), &m->options.compression);
    }
    return true;
}

static void take(maker *m, char *argument)
{
    char *equals = strchr(argument, '=');
    if (equals == NULL) {
        fail(argument);
    }
    *equals = '\0';
    if (!take_number(m, argument, equals + 1) && !take_choice(m, argument, equals + 1)) {
        fail(argument);
    }
}

/* ---- cells --------------------------------------------------------------------------------------
 */

/* Ascending: a number leads, or stands behind a common beginning. Returns the length. */
static size_t make_row(maker *m, uint64_t i, uint8_t *row)
{
    if (strcmp(m->keys, "short") == 0) {
        return (size_t)snprintf((char *)row, ROW_MAX, "row%08" PRIu64, i);
    }
    size_t n = 0;
    const size_t common = strcmp(m->keys, "long") == 0 ? 200 : 3;
    for (; n < common; n++) {
        row[n] = n % 3 == 0 ? 0 : 0xFF;
    }
    for (int shift = 32; shift >= 0; shift -= 8) {
        row[n++] = (uint8_t)(i * 37 >> shift); /* every byte value comes up */
    }
    const size_t tail = i % 150;
    for (size_t k = 0; k < tail; k++) {
        row[n++] = (uint8_t)next(m);
    }
    return n;
}

static size_t value_size(maker *m, uint64_t i, uint64_t column)
{
    if (strcmp(m->values, "small") == 0) {
        return i % 12;
    }
    if (strcmp(m->values, "huge") == 0 && i % 50 == 7 && column == 0) {
        return HUGE_VALUE - i % 3;
    }
    return (next(m) >> 16) % 900;
}

static sm_bytes make_value(maker *m, size_t size)
{
    const uint64_t seed = next(m);
    for (size_t k = 0; k < size; k++) {
        /* Half noise, half repetition, so that every codec has something to do. */
        m->value[k] = k / 64 % 2 == 0 ? (uint8_t)(next(m) >> 24) : (uint8_t)(seed + k % 7);
    }
    return sm_bytes_of(m->value, size);
}

static void print_hex(FILE *f, sm_bytes b)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < b.len; i++) {
        (void)fputc(digits[b.data[i] >> 4], f);
        (void)fputc(digits[b.data[i] & 15], f);
    }
}

static const char *type_text(uint8_t type)
{
    switch (type) {
    case SM_CELL_DELETE: return "Delete";
    case SM_CELL_DELETE_COLUMN: return "DeleteColumn";
    case SM_CELL_DELETE_FAMILY: return "DeleteFamily";
    case SM_CELL_DELETE_FAMILY_VERSION: return "DeleteFamilyVersion";
    default: return "Put";
    }
}

static void dump_cell(const maker *m, const sm_cell *c)
{
    if (m->dump == NULL) {
        return;
    }
    print_hex(m->dump, c->row);
    (void)fprintf(m->dump, "\t%.*s\t", (int)c->family.len, (const char *)c->family.data);
    print_hex(m->dump, c->qualifier);
    (void)fprintf(m->dump, "\t%" PRId64 "\t%s\t", c->timestamp, type_text(c->type));
    print_hex(m->dump, c->value);
    (void)fputc('\t', m->dump);
    if (c->ttl != 0) {
        (void)fprintf(m->dump, "000908%016" PRIx64, (uint64_t)c->ttl);
    }
    (void)fputc('\n', m->dump);
}

static void add(maker *m, sm_sink *s, const sm_cell *c)
{
    sm_error err = {0};
    if (sm_sink_add(s, c, &err) != SM_OK) {
        fail(err.text);
    }
    dump_cell(m, c);
}

/* Markers first: they sort before the puts of the same place. */
static void add_deletes(maker *m, sm_sink *s, sm_cell c, uint64_t i)
{
    const uint8_t family_types[] = {SM_CELL_DELETE_FAMILY, SM_CELL_DELETE_FAMILY_VERSION};
    if (i % 5 == 0) {
        c.type = family_types[i / 5 % 2];
        add(m, s, &c);
    }
    if (i % 3 == 0) {
        c.qualifier = sm_bytes_text("0");
        c.type = i % 2 == 0 ? SM_CELL_DELETE_COLUMN : SM_CELL_DELETE;
        add(m, s, &c);
    }
}

static void add_row(maker *m, sm_sink *s, uint64_t i)
{
    uint8_t row[ROW_MAX];
    char qualifier[24];
    sm_cell c = {
        .row = sm_bytes_of(row, make_row(m, i, row)),
        .family = sm_bytes_text("f"),
        .timestamp = 1600000000000 + (int64_t)(i * 977 % 100000),
        .type = SM_CELL_PUT,
    };
    if (m->deletes) {
        add_deletes(m, s, c, i);
    }
    for (uint64_t k = 0; k < m->columns; k++) {
        /* The first column has an empty name beside deletes of the family; one has two versions. */
        (void)snprintf(qualifier, sizeof qualifier, "c%02" PRIu64, k);
        c.qualifier = k == 0 && !m->deletes ? sm_bytes_of(NULL, 0) : sm_bytes_text(qualifier);
        c.ttl = m->ttl && (i + k) % 4 == 1 ? (int64_t)(1000 + i) : 0;
        c.value = make_value(m, value_size(m, i, k));
        add(m, s, &c);
        if (k == 1) {
            sm_cell older = c;
            older.timestamp -= 5;
            add(m, s, &older);
        }
    }
}

static void make(maker *m)
{
    sm_error err = {0};
    sm_sink *s = NULL;
    const sm_sink_format *format = sm_sink_format_named(sm_bytes_text("hfile"));
    if (format->open(&m->options, &s, &err) != SM_OK) {
        fail(err.text);
    }
    for (uint64_t i = 0; i < m->rows; i++) {
        add_row(m, s, i);
    }
    sm_sink_summary summary;
    if (sm_sink_finish(s, &summary, &err) != SM_OK) {
        fail(err.text);
    }
    (void)printf("{\"cells\": %" PRIu64 ", \"rows\": %" PRIu64 ", \"bytes\": %" PRIu64
                 ", \"xxh64\": \"%016" PRIx64 "\", \"levels\": %u, \"blocks\": %" PRIu64 "}\n",
                 summary.cells, summary.rows, summary.bytes, summary.xxh64, summary.index_levels,
                 summary.data_blocks);
    sm_sink_close(s);
}

int main(int argc, char **argv)
{
    static const sm_file_note notes[] = {
        {{(const uint8_t *)"saltmill.key_fingerprint", 24},
         {(const uint8_t *)"0123456789abcdef", 16}},
        {{(const uint8_t *)"a.note", 6}, {(const uint8_t *)"", 0}},
    };
    maker m = {.rows = 1000,
               .columns = 4,
               .bloom_bytes = 131072,
               .keys = "short",
               .values = "small",
               .state = 88172645463325252u};
    m.options.compression = SM_COMPRESSION_NONE;
    m.options.notes = notes;
    m.options.note_count = sizeof notes / sizeof notes[0];
    if (argc < 2) {
        fail("give the file to make");
    }
    m.options.path = argv[1];
    for (int i = 2; i < argc; i++) {
        take(&m, argv[i]);
    }
    m.options.bloom = m.bloom_bytes == 0 ? SM_BLOOM_NONE : SM_BLOOM_ROW;
    m.options.bloom_block_size = (uint32_t)m.bloom_bytes;
    if (m.columns > COLUMNS_MAX) {
        fail("at most 40 columns");
    }
    m.dump = m.dump_path == NULL ? NULL : fopen(m.dump_path, "w");
    m.value = malloc(HUGE_VALUE);
    if (m.value == NULL || (m.dump_path != NULL && m.dump == NULL)) {
        fail("no memory, or the list cannot be written");
    }
    make(&m);
    free(m.value);
    return m.dump == NULL || fclose(m.dump) == 0 ? 0 : 1;
}
