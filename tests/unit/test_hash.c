/* SPDX-License-Identifier: Apache-2.0 */
/* Every hash against values of other makers: Python's hashlib and zlib, mmh3 5, xxhash 3; the
 * murmur3 column equals what HBase's own class gives. CRC-32C: bit by bit from the polynomial. */
#include "core/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

typedef struct vector {
    const char *input;                  /* hexadecimal */
    const char *results[SM_HASH_KINDS]; /* in the order of sm_hash_kind */
    const char *xxh128;
    uint32_t crc32c;
} vector;

// clang-format off
static const vector vectors[] = {
    {"",
     {"00000000",
         "2d06800538d394c2",
         "ef46db3751d8e999",
         "00000000",
         "d41d8cd98f00b204e9800998ecf8427e",
         "da39a3ee5e6b4b0d3255bfef95601890afd80709",
         "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
     "99aa06d3014798d86001c324468d497f",
     0x00000000},
    {"61",
     {"3c2569b2",
         "e6c632b61e964e1f",
         "d24ec4f1a98c6e5b",
         "e8b7be43",
         "0cc175b9c0f1b6a831c399e269772661",
         "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8",
         "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"},
     "a96faf705af16834e6c632b61e964e1f",
     0xC1D04330},
    {"616263",
     {"b3dd93fa",
         "78af5f94892f3950",
         "44bc2cf5ad770999",
         "352441c2",
         "900150983cd24fb0d6963f7d28e17f72",
         "a9993e364706816aba3e25717850c26c9cd0d89d",
         "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
     "06b05ab6733a618578af5f94892f3950",
     0x364B3FB7},
    {"726f773030303030303030",
     {"edec2af2",
         "ef463e83ccd98b3e",
         "e87701bf84756cd3",
         "dccdf955",
         "3103487b1292bb374d7d9681f889d3b0",
         "871e19b06c6c373be4eb4025eb059c934eebb3d7",
         "783c4fec7bfb8d5b96bde0986eb97c6118a5771fe2a06be82f9f161b64648556"},
     "b93fa34da28d0179a08897547035c1ed",
     0xA558BC44},
    {"ff8081",
     {"e30be116",
         "6524431b6dee203b",
         "9f9ac3494514114f",
         "e0e5c602",
         "ee628c50988b417d34c4619a5d380f11",
         "9bff1c54c00292863325e7d83a4d8c6c46426b9a",
         "0365c40815b283a5f7c7d88a9846be5f4a18c6fe471cbbdfc91a10e959579035"},
     "3e8ac8a2fd001e8e6524431b6dee203b",
     0x7A3FCA50},
    {"80",
     {"0feb9e1d",
         "6b148c0872500941",
         "841226287060849f",
         "3fba6cad",
         "8d39dd7eef115ea6975446ef4082951f",
         "c78ebd3c85a39a596d9f5cfd2b8d240bc1b9c125",
         "76be8b528d0075f7aae98d6fa57a6d3c83ae480a8469e668d7b0af968995ac71"},
     "39f23593542c7e2b6b148c0872500941",
     0xD08B6829},
    {"fafbfcfdfeff90",
     {"e7d8d421",
         "5b39ef4af86afa2f",
         "408dd580ebed9f85",
         "078e10f9",
         "156fd6bb65e58afb2325cb988bebd33b",
         "d2327fea44516702d1a3bc535e896166f119d704",
         "35a115109fef8da0e395dfcca646d9fc6dfd845bcb7c552f83ed1c3ee883032b"},
     "6596dec89f63afd9ba77983e0aa50c51",
     0x72B2D3A6},
    {"3133383030313338303030",
     {"5905c34f",
         "5d1468ff91091469",
         "5048622ea3fca952",
         "782cad31",
         "7945bd83237335e5376ff44d62e4f0ae",
         "ffe1cf3289b18e5aedf4f62e2c1ce2242bbdb0c2",
         "a6942f9771d67f34034d2f1926988ed3fad3bf1b4e7cedb9a31f31398dea43bc"},
     "0e1ea33966c73a2f51d8bd0ba5169eae",
     0x401311AF},
};
// clang-format on

enum { VECTORS = sizeof vectors / sizeof vectors[0] };

static uint8_t digit_value(char c)
{
    return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static size_t from_hex(const char *text, uint8_t *out)
{
    const size_t len = strlen(text) / 2;
    for (size_t i = 0; i < len; i++) {
        out[i] = (uint8_t)(digit_value(text[2 * i]) << 4 | digit_value(text[2 * i + 1]));
    }
    return len;
}

static void expect_hex(const uint8_t *got, size_t len, const char *expected)
{
    char text[2 * SM_HASH_MAX_BYTES + 1] = "";
    for (size_t i = 0; i < len; i++) {
        (void)snprintf(text + 2 * i, 3, "%02x", got[i]);
    }
    assert_string_equal(text, expected);
}

static void every_kind(void **state)
{
    (void)state;
    sm_error err = {0};
    sm_hasher *h = NULL;
    assert_int_equal(sm_hasher_new(&h, &err), SM_OK);
    /* Twice, so that a context that was used before is started again. */
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < VECTORS; i++) {
            uint8_t input[64];
            const sm_bytes view = sm_bytes_of(input, from_hex(vectors[i].input, input));
            for (int kind = 0; kind < SM_HASH_KINDS; kind++) {
                uint8_t out[SM_HASH_MAX_BYTES];
                sm_hash(h, (sm_hash_kind)kind, view, out);
                expect_hex(out, sm_hash_size((sm_hash_kind)kind), vectors[i].results[kind]);
            }
        }
    }
    sm_hasher_free(h);
    sm_hasher_free(NULL);
}

static void single_hashes(void **state)
{
    (void)state;
    for (size_t i = 0; i < VECTORS; i++) {
        uint8_t input[64];
        uint8_t out[16];
        const sm_bytes view = sm_bytes_of(input, from_hex(vectors[i].input, input));
        sm_xxh128(view, out);
        expect_hex(out, sizeof out, vectors[i].xxh128);
        assert_int_equal(sm_crc32c(0, view), vectors[i].crc32c);
        assert_int_equal(sm_crc32c_portable(0, view), vectors[i].crc32c);
    }
    /* mmh3.hash(b"abc", 42) */
    assert_int_equal(sm_murmur3(sm_bytes_text("abc"), 42), 0x4E4F1E68);
    /* The check value of the catalogue of CRCs. */
    assert_int_equal(sm_crc32c(0, sm_bytes_text("123456789")), 0xE3069283);
    assert_int_equal(sm_crc32((sm_bytes){NULL, 0}), 0);
    assert_int_equal(sm_crc32c(7, (sm_bytes){NULL, 0}), 7);
}

static void crc32c_continues_at_any_place(void **state)
{
    (void)state;
    uint8_t data[256];
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (uint8_t)i;
    }
    for (size_t cut = 0; cut <= sizeof data; cut++) {
        const sm_bytes rest = sm_bytes_of(data + cut, sizeof data - cut);
        const uint32_t first = sm_crc32c(0, sm_bytes_of(data, cut));
        assert_int_equal(sm_crc32c(first, rest), 0x9C44184B);
        assert_int_equal(sm_crc32c_portable(first, rest), 0x9C44184B);
    }
}

