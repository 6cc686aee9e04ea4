/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the facts of a check as JSON, for tests that compare them with their own count.
 *
 *   check_facts JOB THREADS MEMORY SHARE RECORDS [SALTS:REGIONS ...] [rows START STOP]
 *
 * rows: counts those of two ranges of the first table, up to START and from STOP on. */
#include "job/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_hex(const char *name, sm_bytes b)
{
    printf("\"%s\":\"", name);
    for (size_t i = 0; i < b.len; i++) {
        printf("%02x", b.data[i]);
    }
    printf("\"");
}

static void print_heat(const char *name, const sm_check_heat *h)
{
    printf("\"%s\":{\"regions\":%" PRIu64
           ",\"index\":%.17g,\"even\":%.17g,\"busiest\":%.17g,\"next\":%.17g}",
           name, h->regions, h->index, h->even, h->busiest, h->next);
}

static void print_spread(const sm_check_spread *s)
{
    printf("\"spread\":{\"regions\":%" PRIu64 ",\"empty\":%" PRIu64 ",\"max_images\":%" PRIu64
           ",\"max_bytes\":%" PRIu64 ",\"skew_images\":%.17g,\"skew_bytes\":%.17g}",
           s->regions, s->empty, s->max_images, s->max_bytes, s->skew_images, s->skew_bytes);
}

static void print_regions(const sm_check_table *t)
{
    printf("\"regions\":[");
    for (size_t i = 0; i < t->spread.regions; i++) {
        const sm_check_region *r = &t->regions[i];
        printf("%s{", i == 0 ? "" : ",");
        print_hex("start", r->start);
        printf(",\"images\":%" PRIu64 ",\"keys\":%" PRIu64 ",\"bytes\":%" PRIu64
               ",\"blocks\":%" PRIu64 ",\"index\":%" PRIu64 ",\"bloom\":%" PRIu64 "}",
               r->images, r->keys, r->bytes, r->data_blocks, r->index_bytes, r->bloom_bytes);
    }
    printf("],\n");
}

static void print_duplicates(const sm_check_table *t)
{
    printf("\"duplicates\":%" PRIu64 ",\"examples\":[", t->duplicates);
    for (size_t i = 0; i < t->duplicate_count; i++) {
        const sm_check_duplicate *d = &t->duplicate[i];
        printf("%s{", i == 0 ? "" : ",");
        print_hex("key", d->key);
        printf(",\"lines\":[%" PRIu64 ",%" PRIu64 "],\"rows\":%" PRIu64 "}", d->first.line,
               d->second.line, d->rows);
    }
    printf("],\n");
}

static void print_leads(const sm_check_table *t)
{
    printf("\"lead_part\":\"%s\",\"least\":%" PRIu64 ",\"leads\":[",
           t->leads.part != NULL ? "yes" : t->leads.why, t->leads.least);
    for (size_t i = 0; i < t->leads.count; i++) {
        const sm_check_lead *l = &t->leads.items[i];
        printf("%s{", i == 0 ? "" : ",");
        print_hex("value", l->value);
        printf(",\"images\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"regions\":%" PRIu64 "}", l->images,
               l->bytes, l->regions);
    }
    printf("],\n");
}

static void print_what_if(const sm_check_table *t)
{
    printf("\"what_if\":[");
    for (size_t i = 0; i < t->what_if_count; i++) {
        const sm_check_what_if *w = &t->what_if[i];
        if (w->why_not != NULL) {
            printf("%s{\"why_not\":\"%s\"}", i == 0 ? "" : ",", w->why_not);
            continue;
        }
        printf("%s{\"salts\":%" PRIu64 ",", i == 0 ? "" : ",", w->salts);
        print_spread(&w->spread);
        printf(",");
        print_heat("hot", &w->hot);
        printf(",\"images\":[");
        for (size_t k = 0; k < w->spread.regions; k++) {
            printf("%s%" PRIu64, k == 0 ? "" : ",", w->images[k]);
        }
        printf("]}");
    }
    printf("]");
}

