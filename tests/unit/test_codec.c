/* SPDX-License-Identifier: Apache-2.0 */
/* Each codec against its own library, the block framing by hand, and damage of every kind. */
#include "core/endian.h"
#include "formats/codec.h"

#include <lz4.h>
#include <snappy-c.h>
#include <zlib.h>
#include <zstd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct choice {
    sm_compression compression;
    sm_zstd_framing framing;
} choice;

static const choice choices[] = {
    {SM_COMPRESSION_NONE, SM_ZSTD_FRAMING_UNSET},   {SM_COMPRESSION_GZ, SM_ZSTD_FRAMING_UNSET},
    {SM_COMPRESSION_SNAPPY, SM_ZSTD_FRAMING_UNSET}, {SM_COMPRESSION_LZ4, SM_ZSTD_FRAMING_UNSET},
    {SM_COMPRESSION_ZSTD, SM_ZSTD_FRAMING_HBASE},   {SM_COMPRESSION_ZSTD, SM_ZSTD_FRAMING_HADOOP},
};

enum { CHOICES = sizeof choices / sizeof choices[0], LARGEST = 1500000 };

static sm_codec *open_codec(choice c)
{
    sm_error err = {0};
    sm_codec *codec = NULL;
    assert_int_equal(sm_codec_open(c.compression, c.framing, 0, &codec, &err), SM_OK);
    return codec;
}

/* Half noise, half repetition. */
static uint8_t *make_plain(size_t size)
{
    uint8_t *p = malloc(size + 1);
    assert_non_null(p);
    uint64_t x = 88172645463325252u;
    for (size_t i = 0; i < size; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        p[i] = i / 100 % 2 == 0 ? (uint8_t)x : (uint8_t)(i % 5);
    }
    return p;
}

static void what_is_packed_unpacks(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 100, 65536, 131071, 131072, 131073, 300000, LARGEST};
    uint8_t *plain = make_plain(LARGEST);
    for (size_t i = 0; i < CHOICES; i++) {
        sm_codec *codec = open_codec(choices[i]);
        sm_buf packed;
        sm_buf back;
        sm_error err = {0};
        sm_buf_init(&packed, 1 << 24);
        sm_buf_init(&back, 1 << 24);
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
            const sm_bytes view = sm_bytes_of(plain, sizes[k]);
            sm_buf_clear(&packed);
            sm_buf_clear(&back);
            assert_int_equal(sm_codec_pack(codec, view, &packed, &err), SM_OK);
            assert_int_equal(sm_codec_unpack(codec, sm_buf_view(&packed), sizes[k], &back, &err),
                             SM_OK);
            assert_true(sm_bytes_equal(sm_buf_view(&back), view));
            /* One byte more or fewer than promised is an error. */
            sm_error more = {0};
            sm_error fewer = {0};
            assert_int_equal(
                sm_codec_unpack(codec, sm_buf_view(&packed), sizes[k] + 1, &back, &more),
                SM_E_FORMAT);
            if (sizes[k] > 0) {
                assert_int_equal(
                    sm_codec_unpack(codec, sm_buf_view(&packed), sizes[k] - 1, &back, &fewer),
                    SM_E_FORMAT);
            }
        }
        sm_buf_free(&packed);
        sm_buf_free(&back);
        sm_codec_close(codec);
    }
    free(plain);
}

static void gzip_members_as_hbase_writes_them(void **state)
{
    (void)state;
    static const uint8_t empty[20] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff, 3};
    sm_error err = {0};
    sm_buf packed;
    sm_buf_init(&packed, 1 << 20);
    sm_codec *codec = open_codec(choices[1]);
    assert_int_equal(sm_codec_pack(codec, sm_bytes_of(NULL, 0), &packed, &err), SM_OK);
    assert_int_equal(packed.len, sizeof empty);
    assert_memory_equal(packed.data, empty, sizeof empty);

    sm_buf_clear(&packed);
    assert_int_equal(sm_codec_pack(codec, sm_bytes_text("hello hello hello"), &packed, &err),
                     SM_OK);
    assert_memory_equal(packed.data, empty, 10);
    uint8_t out[64];
    z_stream z = {.next_in = packed.data,
                  .avail_in = (uInt)packed.len,
                  .next_out = out,
                  .avail_out = sizeof out};
    assert_int_equal(inflateInit2(&z, 31), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    assert_int_equal(z.avail_in, 0);
    assert_int_equal(z.total_out, 17);
    assert_memory_equal(out, "hello hello hello", 17);
    (void)inflateEnd(&z);

    /* Members behind each other are one payload. */
    assert_int_equal(sm_codec_pack(codec, sm_bytes_text(" again"), &packed, &err), SM_OK);
    sm_buf back;
    sm_buf_init(&back, 1000);
    assert_int_equal(sm_codec_unpack(codec, sm_buf_view(&packed), 23, &back, &err), SM_OK);
    assert_memory_equal(back.data, "hello hello hello again", 23);
    sm_buf_free(&back);
    sm_buf_free(&packed);
    sm_codec_close(codec);
}

