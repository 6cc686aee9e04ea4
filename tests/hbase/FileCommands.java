/* SPDX-License-Identifier: Apache-2.0 */
/* The commands that judge single HFiles with HBase's own reader; no server is needed. */
package saltmill.judge;

import java.io.ByteArrayOutputStream;
import java.io.DataInput;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.fs.HFileSystem;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.BlockCacheFactory;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFilePrettyPrinter;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.util.BloomFilter;
import org.apache.hadoop.hbase.util.BloomFilterFactory;
import org.apache.hadoop.hbase.util.Bytes;

final class FileCommands {
    private final Configuration conf;

    FileCommands(Configuration conf) {
        this.conf = conf;
    }

    private static org.apache.hadoop.fs.Path pathOf(String file) {
        return new org.apache.hadoop.fs.Path(Path.of(file).toAbsolutePath().toUri());
    }

    /* As a region server opens it. HBase verifies its own block checksums only through an HFileSystem made with that
     * wish; over any other file system, as in HBase's command line tools, they are skipped in silence. */
    private HFile.Reader open(String file, CacheConfig cache) throws IOException {
        return HFile.createReader(new HFileSystem(conf, true), pathOf(file), cache, true, conf);
    }

    /* A block whose checksum is wrong is read again without one, trusting the file system: what decompresses is then
     * taken as good, with nothing but a counter to show for it. For us it is a damaged file. */
    private static void noChecksumFailures(String file) throws Judge.Verdict {
        long failures = HFile.getAndResetChecksumFailuresCount();
        if (failures > 0) {
            throw new Judge.Verdict(file + ": " + failures + " wrong block checksums");
        }
    }

    // ---- cells -----------------------------------------------------------------------------------------------

    void cells(Args args, PrintStream out) throws Exception {
        CellText text = new CellText(out, args.has("hash"));
        HFile.getAndResetChecksumFailuresCount();
        try (HFile.Reader reader = open(args.word(0, "FILE"), CacheConfig.DISABLED);
             HFileScanner scanner = reader.getScanner(conf, false, false)) {
            for (boolean more = scanner.seekTo(); more; more = scanner.next()) {
                text.add(scanner.getCell());
            }
        }
        text.finish();
        noChecksumFailures(args.word(0, "FILE"));
    }

    // ---- pretty ----------------------------------------------------------------------------------------------

    /* -k only prints what it finds, and the status stays 0: the words are the verdict. The check for the family
     * against the folder's name comes with it. As the printer verifies no checksum, a scan that does follows. */
    void pretty(Args args, PrintStream out) throws Exception {
        args.word(0, "FILE");
        List<String> wrong = new ArrayList<>();
        for (String file : args.words) {
            HFile.getAndResetChecksumFailuresCount();
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            PrintStream both = new PrintStream(bytes, true, StandardCharsets.UTF_8);
            HFilePrettyPrinter printer = new HFilePrettyPrinter(new Configuration(conf));
            printer.setPrintStreams(both, both);
            int status = printer.run(new String[] {"-k", "-m", "-v", "-f", pathOf(file).toString()});
            String text = bytes.toString(StandardCharsets.UTF_8);
            out.print(text);
            if (status != 0) {
                wrong.add(file + ": status " + status);
            } else if (text.contains("WARNING") || text.contains("ERROR")) {
                wrong.add(file + ": " + text.lines().filter(l -> l.contains("WARNING") || l.contains("ERROR")).findFirst().get());
            } else if (!text.contains("Scanned kv count -> " + entriesOf(file) + System.lineSeparator())) {
                wrong.add(file + ": the count scanned isn't the trailer's");
            }
            noChecksumFailures(file);
        }
        if (!wrong.isEmpty()) {
            throw new Judge.Verdict(String.join("; ", wrong));
        }
    }

    private long entriesOf(String file) throws IOException {
        try (HFile.Reader reader = open(file, CacheConfig.DISABLED);
             HFileScanner scanner = reader.getScanner(conf, false, false)) {
            for (boolean more = scanner.seekTo(); more; more = scanner.next()) {
                scanner.getKey();
            }
            return reader.getEntries();
        }
    }

    // ---- reverse ---------------------------------------------------------------------------------------------

    /* Two neighbouring cells: seeking before the second must find the first. */
    private static final class Neighbours {
        final Cell first;
        final Cell second;

        Neighbours(Cell first, Cell second) {
            this.first = first;
            this.second = second;
        }
    }

    /* One file: a walk forward that checks order, count and bloom filter and notes neighbours (all those across a
     * block border, a sample of the rest), then a seekBefore, next and seekTo for each. */
    private final class Walk {
        final HFile.Reader reader;
        final String file;
        final long stride;
        final CellComparator comparator;
        final BloomFilter bloom;
        final BloomType bloomType;
        final List<Neighbours> noted = new ArrayList<>();
        Cell firstKey;
        long cells;
        long blocks;
        long rows;
        long equalKeys;
        long bloomLies;

        Walk(HFile.Reader reader, String file, long samples) throws IOException {
            this.reader = reader;
            this.file = file;
            this.stride = Math.max(1, reader.getEntries() / Math.max(1, samples));
            this.comparator = reader.getComparator();
            DataInput meta = reader.getGeneralBloomFilterMetadata();
            this.bloom = meta == null ? null : BloomFilterFactory.createFromMeta(meta, reader);
            byte[] type = reader.getHFileInfo().get(HStoreFile.BLOOM_FILTER_TYPE_KEY);
            this.bloomType = type == null ? BloomType.NONE : BloomType.valueOf(Bytes.toString(type));
        }

