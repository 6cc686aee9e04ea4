/* SPDX-License-Identifier: Apache-2.0 */
/* Files: which, in what order, decoded from what, and what happens to damaged, cut or changing
 * ones. */
#include "support_ingest.h"

#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static ingest_scratch scratch;

static int make_scratch(void **state)
{
    (void)state;
    ingest_scratch_make(&scratch);
    return 0;
}

static int remove_scratch(void **state)
{
    (void)state;
    ingest_scratch_remove(&scratch);
    return 0;
}

/* Status of reading one file with columns id and v; text and error as they came. */
typedef struct outcome {
    sm_status status;
    sm_error err;
    char text[2048];
} outcome;

static void run_job(const ingest_job *job, outcome *o)
{
    sm_buf out;
    sm_buf_init(&out, SIZE_MAX / 2);
    o->err = (sm_error){.code = SM_OK};
    o->status = ingest_run(job, &out, &o->err);
    const size_t len = out.len < sizeof o->text ? out.len : sizeof o->text - 1;
    if (len != 0) {
        memcpy(o->text, out.data, len);
    }
    o->text[len] = '\0';
    sm_buf_free(&out);
}

static void run_path(const char *path, outcome *o)
{
    ingest_job job;
    ingest_job_init(&job);
    ingest_job_fields(&job, "id,v");
    job.paths[job.path_count++] = path;
    run_job(&job, o);
}

static void run_bytes(const char *name, sm_bytes data, outcome *o)
{
    char path[INGEST_PATH_SIZE];
    run_path(ingest_scratch_file(&scratch, name, data, path), o);
}

static void expect_ok(const outcome *o, const char *text)
{
    if (o->status != SM_OK) {
        fail_msg("%s", o->err.text);
    }
    assert_string_equal(o->text, text);
}

static void expect_error(const outcome *o, sm_status status, const char *piece)
{
    if (o->status != status || strstr(o->err.text, piece) == NULL) {
        fail_msg("%s (\"%s\") instead of %s with \"%s\"", sm_status_name(o->status), o->err.text,
                 sm_status_name(status), piece);
    }
}

static const char THREE[] =
    "+ 0 2 5 1 [1][one]\n+ 0 3 11 2 [2][two]\n+ 0 4 17 3 [3][three]\n= 3 3 0 0 0 0\n";

/* ---- makers -------------------------------------------------------------------------------------
 */

static void put(sm_buf *out, const void *data, size_t len)
{
    assert_int_equal(sm_buf_append(out, data, len, NULL), SM_OK);
}

static void put_gzip(sm_buf *out, const char *text)
{
    uint8_t room[4096];
    uint8_t in[256];
    assert_true(strlen(text) < sizeof in);
    memcpy(in, text, strlen(text));
    z_stream z = {.next_in = in,
                  .avail_in = (unsigned)strlen(text),
                  .next_out = room,
                  .avail_out = sizeof room};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    put(out, room, z.total_out);
    assert_int_equal(deflateEnd(&z), Z_OK);
}

static void put_zstd(sm_buf *out, const char *text, bool checksum)
{
    uint8_t room[4096];
    ZSTD_CCtx *c = ZSTD_createCCtx();
    assert_non_null(c);
    assert_false(ZSTD_isError(ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, checksum)));
    const size_t len = ZSTD_compress2(c, room, sizeof room, text, strlen(text));
    assert_false(ZSTD_isError(len));
    put(out, room, len);
    ZSTD_freeCCtx(c);
}

static void put_skippable(sm_buf *out)
{
    put(out, "\x5A\x2A\x4D\x18\x03\x00\x00\x00xyz", 11);
}

/* ---- gzip ---------------------------------------------------------------------------------------
 */

static void gzip_cases(void **state)
{
    (void)state;
    outcome o;
    run_path("tests/cases/case-20/multi.csv.gz", &o);
    expect_ok(&o, THREE);
    run_path("tests/cases/case-20/zeros.csv.gz", &o);
    expect_ok(&o, THREE);
    run_path("tests/cases/case-20/garbage.csv.gz", &o);
    expect_error(&o, SM_E_INPUT_CORRUPT, "trailing data after gzip member at offset 85");
    run_path("tests/cases/case-20/crc.csv.gz", &o);
    expect_error(&o, SM_E_INPUT_CORRUPT, "gzip checksum mismatch");
}

