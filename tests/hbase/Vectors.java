/* SPDX-License-Identifier: Apache-2.0 */
/* Writes tests/vectors: what HBase's, Java's and Guava's own classes answer for chosen and random inputs. Every file
 * is tab-separated with a line of column names; lines starting with '#' before it are comments. The random inputs
 * have fixed seeds, so a new run gives equal files. */
package saltmill.judge;

import com.google.common.hash.Hashing;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32;
import net.jpountz.xxhash.XXHashFactory;
import org.apache.hadoop.hbase.util.ByteArrayHashKey;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Hash;
import org.apache.hadoop.hbase.util.RegionSplitter;

public final class Vectors {
    private static final int[] REGIONS = {2, 3, 4, 7, 10, 16, 100, 300};
    private static final int[] OWN_RANGE_REGIONS = {2, 3, 4, 5, 7, 10, 15, 16, 17, 32, 100, 257, 300, 1000, 4096, 65537, 1000000};
    private static final int MOST_WHOLE = 100;
    private static final int SALTS = 300;

    private final Path folder;

    private Vectors(Path folder) {
        this.folder = folder;
    }

    private PrintStream open(String name, String... head) throws IOException {
        PrintStream out = new PrintStream(new FileOutputStream(folder.resolve(name).toFile()), false, StandardCharsets.UTF_8);
        for (String line : head) {
            out.print(line + "\n");
        }
        return out;
    }

