/* SPDX-License-Identifier: Apache-2.0 */
/* Files to typed records. Expectations come from the cases' own descriptions and from the rules of
 * the readers. */
#include "core/arena.h"
#include "support_ingest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

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

static void expect(ingest_job *job, const char *wanted)
{
    char *text = ingest_text(job);
    assert_string_equal(text, wanted);
    free(text);
}

/* `path` must live while the job does. */
static void input(ingest_job *job, const char *path)
{
    job->paths[job->path_count++] = path;
}

static void text_input(ingest_job *job, const char *text)
{
    static char path[INGEST_PATH_SIZE];
    input(job, ingest_scratch_file(&scratch, "t.csv", sm_bytes_text(text), path));
}

/* Runs to an error with this code, whose text holds this. */
static void expect_error(ingest_job *job, sm_status code, const char *piece)
{
    sm_buf out;
    sm_buf_init(&out, SIZE_MAX / 2);
    sm_error err = {.code = SM_OK};
    assert_int_equal(ingest_run(job, &out, &err), code);
    if (strstr(err.text, piece) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", err.text, piece);
    }
    sm_buf_free(&out);
}

static ingest_job job_of(const char *fields)
{
    ingest_job job;
    ingest_job_init(&job);
    ingest_job_fields(&job, fields);
    return job;
}

static ingest_job case_of(const char *fields, const char *path)
{
    ingest_job job = job_of(fields);
    input(&job, path);
    return job;
}

/* ---- the cases ----------------------------------------------------------------------------------
 */

static void leading_zeros_stay(void **state)
{
    (void)state;
    ingest_job job = case_of("msisdn,imei,zip,name", "tests/cases/case-01/in.csv");
    expect(&job, "+ 0 2 21 1 [0049301234567][004401720000000][01067][A]\n"
                 "+ 0 3 59 2 [030555000][000000000000001][00501][B]\n"
                 "+ 0 4 95 3 [0][00][0000][C]\n"
                 "= 3 3 0 0 0 0\n");
}

static void integers_are_strict(void **state)
{
    (void)state;
    ingest_job job = case_of("id,n", "tests/cases/case-03/in.csv");
    job.fields[1].type = SM_TYPE_INT;
    char *text = ingest_text(&job);
    static const char *const accepted[] = {"+ 0 2 5 1 [a][42]\n",
                                           "[b][-9223372036854775808]\n",
                                           "[c][9223372036854775807]\n",
                                           "[h][10]\n",
                                           "[o][0]\n",
                                           "[j][~]\n"};
    for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) {
        assert_non_null(strstr(text, accepted[i]));
    }
    static const int rejected[] = {5, 6, 7, 8, 10, 12, 13, 14, 17};
    for (size_t i = 0; i < sizeof rejected / sizeof rejected[0]; i++) {
        char line[32];
        (void)snprintf(line, sizeof line, "- 0 %d ", rejected[i]);
        const char *found = strstr(text, line);
        assert_non_null(found);
        const char *code = strstr(found, "not-an-int n: ");
        assert_true(code != NULL && code < strchr(found, '\n'));
    }
    free(text);
}

static void an_open_quote_names_its_start(void **state)
{
    (void)state;
    ingest_job job = case_of("id,text", "tests/cases/case-05/in.csv");
    expect_error(&job, SM_E_INPUT_QUOTE,
                 "tests/cases/case-05/in.csv: line 3 (record starts at byte offset 13, quote at "
                 "15), column 2 "
                 "(\"text\"): quoted field opened here is never closed (reached end of file)");
    for (job.slice_size = 1; job.slice_size < 300; job.slice_size += 7) {
        job.record_limit = 100;
        expect_error(&job, SM_E_INPUT_QUOTE,
                     "line 3 (record starts at byte offset 13, quote at 15), column 2 (\"text\"): "
                     "quoted field "
                     "opened here is not closed within 100 bytes");
    }
}