        boolean bloomHas(Cell cell) {
            switch (bloomType) {
                case ROW:
                    byte[] row = CellUtil.cloneRow(cell);
                    return bloom.contains(row, 0, row.length, null);
                case ROWCOL:
                    return bloom.contains(PrivateCellUtil.createFirstOnRowCol(cell), null, BloomType.ROWCOL);
                default:
                    return true;
            }
        }

        void forward() throws Exception {
            Object block = null;
            Cell previous = null;
            try (HFileScanner scanner = reader.getScanner(conf, true, true)) {
                Field blockField = blockField(scanner.getClass());
                for (boolean more = scanner.seekTo(); more; more = scanner.next()) {
                    Cell key = KeyValueUtil.toNewKeyCell(scanner.getCell());
                    Object now = blockField.get(scanner);
                    boolean border = now != block;
                    blocks += border ? 1 : 0;
                    block = now;
                    if (previous == null) {
                        firstKey = key;
                    } else {
                        compare(previous, key);
                        if (border || cells % stride == 0) {
                            noted.add(new Neighbours(previous, key));
                        }
                    }
                    visit(previous, key);
                    previous = key;
                    cells++;
                }
            }
            ends(previous);
        }

        void visit(Cell previous, Cell key) {
            boolean newRow = previous == null || !CellUtil.matchingRows(previous, key);
            rows += newRow ? 1 : 0;
            if (bloom != null && (newRow || bloomType == BloomType.ROWCOL) && !bloomHas(key)) {
                bloomLies++;
            }
        }

        void compare(Cell previous, Cell key) throws Judge.Verdict {
            int order = comparator.compare(previous, key);
            if (order > 0) {
                throw new Judge.Verdict(file + ": " + previous + " stands before " + key);
            }
            equalKeys += order == 0 ? 1 : 0;
        }

        void ends(Cell last) throws Judge.Verdict {
            if (cells != reader.getEntries()) {
                throw new Judge.Verdict(file + ": " + cells + " cells, the trailer says " + reader.getEntries());
            }
            if (cells == 0) {
                return;
            }
            if (comparator.compare(firstKey, reader.getFirstKey().get()) != 0) {
                throw new Judge.Verdict(file + ": first key " + firstKey + ", the index says " + reader.getFirstKey().get());
            }
            if (comparator.compare(last, reader.getLastKey().get()) != 0) {
                throw new Judge.Verdict(file + ": last key " + last + ", the file info says " + reader.getLastKey().get());
            }
            if (bloomLies > 0) {
                throw new Judge.Verdict(file + ": the bloom filter denies " + bloomLies + " keys that are there");
            }
        }

        void backward() throws Exception {
            try (HFileScanner scanner = reader.getScanner(conf, true, true)) {
                if (cells > 0 && scanner.seekBefore(firstKey)) {
                    throw new Judge.Verdict(file + ": something stands before the first key: " + scanner.getKey());
                }
                for (int i = noted.size() - 1; i >= 0; i--) {
                    check(scanner, noted.get(i));
                }
            }
        }

        void check(HFileScanner scanner, Neighbours pair) throws Exception {
            if (comparator.compare(pair.first, pair.second) == 0) {
                return;
            }
            if (!scanner.seekBefore(pair.second) || comparator.compare(scanner.getKey(), pair.first) != 0) {
                throw new Judge.Verdict(file + ": before " + pair.second + " should be " + pair.first + ", found "
                    + (scanner.isSeeked() ? scanner.getKey() : "nothing"));
            }
            if (!scanner.next() || comparator.compare(scanner.getKey(), pair.second) != 0) {
                throw new Judge.Verdict(file + ": after " + pair.first + " should be " + pair.second);
            }
            if (scanner.seekTo(pair.second) != 0 || comparator.compare(scanner.getKey(), pair.second) != 0) {
                throw new Judge.Verdict(file + ": " + pair.second + " isn't found by seekTo");
            }
        }

        /* How many of 1,000 rows that aren't there the filter admits. */
        String falsePositives() {
            if (bloom == null || bloomType != BloomType.ROW) {
                return "-";
            }
            int admitted = 0;
            for (int i = 0; i < 1000; i++) {
                byte[] absent = Bytes.add(CellUtil.cloneRow(firstKey), Bytes.toBytes("~absent" + i));
                admitted += bloom.contains(absent, 0, absent.length, null) ? 1 : 0;
            }
            return admitted + "/1000";
        }

        void report(PrintStream out) {
            out.println(file + "\tcells " + cells + "\trows " + rows + "\tblocks " + blocks + "\tindex_levels "
                + reader.getTrailer().getNumDataIndexLevels() + "\tpairs " + noted.size() + "\tequal_keys " + equalKeys
                + "\tbloom " + (bloom == null ? "NONE" : bloomType) + "\tfalse_positives " + falsePositives());
        }
    }

    /* The scanner keeps its block to itself; its identity is all we need. */
    private static Field blockField(Class<?> scanner) throws NoSuchFieldException {
        for (Class<?> type = scanner; type != null; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (field.getName().equals("curBlock")) {
                    field.setAccessible(true);
                    return field;
                }
            }
        }
        throw new NoSuchFieldException("curBlock");
    }

    void reverse(Args args, PrintStream out) throws Exception {
        args.word(0, "FILE");
        for (String file : args.words) {
            /* The cache knows files by their bare name, so each file gets a new one. */
            HFile.getAndResetChecksumFailuresCount();
            BlockCache cache = BlockCacheFactory.createBlockCache(conf);
            try (HFile.Reader reader = open(file, new CacheConfig(conf, cache))) {
                Walk walk = new Walk(reader, new File(file).getPath(), args.number("samples", 1000));
                walk.forward();
                walk.backward();
                walk.report(out);
                noChecksumFailures(file);
            } finally {
                cache.shutdown();
            }
        }
    }
}
