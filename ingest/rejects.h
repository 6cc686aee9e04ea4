/* SPDX-License-Identifier: Apache-2.0 */
/* Rejected records: kept in their original bytes so that they can be fed again, with a JSON-lines
 * sidecar that says why; and the tally of records per input file.
 *
 *   <directory>/0000-calls.csv          header of the input, then the rejected records, byte for
 * byte <directory>/0000-calls.csv.jsonl {"file","line","offset","record","field","code","message"}
 *
 * Workers fill a private list per slice and commit it with the slice's counts. Commits take effect
 * in slice order whatever order they arrive in (an early one waits in a bounded queue), so files
 * and the point where a limit stops the run are the same for any number of threads. */
#ifndef SM_INGEST_REJECTS_H
#define SM_INGEST_REJECTS_H

#include "ingest/reader.h"

typedef struct sm_reject_limit {
    bool is_percent;
    uint64_t count; /* the run stops at reject count + 1 */
    double percent; /* judged by sm_rejects_finish over all inputs */
} sm_reject_limit;

/* "100", "0", "0.5%", "unlimited" is not offered; false when it cannot be read. */
bool sm_reject_limit_parse(sm_bytes text, sm_reject_limit *out);

/* Counts of one slice, and in sum of one input file. */
typedef struct sm_input_counts {
    uint64_t records_read, records_accepted, records_rejected, records_filtered;
    uint64_t records_out_of_range; /* of those filtered */
    sm_reader_counts reader;
} sm_input_counts;

typedef struct sm_rejects sm_rejects;
typedef struct sm_reject_list sm_reject_list;

sm_status sm_reject_list_new(sm_reject_list **out, sm_error *err) SM_MUST_CHECK;
void sm_reject_list_free(sm_reject_list *l); /* takes NULL */
/* The slice's other records in front of the next reject: a run that stops at that one counts up to
 * it. */
void sm_reject_list_reached(sm_reject_list *l, const sm_input_counts *reached);
sm_status sm_reject_list_add(sm_reject_list *l, const sm_record *record, const sm_reject_note *why,
                             sm_error *err) SM_MUST_CHECK;

typedef struct sm_rejects_options {
    const char
        *directory; /* exists, empty; files are made when the first reject of an input comes */
    const char
        *published; /* where the directory will lie in the end, for messages; NULL: directory */
    sm_reject_limit limit;
    sm_source *source;
    const sm_stop *stop;
    unsigned workers;
} sm_rejects_options;

sm_status sm_rejects_open(const sm_rejects_options *options, sm_rejects **out, sm_error *err)
    SM_MUST_CHECK;
/* Bytes that the list holds. */
size_t sm_reject_list_bytes(const sm_reject_list *l);
/* Writes what the list of a slice holds so far and empties it, for a slice with more rejects than
 * may lie in memory; the slice is still to be committed. Waits until all slices before it are. */
sm_status sm_rejects_commit_part(sm_rejects *r, const sm_slice *slice, sm_reject_list *list,
                                 sm_error *err) SM_MUST_CHECK;
/* Empties the list. SM_E_REJECTS, with the place of the reject that was one too many. */
sm_status sm_rejects_commit(sm_rejects *r, const sm_slice *slice, const sm_input_counts *counts,
                            sm_reject_list *list, sm_error *err) SM_MUST_CHECK;
/* A worker gives up: wakes whoever waits in commit (they return SM_E_INTERRUPTED). */
void sm_rejects_abandon(sm_rejects *r);
/* Judges a percentage, fsyncs and closes the files. */
sm_status sm_rejects_finish(sm_rejects *r, sm_error *err) SM_MUST_CHECK;
/* Frees; files written so far stay and are closed (synced as far as possible). Takes NULL. */
void sm_rejects_free(sm_rejects *r);

const sm_input_counts *sm_rejects_counts(const sm_rejects *r, size_t file);
/* Rejects per code, SM_REJECT_COUNT long. */
const uint64_t *sm_rejects_by_code(const sm_rejects *r);
uint64_t sm_rejects_total(const sm_rejects *r);

#endif