static void backslash_as_data_and_as_escape(void **state)
{
    (void)state;
    ingest_job job = case_of("id,path,x", "tests/cases/case-07/rfc.csv");
    expect(&job, "+ 0 2 10 1 [1][C:\\x5Cdir\\x5C][a]\n"
                 "+ 0 3 24 2 [2][say \"hi\"][b]\n"
                 "+ 0 4 41 3 [3][back\\x5Cslash \"q\\x5C\" end][c]\n"
                 "= 3 3 0 0 0 0\n");
    static const sm_bytes nulls[] = {{(const uint8_t *)"\\N", 2}};
    job = case_of("id,text,x", "tests/cases/case-07/bs.csv");
    job.csv.escape = '\\';
    job.csv.nulls = nulls;
    expect(&job, "+ 0 2 10 1 [1][T\"WO][a]\n"
                 "+ 0 3 22 2 [2][back\\x5C][b]\n"
                 "+ 0 4 35 3 [3][un,quoted][c]\n"
                 "+ 0 5 50 4 [4][nnt][d]\n"
                 "+ 0 6 61 5 [5][~][e]\n"
                 "= 5 5 0 0 0 0\n");
    job.csv.null_count = 0;
    char *text = ingest_text(&job);
    assert_non_null(strstr(text, "[5][N][e]\n"));
    free(text);
    job.csv.escape = -1;
    text = ingest_text(&job);
    assert_non_null(strstr(text, "- 0 2 10 1 text-after-quote : text after a closing quote"));
    assert_non_null(strstr(text, "- 0 4 35 3 field-count : expected 3 fields, found 4 {"));
    free(text);
}

static void trailing_delimiters(void **state)
{
    (void)state;
    ingest_job job = case_of("A,B,C", "tests/cases/case-09/rows.csv");
    expect(&job, "- 0 2 6 1 trailing-delimiter : expected 3 fields, found 4 (last one empty: "
                 "trailing delimiter? set "
                 "csv.trailing_delimiter: true) {1,4,7,\\x0A}\n"
                 "- 0 3 13 2 trailing-delimiter : expected 3 fields, found 4 (last one empty: "
                 "trailing delimiter? "
                 "set csv.trailing_delimiter: true) {2,5,8,\\x0A}\n"
                 "= 2 0 2 0 0 0\n");
    job.csv.trailing_delimiter = true;
    expect(&job, "+ 0 2 6 1 [1][4][7]\n+ 0 3 13 2 [2][5][8]\n= 2 2 0 0 0 0\n");

    job = case_of("A,B,C", "tests/cases/case-09/both.psv");
    job.csv.delimiter = sm_bytes_text("|");
    expect_error(&job, SM_E_INPUT_COLUMN, "column 4 has no name");
    job.csv.trailing_delimiter = true;
    expect(&job, "+ 0 2 7 1 [1][2][3]\n+ 0 3 14 2 [4][5][6]\n= 2 2 0 0 0 0\n");

    job = case_of("a,b,c", "tests/cases/case-09/header.csv");
    expect_error(&job, SM_E_INPUT_COLUMN, "column 4 has no name");
    job.csv.trailing_delimiter = true;
    expect(&job, "+ 0 2 7 1 [1][2][3]\n= 1 1 0 0 0 0\n");
}

static void byte_order_marks(void **state)
{
    (void)state;
    ingest_job job = case_of("id,name", "tests/cases/case-11/in.csv");
    input(&job, "tests/cases/case-11/second.csv");
    input(&job, "tests/cases/case-11/bomonly.csv");
    expect(&job, "+ 0 2 15 1 [1][\\xEF\\xBB\\xBFx]\n+ 1 2 11 1 [2][y]\n= 2 2 0 0 0 0\n");
    static const char *const utf16[] = {"\xFF\xFEi", "\xFE\xFFi"};
    for (int i = 0; i < 2; i++) {
        job = job_of("id");
        text_input(&job, utf16[i]);
        expect_error(&job, SM_E_INPUT_READ, "UTF-16");
    }
}