static void print_table(const sm_check_table *t)
{
    const sm_check_length *l = &t->length;
    printf("{\"name\":\"%s\",\"judged\":%s", t->table->name, t->judged ? "true" : "false");
    if (!t->judged) {
        printf("}");
        return;
    }
    printf(",\"images\":%" PRIu64 ",\"keys\":%" PRIu64 ",\"cells\":%" PRIu64 ",\"bytes\":%" PRIu64
           ",\n\"length\":[%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
           "],\n",
           t->images, t->keys, t->cells, t->plain_bytes, l->min, l->p50, l->p90, l->p99, l->max,
           l->sum);
    print_regions(t);
    print_spread(&t->spread);
    printf(",\n");
    print_duplicates(t);
    printf("\"window\":%" PRIu64 ",\"windows\":%" PRIu64 ",\"hot\":{", t->hot.window,
           t->hot.windows);
    print_heat("table", &t->hot.table);
    printf(",");
    print_heat("cut", &t->hot.cut);
    printf("},\n");
    print_leads(t);
    printf("\"salt\":[%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "],\n", t->salt.salts,
           t->salt.cut_inside, t->salt.min_per_region, t->salt.max_per_region);
    print_what_if(t);
    printf("}");
}

static void print_report(const sm_check_report *r)
{
    printf("{\"read\":%" PRIu64 ",\"accepted\":%" PRIu64 ",\"filtered\":%" PRIu64
           ",\"rejected\":%" PRIu64 ",\"slices\":[%" PRIu64 ",%" PRIu64 "],\"cut_short\":%s,\n",
           r->records_read, r->accepted, r->filtered, r->rejected, r->slices_judged, r->slices,
           r->cut_short ? "true" : "false");
    printf("\"rejects\":{");
    const char *comma = "";
    for (size_t i = 0; i < SM_REJECT_COUNT; i++) {
        if (r->rejects[i].count != 0) {
            printf("%s\"%s\":[%" PRIu64 ",%" PRIu64 "]", comma, sm_reject_text((sm_reject)i),
                   r->rejects[i].count, r->rejects[i].first.line);
            comma = ",";
        }
    }
    printf("},\n");
    if (r->query_images != NULL) {
        printf("\"query\":%" PRIu64 ",\n", r->query_images[0]);
    }
    printf("\"tables\":[");
    for (size_t i = 0; i < r->table_count; i++) {
        printf("%s", i == 0 ? "" : ",\n");
        print_table(&r->tables[i]);
    }
    printf("]}\n");
}

int main(int argc, char **argv)
{
    sm_check_variant variants[SM_CHECK_VARIANTS];
    sm_error err = {.code = SM_OK};
    sm_job *job = NULL;
    sm_check_report report = {0};
    sm_key_range ranges[2] = {{.lead = 0}};
    const sm_check_query query = {.ranges = ranges, .count = 2};
    const bool asks = argc >= 9 && strcmp(argv[argc - 3], "rows") == 0;
    if (asks) {
        ranges[0].stop = sm_bytes_text(argv[argc - 2]);
        ranges[1].start = sm_bytes_text(argv[argc - 1]);
        argc -= 3;
    }
    if (argc < 6 || argc - 6 > SM_CHECK_VARIANTS) {
        return 2;
    }
    for (int i = 6; i < argc; i++) {
        char *end = NULL;
        variants[i - 6].salts = strtoull(argv[i], &end, 10);
        variants[i - 6].regions = strtoull(end + 1, NULL, 10);
    }
    sm_job_options o = {
        .threads = (unsigned)strtoul(argv[2], NULL, 10), .memory = argv[3], .no_output = true};
    const sm_check_options options = {.share = strtod(argv[4], NULL),
                                      .records = strtoull(argv[5], NULL, 10),
                                      .variants = variants,
                                      .variant_count = (size_t)(argc - 6),
                                      .queries = &query,
                                      .query_count = asks};
    sm_status st = sm_job_load(argv[1], &o, &job, &err);
    if (st == SM_OK) {
        st = sm_check(job, &options, &report, &err);
    }
    if (st == SM_OK) {
        print_report(&report);
        fprintf(stderr, "%.2f s\n", report.seconds);
    } else {
        fprintf(stderr, "%s\n", err.text);
    }
    sm_check_report_free(&report);
    sm_job_free(job);
    return sm_status_exit(st);
}