    private static void line(PrintStream out, Object... fields) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < fields.length; i++) {
            text.append(i == 0 ? "" : "\t").append(fields[i]);
        }
        out.print(text + "\n");
    }

    private static String hex(byte[] bytes) {
        return Bytes.toHex(bytes);
    }

    private static String hex32(int value) {
        return String.format("%08x", value);
    }

    private static byte[] unhex(String text) {
        return Bytes.fromHex(text);
    }

    private static byte[] random(Random random, int size) {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        return bytes;
    }

    // ---- splits ----------------------------------------------------------------------------------------------

    private static RegionSplitter.SplitAlgorithm algorithm(String name) {
        switch (name) {
            case "HexStringSplit":
                return new RegionSplitter.HexStringSplit();
            case "DecimalStringSplit":
                return new RegionSplitter.DecimalStringSplit();
            default:
                return new RegionSplitter.UniformSplit();
        }
    }

    private static String keys(byte[][] keys) {
        if (keys == null) {
            return "null";
        }
        List<String> text = new ArrayList<>();
        for (byte[] key : keys) {
            text.add(Bytes.toStringBinary(key));
        }
        return String.join("\t", text);
    }

    /* Of many regions only some keys. */
    private static void splitLines(PrintStream out, String name, int regions, String first, String last) {
        RegionSplitter.SplitAlgorithm algorithm = algorithm(name);
        if (first != null) {
            algorithm.setFirstRow(first);
            algorithm.setLastRow(last);
        }
        String from = first == null ? "-" : first;
        String to = last == null ? "-" : last;
        byte[][] keys;
        try {
            keys = algorithm.split(regions);
        } catch (RuntimeException e) {
            line(out, name, regions, from, to, "-", "refused");
            return;
        }
        int step = regions > MOST_WHOLE ? regions / 7 : 1;
        for (int i = 0; i < keys.length; i++) {
            if (i % step == 0 || i == keys.length - 1) {
                line(out, name, regions, from, to, i, Bytes.toStringBinary(keys[i]));
            }
        }
    }

    private void regionSplitter() throws IOException {
        String[][] ranges = {
            {"HexStringSplit", null, null},
            {"HexStringSplit", "0", "ffffffffffffffff"},
            {"HexStringSplit", "00", "ff"},
            {"HexStringSplit", "1000", "EFFF"},
            {"HexStringSplit", "0000", "7FFF"},
            {"HexStringSplit", "00000000000000000000000000000000", "ffffffffffffffffffffffffffffffff"},
            {"DecimalStringSplit", null, null},
            {"DecimalStringSplit", "0", "99"},
            {"DecimalStringSplit", "000", "299"},
            {"DecimalStringSplit", "100", "999"},
            {"DecimalStringSplit", "0", "9999999999999999"},
            {"DecimalStringSplit", "00000000000000000000", "99999999999999999999"},
            {"UniformSplit", null, null},
            {"UniformSplit", "\\x00", "\\xFF"},
            {"UniformSplit", "\\x10\\x00", "\\xEF\\xFF"},
            {"UniformSplit", "aaa", "zzz"},
            {"UniformSplit", "a", "azzzz"},
        };
        try (PrintStream out = open("region_splitter.tsv",
                 "# RegionSplitter.<algorithm>.split(regions)[number], for more than 100 regions some of them; '-' = the algorithm's own range; keys as toStringBinary prints them",
                 "algorithm\tregions\tfirst_row\tlast_row\tnumber\tkey")) {
            for (String[] range : ranges) {
                for (int regions : range[1] == null ? OWN_RANGE_REGIONS : REGIONS) {
                    splitLines(out, range[0], regions, range[1], range[2]);
                }
            }
        }
    }

    private static void bytesSplitLine(PrintStream out, byte[] low, byte[] high, boolean inclusive, int cuts) {
        String answer;
        try {
            answer = keys(Bytes.split(low, high, inclusive, cuts));
        } catch (RuntimeException e) {
            answer = "refused";
        }
        line(out, hex(low), hex(high), inclusive, cuts, answer);
    }

    private void bytesSplit() throws IOException {
        String[][] pairs = {{"61", "7a"}, {"616161", "7a7a7a"}, {"00", "ff"}, {"", "ff"}, {"", "ffffffffffffffff"},
            {"0000", "ffff"}, {"61", "617a"}, {"61", "62"}, {"6161", "6162"}, {"61", "61"}, {"62", "61"}, {"ff", "ffff"},
            {"7f", "80"}, {"80", "ff"}, {"61626364", "6162636465"}, {"303030", "333030"}, {"00", "0000000001"},
            {"0102030405060708", "f1f2f3f4f5f6f7f8"},
            {hex(Bytes.toBytes("0000000000000000")), hex(Bytes.toBytes("ffffffffffffffff"))}};
        Random random = new Random(41);
        try (PrintStream out = open("bytes_split.tsv",
                 "# Bytes.split(low, high, inclusive, cuts): 'cuts' keys between the ends, both ends printed too; low and high in hex",
                 "low\thigh\tinclusive\tcuts\tkeys...")) {
            for (String[] pair : pairs) {
                for (int cuts : new int[] {1, 2, 3, 9, 15}) {
                    for (boolean inclusive : new boolean[] {false, true}) {
                        bytesSplitLine(out, unhex(pair[0]), unhex(pair[1]), inclusive, cuts);
                    }
                }
            }
            for (int i = 0; i < 60; i++) {
                byte[] one = random(random, 1 + random.nextInt(8));
                byte[] other = random(random, 1 + random.nextInt(8));
                boolean ordered = Bytes.compareTo(one, other) < 0;
                bytesSplitLine(out, ordered ? one : other, ordered ? other : one, i % 2 == 0, 1 + random.nextInt(12));
            }
        }
    }

    // ---- escapes ---------------------------------------------------------------------------------------------

    private void toStringBinary() throws IOException {
        Random random = new Random(42);
        List<byte[]> inputs = new ArrayList<>();
        inputs.add(new byte[0]);
        for (int i = 0; i < 256; i++) {
            inputs.add(new byte[] {(byte) i});
        }
        for (String text : new String[] {"\\", "\\x00", "\\xff", "\\\\x41", "a b", " a ", "\t\r\n", "~\u007f", "中文", "\"#$'`"}) {
            inputs.add(text.getBytes(StandardCharsets.UTF_8));
        }
        for (int i = 0; i < 200; i++) {
            inputs.add(random(random, 1 + random.nextInt(24)));
        }
        try (PrintStream out = open("to_string_binary.tsv",
                 "# printed = Bytes.toStringBinary(bytes); read_back_hex = Bytes.toBytesBinary(printed)", "hex\tprinted\tread_back_hex")) {
            for (byte[] bytes : inputs) {
                String printed = Bytes.toStringBinary(bytes);
                line(out, hex(bytes), printed, hex(Bytes.toBytesBinary(printed)));
            }
        }
    }

    private void toBytesBinary() throws IOException {
        String[] texts = {"abc", "\\x41", "\\x4A", "\\x4a", "\\xaf", "\\xAf", "\\xaF", "\\xAF", "\\xff", "\\x0a", "\\x0A", "\\x", "\\x4",
            "\\x4G", "\\xG4", "\\n", "\\t", "\\\\", "\\\\x41", "\\", "a\\", "a\\x", "a\\x0", "\\X41", "\\x41\\x42", "\\x00\\xFF", "é", "中",
            "\\x41é", "a b", " a", "#", "\\y41", "\\x 41", "\\x4 1"};
        try (PrintStream out = open("to_bytes_binary.tsv",
                 "# what Bytes.toBytesBinary makes of typed text (this file is UTF-8); lower-case escapes aren't escapes to it",
                 "text\thex")) {
            for (String text : texts) {
                String answer;
                try {
                    answer = hex(Bytes.toBytesBinary(text));
                } catch (RuntimeException e) {
                    answer = "refused";
                }
                line(out, text, answer);
            }
        }
    }

    // ---- Java hash codes -------------------------------------------------------------------------------------

    private static void hashLine(PrintStream out, String kind, String value, int hash) {
        line(out, kind, value, hash, hex32(hash), Math.floorMod(hash, SALTS), Math.abs(hash) % SALTS,
            (hash & 0x7fffffff) % SALTS);
    }

    /* A byte array whose Arrays.hashCode is the target: random bytes, then the rest as signed digits in base 31. */
    private static byte[] withHash(Random random, int target) {
        while (true) {
            byte[] bytes = random(random, 3);
            int hash = Arrays.hashCode(bytes);
            bytes = Arrays.copyOf(bytes, 10);
            for (int i = 0; i < 7; i++) {
                hash *= 31;
            }
            long rest = (int) (target - hash);
            long power = 887_503_681L; /* 31^6 */
            for (int i = 3; i < 10; i++, power /= 31) {
                bytes[i] = (byte) Math.floorDiv(2 * rest + power, 2 * power);
                rest -= bytes[i] * power;
            }
            if (rest == 0 && Arrays.hashCode(bytes) == target) {
                return bytes;
            }
        }
    }

    private static List<String> texts() {
        List<String> texts = new ArrayList<>(Arrays.asList("", "a", "ab", "0", "13800000001", "+8613800000001", "013800000001",
            "polygenelubricants", "GydZG_", "DESIGNING WORKHOUSES", "The quick brown fox jumps over the lazy dog", " ", "\u0000",
            "é", "ß", "中文", "上海市浦东新区", "\uD83D\uDE00", "a\uD83D\uDCDEb", "\uD842\uDFB7野家", "\uFFFF", "\uE000", "Aa", "BB"));
        Random random = new Random(43);
        for (int i = 0; i < 150; i++) {
            texts.add(String.format("1%010d", (long) (random.nextDouble() * 10_000_000_000L)));
        }
        for (int i = 0; i < 50; i++) {
            StringBuilder text = new StringBuilder();
            for (int n = 1 + random.nextInt(12); n > 0; n--) {
                int point;
                do {
                    point = random.nextInt(random.nextInt(3) == 0 ? 0x110000 : 0x3000);
                } while (point >= 0xD800 && point <= 0xDFFF);
                text.appendCodePoint(point);
            }
            texts.add(text.toString());
        }
        return texts;
    }

    private void javaHash() throws IOException {
        Random random = new Random(44);
        try (PrintStream out = open("java_hash.tsv",
                 "# String.hashCode, Integer.hashCode, Long.hashCode, Arrays.hashCode(byte[]); then Math.floorMod(h, 300),",
                 "# Math.abs(h) % 300 (negative for the one h that abs can't turn), (h & 0x7fffffff) % 300",
                 "# value: hex of the UTF-8 bytes for text, decimal for int and long, hex for bytes",
                 "kind\tvalue\thash\thash_hex\tfloormod_300\tabs_300\tmask_300")) {
            for (String text : texts()) {
                hashLine(out, "text", hex(text.getBytes(StandardCharsets.UTF_8)), text.hashCode());
            }
            for (int i : new int[] {0, 1, -1, 299, 300, 301, -299, -300, -301, Integer.MAX_VALUE, Integer.MIN_VALUE, Integer.MIN_VALUE + 1}) {
                hashLine(out, "int", Integer.toString(i), Integer.hashCode(i));
            }
            for (long i : new long[] {0, 1, -1, 300, -300, 13800000001L, 1631400000000L, 1L << 31, 1L << 32, -(1L << 32), 1L << 63,
                     Long.MAX_VALUE, Long.MIN_VALUE, Long.MIN_VALUE + 1, 0x7fffffffffffffffL, 0x00000000ffffffffL, 0xffffffff00000000L}) {
                hashLine(out, "long", Long.toString(i), Long.hashCode(i));
            }
            for (int i = 0; i < 40; i++) {
                int small = random.nextInt();
                hashLine(out, "int", Integer.toString(small), Integer.hashCode(small));
                long large = random.nextLong();
                hashLine(out, "long", Long.toString(large), Long.hashCode(large));
            }
            hashLine(out, "bytes", "", Arrays.hashCode(new byte[0]));
            for (int i = 0; i < 256; i++) {
                hashLine(out, "bytes", hex(new byte[] {(byte) i}), Arrays.hashCode(new byte[] {(byte) i}));
            }
            for (int i = 0; i < 5; i++) {
                byte[] bytes = withHash(random, Integer.MIN_VALUE);
                hashLine(out, "bytes", hex(bytes), Arrays.hashCode(bytes));
            }
            for (int i = 0; i < 150; i++) {
                byte[] bytes = random(random, 1 + random.nextInt(40));
                hashLine(out, "bytes", hex(bytes), Arrays.hashCode(bytes));
            }
        }
    }

    // ---- digests and seeded hashes ---------------------------------------------------------------------------

    private static List<byte[]> digestInputs() {
        Random random = new Random(45);
        List<byte[]> inputs = new ArrayList<>();
        for (int size = 0; size <= 70; size++) {
            inputs.add(random(random, size));
        }
        for (int size : new int[] {127, 128, 129, 239, 240, 241, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025}) {
            inputs.add(random(random, size));
        }
        for (String text : texts()) {
            inputs.add(text.getBytes(StandardCharsets.UTF_8));
        }
        for (int size : new int[] {1, 2, 3, 4, 5, 8, 16, 33}) {
            byte[] ones = new byte[size];
            Arrays.fill(ones, (byte) 0xff);
            inputs.add(ones);
            inputs.add(new byte[size]);
        }
        return inputs;
    }

    private static int hash(int type, byte[] bytes, int seed) {
        return Hash.getInstance(type).hash(new ByteArrayHashKey(bytes, 0, bytes.length), seed);
    }

    private static String digest(String name, byte[] bytes) throws Exception {
        return hex(MessageDigest.getInstance(name).digest(bytes));
    }

    @SuppressWarnings("deprecation")
    private static int guavaMurmur(byte[] bytes) {
        /* The 'fixed' in the newer name is about strings with surrogates; over bytes the two are one function. */
        return Hashing.murmur3_32(0).hashBytes(bytes).asInt();
    }

    private void digests() throws Exception {
        XXHashFactory xx = XXHashFactory.safeInstance();
        try (PrintStream out = open("digest.tsv",
                 "# md5, sha1, sha256: java.security; crc32: java.util.zip; hbase_*: org.apache.hadoop.hbase.util with seed 0;",
                 "# guava_murmur3_32: Hashing.murmur3_32(0).hashBytes().asInt() (equal to murmur3_32_fixed over bytes);",
                 "# xxh32, xxh64: net.jpountz.xxhash with seed 0. 32- and 64-bit values are numbers in hex, not byte strings.",
                 "hex\tmd5\tsha1\tsha256\tcrc32\thbase_murmur\thbase_murmur3\thbase_jenkins\tguava_murmur3_32\txxh32\txxh64")) {
            for (byte[] bytes : digestInputs()) {
                CRC32 crc = new CRC32();
                crc.update(bytes);
                line(out, hex(bytes), digest("MD5", bytes), digest("SHA-1", bytes), digest("SHA-256", bytes), hex32((int) crc.getValue()),
                    hex32(hash(Hash.MURMUR_HASH, bytes, 0)), hex32(hash(Hash.MURMUR_HASH3, bytes, 0)),
                    hex32(hash(Hash.JENKINS_HASH, bytes, 0)), hex32(guavaMurmur(bytes)),
                    hex32(xx.hash32().hash(bytes, 0, bytes.length, 0)),
                    String.format("%016x", xx.hash64().hash(bytes, 0, bytes.length, 0)));
            }
        }
    }

    private void bloomHash() throws IOException {
        int[] types = {Hash.JENKINS_HASH, Hash.MURMUR_HASH, Hash.MURMUR_HASH3};
        String[] names = {"jenkins", "murmur", "murmur3"};
        try (PrintStream out = open("bloom_hash.tsv",
                 "# the two hashes of a bloom filter: h1 = hash(key, seed 0), h2 = hash(key, seed h1); id as in the filter's meta block",
                 "type\tid\thex\th1\th2")) {
            for (byte[] bytes : digestInputs()) {
                if (bytes.length == 0 || bytes.length > 64) {
                    continue;
                }
                for (int i = 0; i < types.length; i++) {
                    int h1 = hash(types[i], bytes, 0);
                    line(out, names[i], types[i], hex(bytes), hex32(h1), hex32(hash(types[i], bytes, h1)));
                }
            }
        }
    }

    // ---- numbers ---------------------------------------------------------------------------------------------

    private void numbers() throws IOException {
        Random random = new Random(46);
        try (PrintStream out = open("numbers.tsv",
                 "# Bytes.toBytes of a Java value; value as Short/Integer/Long/Float/Double.toString prints it", "type\tvalue\thex")) {
            for (short v : new short[] {0, 1, -1, 255, 256, Short.MAX_VALUE, Short.MIN_VALUE, (short) random.nextInt()}) {
                line(out, "short", v, hex(Bytes.toBytes(v)));
            }
            for (int v : new int[] {0, 1, -1, 255, 256, 65536, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
                line(out, "int", v, hex(Bytes.toBytes(v)));
            }
            for (long v : new long[] {0, 1, -1, 255, 1L << 32, 1631400000000L, Long.MAX_VALUE, Long.MIN_VALUE}) {
                line(out, "long", v, hex(Bytes.toBytes(v)));
            }
            for (float v : new float[] {0f, -0f, 1f, -1f, 0.1f, Float.MIN_VALUE, Float.MIN_NORMAL, Float.MAX_VALUE, -Float.MAX_VALUE,
                     Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, Float.NaN}) {
                line(out, "float", v, hex(Bytes.toBytes(v)));
            }
            for (double v : new double[] {0d, -0d, 1d, -1d, 0.1, 1d / 3, 1e23, 9007199254740993d, Double.MIN_VALUE, Double.MIN_NORMAL,
                     Double.MAX_VALUE, -Double.MAX_VALUE, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.NaN}) {
                line(out, "double", v, hex(Bytes.toBytes(v)));
            }
            for (int i = 0; i < 60; i++) {
                int small = random.nextInt();
                long large = random.nextLong();
                double real = Double.longBitsToDouble(random.nextLong());
                line(out, "int", small, hex(Bytes.toBytes(small)));
                line(out, "long", large, hex(Bytes.toBytes(large)));
                if (!Double.isNaN(real)) {
                    line(out, "double", real, hex(Bytes.toBytes(real)));
                }
            }
        }
    }

    public static void main(String[] argv) throws Exception {
        if (argv.length != 1) {
            System.err.println("usage: vectors.sh FOLDER");
            System.exit(2);
        }
        Path folder = Path.of(argv[0]);
        Files.createDirectories(folder);
        Vectors vectors = new Vectors(folder);
        vectors.regionSplitter();
        vectors.bytesSplit();
        vectors.toStringBinary();
        vectors.toBytesBinary();
        vectors.javaHash();
        vectors.digests();
        vectors.bloomHash();
        vectors.numbers();
        System.exit(0);
    }
}