/* Unpacks one chunk with the library itself. */
static size_t unpack_raw(sm_compression c, const uint8_t *data, size_t len, uint8_t *out,
                         size_t room)
{
    size_t got = room;
    switch (c) {
    case SM_COMPRESSION_SNAPPY:
        assert_int_equal(snappy_uncompress((const char *)data, len, (char *)out, &got), SNAPPY_OK);
        return got;
    case SM_COMPRESSION_LZ4:
        return (size_t)LZ4_decompress_safe((const char *)data, (char *)out, (int)len, (int)room);
    default:
        /* The content size stands in the frame, as in HBase's own. */
        got = ZSTD_decompress(out, room, data, len);
        assert_true(ZSTD_getFrameContentSize(data, len) == got);
        return got;
    }
}

/* 300000 bytes: one group, chunks of 131072, 131072 and 37856. */
static void the_block_framing(void **state)
{
    (void)state;
    uint8_t *plain = make_plain(300000);
    uint8_t *out = malloc(131072);
    assert_non_null(out);
    for (size_t i = 2; i < 5; i++) {
        sm_error err = {0};
        sm_buf packed;
        sm_buf_init(&packed, 1 << 20);
        sm_codec *codec = open_codec(choices[i]);
        assert_int_equal(sm_codec_pack(codec, sm_bytes_of(NULL, 0), &packed, &err), SM_OK);
        assert_int_equal(packed.len, 4);
        assert_memory_equal(packed.data, "\0\0\0\0", 4);
        sm_buf_clear(&packed);

        assert_int_equal(sm_codec_pack(codec, sm_bytes_of(plain, 300000), &packed, &err), SM_OK);
        assert_int_equal(sm_load_be32(packed.data), 300000);
        size_t at = 4;
        for (size_t done = 0; done < 300000;) {
            const size_t chunk = 300000 - done < 131072 ? 300000 - done : 131072;
            const uint32_t len = sm_load_be32(packed.data + at);
            assert_int_equal(
                unpack_raw(choices[i].compression, packed.data + at + 4, len, out, 131072), chunk);
            assert_memory_equal(out, plain + done, chunk);
            at += 4 + len;
            done += chunk;
        }
        assert_int_equal(at, packed.len);
        sm_codec_close(codec);
        sm_buf_free(&packed);
    }
    free(out);
    free(plain);
}

static void hadoops_zstd_is_a_bare_frame(void **state)
{
    (void)state;
    char out[32];
    sm_error err = {0};
    sm_buf packed;
    sm_buf_init(&packed, 1 << 20);
    sm_codec *codec = open_codec(choices[5]);
    assert_int_equal(sm_codec_pack(codec, sm_bytes_text("frame"), &packed, &err), SM_OK);
    assert_memory_equal(packed.data, "\x28\xb5\x2f\xfd", 4);
    assert_int_equal(ZSTD_decompress(out, sizeof out, packed.data, packed.len), 5);
    assert_int_equal(sm_codec_zstd_framing_of(sm_buf_view(&packed)), SM_ZSTD_FRAMING_HADOOP);
    assert_int_equal(sm_codec_zstd_framing_of(sm_bytes_of("\0\0\0\0", 4)), SM_ZSTD_FRAMING_HBASE);
    sm_codec_close(codec);
    sm_buf_free(&packed);
}

/* What other writers may make: several groups, several chunks, an empty group at the end. */
static void other_framings_are_read(void **state)
{
    (void)state;
    static const uint8_t snappy_ab[] = {2, 4, 'a', 'b'}; /* length 2; a literal of 2 */
    uint8_t stored[64];
    size_t n = 0;
    sm_error err = {0};
    sm_buf back;
    sm_buf_init(&back, 100);
    sm_store_be32(stored + n, 4); /* a group of two chunks */
    n += 4;
    for (int i = 0; i < 2; i++) {
        sm_store_be32(stored + n, sizeof snappy_ab);
        memcpy(stored + n + 4, snappy_ab, sizeof snappy_ab);
        n += 4 + sizeof snappy_ab;
    }
    sm_store_be32(stored + n, 2); /* and one of one */
    sm_store_be32(stored + n + 4, sizeof snappy_ab);
    memcpy(stored + n + 8, snappy_ab, sizeof snappy_ab);
    n += 8 + sizeof snappy_ab;
    sm_store_be32(stored + n, 0);
    n += 4;
    sm_codec *codec = open_codec(choices[2]);
    assert_int_equal(sm_codec_unpack(codec, sm_bytes_of(stored, n), 6, &back, &err), SM_OK);
    assert_memory_equal(back.data, "ababab", 6);
    assert_int_equal(sm_codec_unpack(codec, sm_bytes_of(stored, n - 1), 6, &back, &err),
                     SM_E_FORMAT);
    sm_codec_close(codec);
    sm_buf_free(&back);
}