static void truncated_cases(void **state)
{
    (void)state;
    static const struct {
        const char *path, *piece;
    } rows[] = {
        {"tests/cases/case-22/half.csv.gz", "ends early (truncated?) at compressed offset 64382"},
        {"tests/cases/case-22/notrailer.csv.gz",
         "ends early (truncated?) at compressed offset 128757"},
        {"tests/cases/case-22/cut5.gz", "ends early (truncated?) at compressed offset 5"},
        {"tests/cases/case-22/half.csv.zst", "ends early (truncated?) at compressed offset 57969"},
        {"tests/cases/case-22/cut4.csv.zst", "ends early (truncated?) at compressed offset 115934"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        outcome o;
        run_path(rows[i].path, &o);
        expect_error(&o, SM_E_INPUT_TRUNCATED, rows[i].piece);
    }
}

/* Every beginning of the file except the whole and those in `complete` is truncated. */
static void check_every_cut(const char *name, sm_bytes data, const size_t *complete,
                            size_t completes)
{
    for (size_t len = 0; len < data.len; len++) {
        bool whole = false;
        for (size_t i = 0; i < completes; i++) {
            whole = whole || complete[i] == len;
        }
        outcome o;
        run_bytes(name, (sm_bytes){data.data, len}, &o);
        if (whole ? o.status == SM_E_INPUT_TRUNCATED : o.status != SM_E_INPUT_TRUNCATED) {
            fail_msg("%s cut to %zu bytes: %s %s", name, len, sm_status_name(o.status), o.err.text);
        }
    }
    outcome o;
    run_bytes(name, data, &o);
    expect_ok(&o, THREE);
}

static void gzip_members_cut_anywhere(void **state)
{
    (void)state;
    sm_buf b;
    sm_buf_init(&b, 1 << 20);
    size_t ends[3];
    put_gzip(&b, "id,v\n1,one\n2,t");
    ends[0] = b.len;
    put_gzip(&b, "");
    ends[1] = b.len;
    put_gzip(&b, "wo\n3,three");
    check_every_cut("cut.csv.gz", sm_buf_view(&b), ends, 2);
    /* A flipped bit anywhere is never read in silence: an error, or (in the header's free bytes)
     * the same data. */
    for (size_t i = 0; i < b.len; i++) {
        b.data[i] ^= 0x10;
        outcome o;
        run_bytes("flip.csv.gz", sm_buf_view(&b), &o);
        if (o.status == SM_OK && strcmp(o.text, THREE) != 0) {
            fail_msg("flipped bit in byte %zu goes unnoticed: %s", i, o.text);
        }
        b.data[i] ^= 0x10;
    }
    sm_buf_free(&b);
}

static void zstd_frames_cut_anywhere(void **state)
{
    (void)state;
    sm_buf b;
    sm_buf_init(&b, 1 << 20);
    size_t ends[4];
    put_skippable(&b);
    ends[0] = b.len;
    put_zstd(&b, "id,v\n1,one\n2,t", true);
    ends[1] = b.len;
    put_skippable(&b);
    ends[2] = b.len;
    put_zstd(&b, "", true);
    ends[3] = b.len;
    put_zstd(&b, "wo\n3,three\n", false);
    check_every_cut("cut.csv.zst", sm_buf_view(&b), ends, 4);
    sm_buf_free(&b);
}

static void zstd_damage(void **state)
{
    (void)state;
    sm_buf b;
    sm_buf_init(&b, 1 << 20);
    put_zstd(&b, "id,v\n1,one\n2,two\n3,three\n", true);
    b.data[b.len - 1] ^= 1;
    outcome o;
    run_bytes("x.zst", sm_buf_view(&b), &o);
    expect_error(&o, SM_E_INPUT_CORRUPT, "zstd checksum mismatch");
    b.data[b.len - 1] ^= 1;
    put(&b, "rubbish", 7);
    run_bytes("x.zst", sm_buf_view(&b), &o);
    expect_error(&o, SM_E_INPUT_CORRUPT, "trailing data after zstd frame");
    sm_buf_clear(&b);
    /* A frame header that asks for a window of 2 GiB. */
    put(&b, "\x28\xB5\x2F\xFD\x00\xA8\x01\x00\x00", 9);
    run_bytes("x.zst", sm_buf_view(&b), &o);
    expect_error(&o, SM_E_INPUT_READ, "window of more than 128 MiB");
    sm_buf_free(&b);
}

static void content_tells_the_compression(void **state)
{
    (void)state;
    outcome o;
    run_bytes("plain.csv.gz", sm_bytes_text("id,v\n1,one\n2,two\n3,three\n"), &o);
    expect_ok(&o, THREE);
    sm_buf b;
    sm_buf_init(&b, 1 << 20);
    put_gzip(&b, "id,v\n1,one\n2,two\n3,three\n");
    run_bytes("packed.csv", sm_buf_view(&b), &o);
    expect_ok(&o, THREE);
    sm_buf_free(&b);
    run_bytes("x.csv",
              sm_bytes_of("\xFD"
                          "7zXZ\0abc",
                          9),
              &o);
    expect_error(&o, SM_E_INPUT_READ, "is compressed with xz");
    run_bytes("empty.csv.gz", sm_bytes_text(""), &o);
    expect_error(&o, SM_E_INPUT_TRUNCATED, "offset 0");
    run_bytes("empty.csv", sm_bytes_text(""), &o);
    expect_ok(&o, "= 0 0 0 0 0 0\n");
}

/* ---- which files --------------------------------------------------------------------------------
 */

static void write_text(const char *name, const char *text)
{
    char path[INGEST_PATH_SIZE];
    (void)ingest_scratch_file(&scratch, name, sm_bytes_text(text), path);
}

static sm_status open_paths(const char *const *paths, size_t count, sm_source **out, sm_error *err)
{
    static ingest_job job;
    static sm_schema schema;
    ingest_job_init(&job);
    ingest_job_fields(&job, "id");
    schema = (sm_schema){job.fields, job.field_count};
    const sm_source_options options = {.paths = paths,
                                       .path_count = count,
                                       .format = "csv",
                                       .csv = &job.csv,
                                       .schema = &schema,
                                       .record_limit = 1 << 20,
                                       .slice_size = 1 << 16};
    *err = (sm_error){.code = SM_OK};
    return sm_source_open(&options, out, err);
}

static const char *in_scratch(const char *name, char out[INGEST_PATH_SIZE])
{
    (void)snprintf(out, INGEST_PATH_SIZE, "%.300s/%.150s", scratch.path, name);
    return out;
}

static void lists_globs_and_directories(void **state)
{
    (void)state;
    char folder[INGEST_PATH_SIZE];
    char glob[INGEST_PATH_SIZE];
    char single[INGEST_PATH_SIZE];
    char odd[INGEST_PATH_SIZE];
    char inner[INGEST_PATH_SIZE];
    assert_int_equal(mkdir(in_scratch("d", folder), 0700), 0);
    assert_int_equal(mkdir(in_scratch("d/deeper", inner), 0700), 0);
    static const char *const names[] = {"d/b",        "d/B", "d/a10", "d/a9", "d/.hidden",
                                        "d/_SUCCESS", "g-2", "g-10",  "z[1]"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        write_text(names[i], "id\n");
    }
    const char *const paths[] = {
        in_scratch("z[1]", odd), in_scratch("g-*", glob), folder,
        ingest_scratch_file(&scratch, "first", sm_bytes_text("id\n"), single)};
    static const char *const wanted[] = {"z[1]",  "g-10", "g-2", "d/B",
                                         "d/a10", "d/a9", "d/b", "first"};
    sm_source *source = NULL;
    sm_error err;
    assert_int_equal(open_paths(paths, 4, &source, &err), SM_OK);
    assert_int_equal(sm_source_input_count(source), 8);
    for (size_t i = 0; i < 8; i++) {
        char path[INGEST_PATH_SIZE];
        assert_string_equal(sm_source_input(source, i)->path, in_scratch(wanted[i], path));
    }
    sm_source_close(source);
}

static void refused_lists(void **state)
{
    (void)state;
    char a[INGEST_PATH_SIZE];
    char b[INGEST_PATH_SIZE];
    char folder[INGEST_PATH_SIZE];
    sm_source *source = NULL;
    sm_error err;
    const char *const missing[] = {in_scratch("nothing", a)};
    assert_int_equal(open_paths(missing, 1, &source, &err), SM_E_INPUT_MISSING);
    assert_non_null(strstr(err.text, "no such file"));
    const char *const no_match[] = {in_scratch("nothing*", a)};
    assert_int_equal(open_paths(no_match, 1, &source, &err), SM_E_INPUT_MISSING);
    assert_non_null(strstr(err.text, "matches no file"));
    assert_int_equal(mkdir(in_scratch("e", folder), 0700), 0);
    const char *const empty[] = {folder};
    assert_int_equal(open_paths(empty, 1, &source, &err), SM_E_INPUT_MISSING);
    assert_non_null(strstr(err.text, "holds no input"));
    write_text("one", "id\n");
    const char *const twice[] = {in_scratch("one", a), in_scratch("one", b)};
    assert_int_equal(open_paths(twice, 2, &source, &err), SM_E_JOB);
    assert_non_null(strstr(err.text, "named twice"));
    assert_int_equal(symlink(a, in_scratch("two", b)), 0);
    const char *const linked[] = {a, b};
    assert_int_equal(open_paths(linked, 2, &source, &err), SM_E_JOB);
    assert_non_null(strstr(err.text, "are the same file"));
    static const char *const stdin_twice[] = {"-", "-"};
    assert_int_equal(open_paths(stdin_twice, 2, &source, &err), SM_E_JOB);
    assert_null(source);
}

static void standard_input(void **state)
{
    (void)state;
    char path[INGEST_PATH_SIZE];
    (void)ingest_scratch_file(&scratch, "stdin", sm_bytes_text("id,v\n1,one\n2,two\n3,three\n"),
                              path);
    const int saved = dup(STDIN_FILENO);
    assert_non_null(freopen(path, "rb", stdin));
    outcome o;
    run_path("-", &o);
    expect_ok(&o, THREE);
    assert_true(dup2(saved, STDIN_FILENO) >= 0);
    assert_int_equal(close(saved), 0);
}

/* ---- what is known of a file ----------------------------------------------------------------- */

static void digest_counts_and_hashes(void **state)
{
    (void)state;
    static const char text[] = "id,v\n1,one\n2,two\n3,three\n";
    sm_buf b;
    sm_buf_init(&b, 1 << 20);
    put_gzip(&b, text);
    char packed[INGEST_PATH_SIZE];
    char plain[INGEST_PATH_SIZE];
    const char *const paths[] = {
        ingest_scratch_file(&scratch, "h.csv.gz", sm_buf_view(&b), packed),
        ingest_scratch_file(&scratch, "h.csv", sm_bytes_text(text), plain)};
    sm_source *source = NULL;
    sm_error err;
    assert_int_equal(open_paths(paths, 2, &source, &err), SM_OK);
    assert_int_equal(sm_source_digest(source, &err), SM_OK);
    for (size_t i = 0; i < 2; i++) {
        const sm_input_info *info = sm_source_input(source, i);
        assert_true(info->finished);
        assert_int_equal(info->decoded_bytes, strlen(text));
        assert_true(info->decoded_xxh64 == XXH64(text, strlen(text), 0));
        assert_int_equal(info->size, i == 0 ? b.len : strlen(text));
        assert_string_equal(info->compression, i == 0 ? "gzip" : "none");
    }
    sm_source_close(source);
    sm_buf_free(&b);
}

static void changed_inputs_are_errors(void **state)
{
    (void)state;
    char path[INGEST_PATH_SIZE];
    const char *const paths[] = {
        ingest_scratch_file(&scratch, "grow.csv", sm_bytes_text("id\n1\n"), path)};
    for (int when = 0; when < 2; when++) {
        sm_source *source = NULL;
        sm_error err;
        sm_slice slice = {.data = NULL};
        bool more = false;
        assert_int_equal(open_paths(paths, 1, &source, &err), SM_OK);
        if (when == 1) {
            assert_int_equal(sm_source_next(source, &slice, &more, &err), SM_OK);
            assert_true(more);
        }
        FILE *f = fopen(path, "ab");
        assert_non_null(f);
        assert_int_equal(fputs("2\n", f) >= 0, 1);
        assert_int_equal(fclose(f), 0);
        assert_int_equal(sm_source_next(source, &slice, &more, &err), SM_E_INPUT_CHANGED);
        assert_false(more);
        assert_non_null(strstr(err.text, when == 0 ? "changed before it was read"
                                                   : "changed while it was read"));
        sm_slice_free(&slice);
        sm_source_close(source);
    }
}

static void slices_cover_the_file(void **state)
{
    (void)state;
    char path[INGEST_PATH_SIZE];
    const char *const paths[] = {
        ingest_scratch_file(&scratch, "s.csv", sm_bytes_text("id\n1\n\"2\n2\"\n\n3"), path)};
    sm_source *source = NULL;
    sm_error err;
    assert_int_equal(open_paths(paths, 1, &source, &err), SM_OK);
    sm_slice slice = {.data = NULL};
    bool more = false;
    assert_int_equal(sm_source_next(source, &slice, &more, &err), SM_OK);
    assert_true(more && slice.first);
    assert_int_equal(slice.sequence, 0);
    assert_int_equal(slice.place.offset, 3);
    assert_int_equal(slice.place.line, 2);
    assert_int_equal(slice.place.record, 1);
    assert_int_equal(slice.len, 10);
    assert_memory_equal(slice.data, "1\n\"2\n2\"\n\n3", 10);
    const sm_bytes header = sm_source_input(source, 0)->header;
    assert_true(sm_bytes_equal_text(header, "id\n"));
    assert_int_equal(sm_source_next(source, &slice, &more, &err), SM_OK);
    assert_false(more);
    assert_true(sm_source_input(source, 0)->finished);
    sm_slice_free(&slice);
    sm_source_close(source);
}

static void a_stop_ends_reading(void **state)
{
    (void)state;
    char path[INGEST_PATH_SIZE];
    const char *const paths[] = {
        ingest_scratch_file(&scratch, "p.csv", sm_bytes_text("id\n1\n"), path)};
    ingest_job job;
    ingest_job_init(&job);
    ingest_job_fields(&job, "id");
    const sm_schema schema = {job.fields, job.field_count};
    sm_stop stop;
    atomic_init(&stop.signal, 0);
    const sm_source_options options = {.paths = paths,
                                       .path_count = 1,
                                       .format = "csv",
                                       .csv = &job.csv,
                                       .schema = &schema,
                                       .record_limit = 100,
                                       .slice_size = 100,
                                       .stop = &stop};
    sm_source *source = NULL;
    sm_error err = {.code = SM_OK};
    assert_int_equal(sm_source_open(&options, &source, &err), SM_OK);
    sm_stop_set(&stop, 15);
    sm_slice slice = {.data = NULL};
    bool more = true;
    assert_int_equal(sm_source_next(source, &slice, &more, &err), SM_E_INTERRUPTED);
    assert_true(err.place == UINT64_MAX);
    sm_slice_free(&slice);
    sm_source_close(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gzip_cases),
        cmocka_unit_test(truncated_cases),
        cmocka_unit_test(gzip_members_cut_anywhere),
        cmocka_unit_test(zstd_frames_cut_anywhere),
        cmocka_unit_test(zstd_damage),
        cmocka_unit_test(content_tells_the_compression),
        cmocka_unit_test(lists_globs_and_directories),
        cmocka_unit_test(refused_lists),
        cmocka_unit_test(standard_input),
        cmocka_unit_test(digest_counts_and_hashes),
        cmocka_unit_test(changed_inputs_are_errors),
        cmocka_unit_test(slices_cover_the_file),
        cmocka_unit_test(a_stop_ends_reading),
    };
    return cmocka_run_group_tests_name("source", tests, make_scratch, remove_scratch);
}
