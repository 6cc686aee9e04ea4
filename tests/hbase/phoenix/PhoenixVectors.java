// SPDX-License-Identifier: Apache-2.0
// Golden vectors of Phoenix's salt bytes, from its SaltingUtil and without a server, as lines of
// tests/vectors/key_phoenix.tsv: use, caller (hex), start (ms), duration, cost (bits), expression, expected (hex).
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.phoenix.schema.SaltingUtil;
import org.apache.phoenix.schema.types.PLong;

public final class PhoenixVectors {
    private static final int[] BUCKETS = {1, 2, 3, 16, 20, 127, 128, 129, 255, 256};
    private static final Random RANDOM = new Random(11);

    private PhoenixVectors() {
    }

    private static String hex(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (byte b : bytes) {
            text.append(String.format("%02x", b));
        }
        return text.toString();
    }

    private static void row(byte[] caller, long duration, String expression, byte[] expected) {
        System.out.println(String.join("\t", "key", hex(caller), "1631419945000", Long.toString(duration), "0000000000000000",
            expression, hex(expected)));
    }

    // Phoenix's key: the salt byte, then what was hashed.
    private static byte[] salted(byte[] key, int buckets) {
        byte[] withRoom = new byte[key.length + 1];
        System.arraycopy(key, 0, withRoom, 1, key.length);
        return SaltingUtil.getSaltedKey(new ImmutableBytesWritable(withRoom), buckets);
    }

    private static byte[] filled(int length, int value) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }

    // Bytes whose hash is the one int without an absolute value: the rest mod n is negative there as well.
    private static byte[] hashOfMinimum() {
        byte[] bytes = new byte[8];
        do {
            RANDOM.nextBytes(bytes);
            // The last byte is worth itself, so seven random ones are enough once the rest comes near.
            byte last = bytes[7];
            bytes[7] = 0;
            long missing = (long) Integer.MIN_VALUE - Arrays.hashCode(bytes);
            bytes[7] = missing >= -128 && missing <= 127 ? (byte) missing : last;
        } while (Arrays.hashCode(bytes) != Integer.MIN_VALUE);
        return bytes;
    }

    private static List<byte[]> keys() {
        List<byte[]> keys = new ArrayList<>();
        for (String text : new String[] {"a", "13800138000", "460001234567890", "张三", "𝄞"}) {
            keys.add(text.getBytes(StandardCharsets.UTF_8));
        }
        for (int length : new int[] {1, 2, 7, 100, 500}) {
            keys.add(filled(length, 0));
            keys.add(filled(length, 0x7f));
            keys.add(filled(length, 0x80));
            keys.add(filled(length, 0xff));
        }
        keys.add(hashOfMinimum());
        for (int length = 1; length < 40; length++) {
            byte[] bytes = new byte[length];
            RANDOM.nextBytes(bytes);
            keys.add(bytes);
        }
        return keys;
    }

    public static void main(String[] arguments) {
        for (byte[] key : keys()) {
            for (int buckets : BUCKETS) {
                row(key, 0, "salt_byte(" + buckets + ", caller, hash: phoenix)",
                    new byte[] {SaltingUtil.getSaltingByte(key, 0, key.length, buckets)});
            }
            row(key, 0, "salt_byte(16, caller, hash: phoenix) + caller", salted(key, 16));
        }
        for (int buckets : BUCKETS) {
            byte[] empty = new byte[0];
            row("a".getBytes(StandardCharsets.UTF_8), 0, "salt_byte(" + buckets + ", \"\", hash: phoenix)",
                new byte[] {SaltingUtil.getSaltingByte(empty, 0, 0, buckets)});
        }
        for (long number : new long[] {0, 1, -1, Long.MAX_VALUE, Long.MIN_VALUE, 1700000000123L}) {
            row("a".getBytes(StandardCharsets.UTF_8), number, "salt_byte(20, i64(duration), hash: phoenix) + i64(duration)",
                salted(PLong.INSTANCE.toBytes(number), 20));
        }
    }
}