static void nul_bytes_are_data(void **state)
{
    (void)state;
    ingest_job job = case_of("k,v", "tests/cases/case-13/in.csv");
    expect(&job, "+ 0 2 4 1 [ab\\x00c][1]\n+ 0 3 11 2 [ab\\x00d][2]\n+ 0 4 18 3 [q\\x00\"z][3]\n"
                 "+ 0 5 28 4 [\\x00][4]\n+ 0 6 32 5 [last][5]\n= 5 5 0 0 0 0\n");
}

static void no_final_newline(void **state)
{
    (void)state;
    ingest_job job = case_of("a,b", "tests/cases/case-15/plain.csv");
    input(&job, "tests/cases/case-15/quoted.csv");
    input(&job, "tests/cases/case-15/empty.csv");
    input(&job, "tests/cases/case-15/x.csv");
    job.csv.null_count = 0;
    expect(&job, "+ 0 2 4 1 [1][2]\n+ 0 3 8 2 [3][4]\n+ 1 2 4 1 [1][two]\n+ 1 3 12 2 [3][four]\n"
                 "+ 2 2 4 1 [1][2]\n+ 2 3 8 2 [3][]\n+ 3 2 4 1 [5][6]\n= 7 7 0 0 0 0\n");
    job = case_of("a", "tests/cases/case-15/one.csv");
    expect(&job, "+ 0 2 2 1 [x]\n= 1 1 0 0 0 0\n");
}

/* Length of the value in brackets behind `prefix`, LF escaped as four characters. */
static size_t value_length(const char *text, const char *prefix)
{
    const char *start = strstr(text, prefix);
    assert_non_null(start);
    start += strlen(prefix);
    const char *end = strstr(start, "]\n");
    assert_non_null(end);
    size_t len = (size_t)(end - start);
    for (const char *p = start; (p = strstr(p, "\\x0A")) != NULL && p < end; p++) {
        len -= 3;
    }
    return len;
}

static void long_lines(void **state)
{
    (void)state;
    ingest_job job = case_of("id,v", "tests/cases/case-17/in.csv");
    for (job.slice_size = 64; job.slice_size < 200000; job.slice_size *= 8) {
        char *text = ingest_text(&job);
        assert_int_equal(value_length(text, "+ 0 2 5 1 [1]["), 5);
        assert_int_equal(value_length(text, "+ 0 3 13 2 [2]["), 70000);
        assert_int_equal(value_length(text, "+ 0 4 70016 3 [3]["), 70000);
        assert_int_equal(value_length(text, "+ 0 14005 154021 4 [4]["), 4);
        free(text);
    }
    job.record_limit = 71000;
    job.slice_size = 1000;
    expect_error(&job, SM_E_INPUT_QUOTE,
                 "line 4 (record starts at byte offset 70016, quote at 70018), column 2");
}

static void separators(void **state)
{
    (void)state;
    ingest_job job = case_of("c1,c2,c3", "tests/cases/case-19/ctrl-a.txt");
    job.csv.quote = -1;
    job.csv.null_count = 0;
    job.csv.delimiter = sm_bytes_of("\x01", 1);
    job.csv.header = false;
    job.csv.skip_lines = 1;
    expect(&job, "+ 0 2 6 1 [1][x][y]\n+ 0 3 12 2 [2][][z|,\"]\n= 2 2 0 0 0 0\n");
    job.paths[0] = "tests/cases/case-19/at.txt";
    job.csv.delimiter = sm_bytes_text("@@@");
    expect(
        &job,
        "+ 0 2 10 1 [1][x@y@@z][q]\n+ 0 3 25 2 [2][][e]\n+ 0 4 34 3 [3][a][@b]\n= 3 3 0 0 0 0\n");
    job.paths[0] = "tests/cases/case-19/aaa.txt";
    job.csv.delimiter = sm_bytes_text("aaa");
    job.csv.skip_lines = 0;
    expect(&job,
           "+ 0 1 0 1 [1][x][y]\n+ 0 2 10 2 [2][][z]\n+ 0 3 19 3 [3][b][ac]\n= 3 3 0 0 0 0\n");
    job.paths[0] = "tests/cases/case-19/euro.txt";
    job.csv.delimiter = sm_bytes_text("\xE2\x82\xAC");
    expect(&job, "+ 0 1 0 1 [1][value\\xE2\\x82\\x80tail][second]\n= 1 1 0 0 0 0\n");
}