static void streams_equal_single_calls(void **state)
{
    (void)state;
    sm_error err = {0};
    uint8_t data[256];
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (uint8_t)i;
    }
    for (size_t cut = 0; cut <= sizeof data; cut += 31) {
        sm_xxh64_stream *s = NULL;
        assert_int_equal(sm_xxh64_stream_new(&s, &err), SM_OK);
        sm_xxh64_stream_add(s, sm_bytes_of(data, cut));
        sm_xxh64_stream_add(s, (sm_bytes){NULL, 0});
        sm_xxh64_stream_add(s, sm_bytes_of(data + cut, sizeof data - cut));
        /* xxhash.xxh64(bytes(range(256))) */
        assert_true(sm_xxh64_stream_value(s) == UINT64_C(0x1FACBE8406CD904B));
        sm_xxh64_stream_free(s);
    }
    sm_xxh64_stream_free(NULL);
}

static void names(void **state)
{
    (void)state;
    sm_hash_kind kind = SM_HASH_KINDS;
    assert_true(sm_hash_named(sm_bytes_text("sha256"), &kind));
    assert_int_equal(kind, SM_HASH_SHA256);
    assert_string_equal(sm_hash_name(SM_HASH_MURMUR3), "murmur3");
    assert_false(sm_hash_named(sm_bytes_text("murmur"), &kind));
    assert_false(sm_hash_named(sm_bytes_text(""), &kind));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind),
        cmocka_unit_test(single_hashes),
        cmocka_unit_test(crc32c_continues_at_any_place),
        cmocka_unit_test(streams_equal_single_calls),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