/* Flips in every byte and cuts at every place: an error or some bytes, never more than asked for.
 */
static void damage_is_survived(void **state)
{
    (void)state;
    uint8_t *plain = make_plain(2000);
    for (size_t i = 0; i < CHOICES; i++) {
        sm_codec *codec = open_codec(choices[i]);
        sm_error err = {0};
        sm_buf packed;
        sm_buf back;
        sm_buf_init(&packed, 1 << 20);
        sm_buf_init(&back, 2001);
        assert_int_equal(sm_codec_pack(codec, sm_bytes_of(plain, 2000), &packed, &err), SM_OK);
        for (size_t at = 0; at < packed.len; at++) {
            static const uint8_t flips[] = {0xff, 0x01, 0x80};
            uint8_t *copy = malloc(at + 1); /* exact, so that reading past it is seen */
            assert_non_null(copy);
            memcpy(copy, packed.data, at);
            sm_error cut = {0};
            sm_buf_clear(&back);
            assert_int_equal(sm_codec_unpack(codec, sm_bytes_of(copy, at), 2000, &back, &cut),
                             SM_E_FORMAT);
            free(copy);
            for (size_t k = 0; k < sizeof flips; k++) {
                sm_error flip = {0};
                packed.data[at] ^= flips[k];
                sm_buf_clear(&back);
                const sm_status st =
                    sm_codec_unpack(codec, sm_buf_view(&packed), 2000, &back, &flip);
                assert_true(st == SM_E_FORMAT || (st == SM_OK && back.len == 2000));
                packed.data[at] ^= flips[k];
            }
        }
        sm_codec_close(codec);
        sm_buf_free(&packed);
        sm_buf_free(&back);
    }
    free(plain);
}

static void a_small_block_cannot_claim_to_be_huge(void **state)
{
    (void)state;
    for (size_t i = 0; i < CHOICES; i++) {
        sm_codec *codec = open_codec(choices[i]);
        sm_error err = {0};
        sm_buf back;
        sm_buf_init(&back, SIZE_MAX);
        assert_int_equal(
            sm_codec_unpack(codec, sm_bytes_text("0123456789"), INT32_MAX, &back, &err),
            SM_E_FORMAT);
        assert_null(back.data);
        sm_codec_close(codec);
    }
}

static void wrong_choices_are_refused(void **state)
{
    (void)state;
    sm_codec *codec = NULL;
    sm_error unset = {0};
    assert_int_equal(sm_codec_open(SM_COMPRESSION_ZSTD, SM_ZSTD_FRAMING_UNSET, 0, &codec, &unset),
                     SM_E_JOB);
    assert_non_null(strstr(unset.text, "hbase.io.compress.zstd.codec"));
    sm_error level = {0};
    assert_int_equal(sm_codec_open(SM_COMPRESSION_GZ, SM_ZSTD_FRAMING_UNSET, 10, &codec, &level),
                     SM_E_JOB);
    sm_error none = {0};
    assert_int_equal(sm_codec_open(SM_COMPRESSION_LZ4, SM_ZSTD_FRAMING_UNSET, 1, &codec, &none),
                     SM_E_JOB);
    sm_error kind = {0};
    assert_int_equal(sm_codec_open((sm_compression)5, SM_ZSTD_FRAMING_UNSET, 0, &codec, &kind),
                     SM_E_FORMAT);
    assert_null(codec);
    sm_codec_close(NULL);
}

static void names(void **state)
{
    (void)state;
    static const char *const all[] = {"NONE", "GZ", "SNAPPY", "LZ4", "ZSTD"};
    sm_compression c;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        assert_true(sm_compression_named(sm_bytes_text(all[i]), &c));
        assert_int_equal(c, choices[i].compression);
        assert_string_equal(sm_compression_name(c), all[i]);
    }
    assert_false(sm_compression_named(sm_bytes_text("zstd"), &c));
    assert_false(sm_compression_named(sm_bytes_text("LZO"), &c));
    assert_string_equal(sm_compression_name((sm_compression)0), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_packed_unpacks),
        cmocka_unit_test(gzip_members_as_hbase_writes_them),
        cmocka_unit_test(the_block_framing),
        cmocka_unit_test(hadoops_zstd_is_a_bare_frame),
        cmocka_unit_test(other_framings_are_read),
        cmocka_unit_test(damage_is_survived),
        cmocka_unit_test(a_small_block_cannot_claim_to_be_huge),
        cmocka_unit_test(wrong_choices_are_refused),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