static void asterisk_records(void **state)
{
    (void)state;
    ingest_job job =
        case_of("src,clid,lastdata,answer,uniqueid,duration", "tests/cases/case-36/Master.csv");
    ingest_job_columns(
        &job, "accountcode,src,dst,dcontext,clid,channel,dstchannel,lastapp,lastdata,start,answer,"
              "end,duration,billsec,disposition,amaflags,uniqueid,userfield,peeraccount,linkedid,"
              "sequence");
    job.fields[3].type =
        SM_TYPE_INT; /* stands in for a time: a quoted empty field of a type is null too */
    job.fields[5].type = SM_TYPE_INT;
    char *text = ingest_text(&job);
    assert_non_null(strstr(text,
                           "+ 0 2 253 2 [0039000002][\"0039000002\" <0039000002>][SIP/301,15][~]"
                           "[1706372196.14][15]\n"));
    assert_non_null(strstr(text, "+ 0 3 508 3 [anonymous][\"\" <>][SIP/301&SIP/200@pbx,60,t][~]"
                                 "[mainsrv-1706401101.30][23]\n"));
    free(text);
    job.fields[3].type = SM_TYPE_TEXT;
    text = ingest_text(&job);
    assert_non_null(strstr(text, "+ 0 1 0 1 [+3900000001][\"Rossi, Anna \"Nina\"\" <+3900000001>][]"
                                 "[2024-01-27 15:07:24][1706368044.0][27]\n"));
    free(text);
}

/* ---- rules ----------------------------------------------------------------------------------- */

static void blank_and_comment_lines_are_counted(void **state)
{
    (void)state;
    ingest_job job = job_of("a");
    job.csv.comment = '#';
    text_input(&job, "#top\n\na\n\n1\r\n\r\n#c,\"\n\"#2\"\n\n");
    expect(&job, "+ 0 5 9 1 [1]\n+ 0 8 19 2 [#2]\n= 2 2 0 3 1 0\n");
}

static void columns_match_by_name_in_each_file(void **state)
{
    (void)state;
    char one[INGEST_PATH_SIZE];
    char two[INGEST_PATH_SIZE];
    ingest_job job = job_of("b,a");
    input(&job, ingest_scratch_file(&scratch, "one.csv", sm_bytes_text("a,b\n1,2\n"), one));
    input(&job,
          ingest_scratch_file(&scratch, "two.csv", sm_bytes_text("x,\"b\",,a\n9,2,8,1\n"), two));
    expect(&job, "+ 0 2 4 1 [2][1]\n+ 1 2 9 1 [2][1]\n= 2 2 0 0 0 2\n");
}

static void missing_and_doubtful_columns(void **state)
{
    (void)state;
    ingest_job job = job_of("caller");
    text_input(&job, "start,calller,callee\n");
    expect_error(&job, SM_E_INPUT_COLUMN,
                 "the column \"caller\" that the job uses is missing (did you mean \"calller\"?); "
                 "the file has: "
                 "start, calller, callee");
    text_input(&job, "caller,x,caller\n");
    job.path_count = 1;
    expect_error(&job, SM_E_INPUT_COLUMN,
                 "\"caller\" that the job uses occurs twice, as columns 1 and 3");
    text_input(&job, "x,x,caller\n1,2,3\n");
    job.path_count = 1;
    expect(&job, "+ 0 2 11 1 [3]\n= 1 1 0 0 0 2\n");
    job.fields[0].column = 3;
    expect_error(&job, SM_E_INPUT_COLUMN, "by its position, but the file's records have 3 fields");
    job.fields[0].column = 1;
    expect(&job, "+ 0 2 11 1 [2]\n= 1 1 0 0 0 2\n");
    text_input(&job, "\"x\"y,caller\n");
    job.path_count = 1;
    expect_error(&job, SM_E_INPUT_COLUMN,
                 "line 1: the header cannot be read: text after a closing quote");
    text_input(&job, "\n\"x,caller\n");
    job.path_count = 1;
    expect_error(&job, SM_E_INPUT_QUOTE, "line 2: a quoted field of the header is never closed");
    ingest_job_columns(&job, "caller");
    job.csv.header = true;
    expect_error(&job, SM_E_JOB, "columns names the columns of files without a header");
}

static void without_a_header_the_first_good_record_counts(void **state)
{
    (void)state;
    ingest_job job = job_of("c2");
    job.csv.header = false;
    text_input(&job, "\"x\"y\n1,2\n1,2,3\n1\n");
    for (job.slice_size = 1; job.slice_size < 20; job.slice_size++) {
        expect(&job, "- 0 1 0 1 text-after-quote : text after a closing quote, at byte 3 of the "
                     "record; expected a "
                     "delimiter or the end of the record (check csv.escape, or double the quote) "
                     "{\"x\"y\\x0A}\n"
                     "+ 0 2 5 2 [2]\n"
                     "- 0 3 9 3 field-count : expected 2 fields, found 3 {1,2,3\\x0A}\n"
                     "- 0 4 15 4 field-count : expected 2 fields, found 1 {1\\x0A}\n"
                     "= 4 1 3 0 0 1\n");
    }
    job = job_of("c3");
    job.csv.header = false;
    text_input(&job, "1,2\n");
    expect_error(&job, SM_E_INPUT_COLUMN,
                 "\"c3\", but the file's records have 2 fields, called c1, c2, ...");
}

static void empty_files_have_no_records(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "\n\n", "\xEF\xBB\xBF", "a,b", "a,b\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        ingest_job job = job_of("a");
        text_input(&job, texts[i]);
        char *text = ingest_text(&job);
        assert_memory_equal(text, "= 0 0 0 ", 8);
        free(text);
    }
    ingest_job job = job_of("c1");
    job.csv.header = false;
    text_input(&job, "");
    expect(&job, "= 0 0 0 0 0 0\n");
}

static void nulls_are_unquoted_texts(void **state)
{
    (void)state;
    static const sm_bytes nulls[] = {{(const uint8_t *)"", 0}, {(const uint8_t *)"NULL", 4}};
    ingest_job job = job_of("a,b,c");
    job.csv.nulls = nulls;
    job.csv.null_count = 2;
    job.fields[2].type = SM_TYPE_INT;
    text_input(&job, "a,b,c\n,\"\",\"\"\nNULL,\"NULL\",NULL\nnull,N,7\n");
    expect(&job,
           "+ 0 2 6 1 [~][][~]\n+ 0 3 13 2 [~][NULL][~]\n+ 0 4 30 3 [null][N][7]\n= 3 3 0 0 0 0\n");
}

static void skipped_lines_and_places(void **state)
{
    (void)state;
    ingest_job job = job_of("a");
    job.csv.skip_lines = 2;
    text_input(&job, "\xEF\xBB\xBFjunk \"\r\nmore,\ra,b\n\"1\n\",x\ny,z\n");
    for (job.slice_size = 1; job.slice_size < 40; job.slice_size++) {
        expect(&job, "+ 0 4 21 1 [1\\x0A]\n+ 0 6 28 2 [y]\n= 2 2 0 0 0 1\n");
    }
}

static void charsets(void **state)
{
    (void)state;
    ingest_job job = job_of("a,b");
    job.fields[0].charset = SM_CHARSET_DIGITS;
    job.fields[1].charset = SM_CHARSET_ASCII;
    text_input(&job, "a,b\n0138,x y\n+138,x\n1,caf\xC3\xA9\n");
    expect(
        &job,
        "+ 0 2 4 1 [0138][x y]\n"
        "- 0 3 13 2 outside-charset a: \"+138\" has a character outside charset digits at byte 0 "
        "{+138,x\\x0A}\n"
        "- 0 4 20 3 outside-charset b: \"caf\\xC3\\xA9\" has a character outside charset ascii at "
        "byte 3 "
        "{1,caf\\xC3\\xA9\\x0A}\n"
        "= 3 1 2 0 0 0\n");
}

static void times_and_windows(void **state)
{
    (void)state;
    sm_arena *arena = NULL;
    assert_int_equal(sm_arena_new(4096, &arena, NULL), SM_OK);
    ingest_job job = job_of("t,d");
    job.fields[0].type = SM_TYPE_TIME;
    assert_int_equal(
        sm_time_compile(arena, sm_bytes_text("%Y-%m-%d %H:%M:%S"), NULL, &job.fields[0].time, NULL),
        SM_OK);
    job.fields[0].has_min = true;
    job.fields[0].min = 0;
    job.fields[0].min_text = "1970-01-01";
    job.fields[1].type = SM_TYPE_DECIMAL;
    text_input(&job,
               "t,d\n1970-01-01 00:00:01,0.5\n1969-12-31 23:59:59,1\n2021-02-30 00:00:00,1\nx,1\n"
               "\"\",1e400\n,\n");
    char *text = ingest_text(&job);
    assert_non_null(strstr(text, "+ 0 2 4 1 [1000][0.5]\n"));
    assert_non_null(strstr(
        text, "- 0 3 28 2 time-outside-window t: \"1969-12-31 23:59:59\" lies outside the window "
              "of the field (min: 1970-01-01, max: none) {"));
    assert_non_null(strstr(text, "- 0 4 50 3 no-such-date t: \"2021-02-30 00:00:00\": "));
    assert_non_null(strstr(text, "- 0 5 72 4 not-a-time t: \"x\": "));
    assert_non_null(strstr(text, "- 0 6 76 5 not-a-decimal d: \"1e400\" is not a decimal number"));
    assert_non_null(strstr(text, "+ 0 7 85 6 [~][~]\n"));
    free(text);
    sm_arena_free(arena);
}

static void over_long_records(void **state)
{
    (void)state;
    ingest_job job = job_of("a");
    job.record_limit = 10;
    job.csv.comment = '#';
    text_input(
        &job, "a\n1234567890\r\n12345678901\r\n#a long comment\n123456789012345678901234567890\n1\n"
              "12345678901");
    for (job.slice_size = 1; job.slice_size < 100; job.slice_size++) {
        expect(&job, "+ 0 2 2 1 [1234567890]\n"
                     "- 0 3 14 2 record-too-long : the record is 11 bytes long, the limit is 10 "
                     "(limits.record); only "
                     "the first 10 bytes are kept in the reject file {1234567890}\n"
                     "- 0 5 43 3 record-too-long : the record is 30 bytes long, the limit is 10 "
                     "(limits.record); only "
                     "the first 10 bytes are kept in the reject file {1234567890}\n"
                     "+ 0 6 74 4 [1]\n"
                     "- 0 7 76 5 record-too-long : the record is 11 bytes long, the limit is 10 "
                     "(limits.record); only "
                     "the first 10 bytes are kept in the reject file {1234567890}\n"
                     "= 5 2 3 0 1 0\n");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leading_zeros_stay),
        cmocka_unit_test(integers_are_strict),
        cmocka_unit_test(an_open_quote_names_its_start),
        cmocka_unit_test(backslash_as_data_and_as_escape),
        cmocka_unit_test(trailing_delimiters),
        cmocka_unit_test(byte_order_marks),
        cmocka_unit_test(nul_bytes_are_data),
        cmocka_unit_test(no_final_newline),
        cmocka_unit_test(long_lines),
        cmocka_unit_test(separators),
        cmocka_unit_test(asterisk_records),
        cmocka_unit_test(blank_and_comment_lines_are_counted),
        cmocka_unit_test(columns_match_by_name_in_each_file),
        cmocka_unit_test(missing_and_doubtful_columns),
        cmocka_unit_test(without_a_header_the_first_good_record_counts),
        cmocka_unit_test(empty_files_have_no_records),
        cmocka_unit_test(nulls_are_unquoted_texts),
        cmocka_unit_test(skipped_lines_and_places),
        cmocka_unit_test(charsets),
        cmocka_unit_test(times_and_windows),
        cmocka_unit_test(over_long_records),
    };
    return cmocka_run_group_tests_name("reader", tests, make_scratch, remove_scratch);
}
