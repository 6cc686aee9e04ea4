/* SPDX-License-Identifier: Apache-2.0 */
/* HFiles made by HBase itself, one per region and family, to prove the judge before it judges ours. The cells
 * follow from their number alone, and can be written down as text without HBase having touched them. */
package saltmill.judge;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.mapreduce.HFileOutputFormat2;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;

final class MakeHFiles {
    private static final long BASE_MS = 1_631_400_000_000L;
    private static final String[] QUALIFIERS = {"b", "d"};

    private final Configuration conf;

    MakeHFiles(Configuration conf) {
        this.conf = conf;
    }

    /* Row i: three digits of salt, a caller, and a big-endian count-down that has 0x00, 0x5C and 0xFF bytes. */
    private static byte[] row(long i, long salts) {
        String head = String.format(Locale.ROOT, "%03d138%08d", i * 7919 % salts, i);
        return Bytes.add(Bytes.toBytes(head), Bytes.toBytes(Long.MAX_VALUE - BASE_MS - i * 997));
    }

    private static byte[] value(long i, int qualifier) {
        return qualifier == 0 ? ("139" + i * 31).getBytes(StandardCharsets.US_ASCII) : Bytes.toBytes((int) (i * 2_654_435_761L));
    }

    /* Which region: the number of split points not above the row. */
    private static int region(List<byte[]> splits, byte[] row) {
        int at = 0;
        while (at < splits.size() && Bytes.compareTo(splits.get(at), row) <= 0) {
            at++;
        }
        return at;
    }

    private Configuration writerConf(Path out, List<ColumnFamilyDescriptor> families, long blockSize) {
        Configuration c = new Configuration(conf);
        List<String> compression = new ArrayList<>();
        List<String> bloom = new ArrayList<>();
        List<String> block = new ArrayList<>();
        for (ColumnFamilyDescriptor family : families) {
            String key = "t%3B" + family.getNameAsString() + "=";
            compression.add(key + family.getCompressionType().getName());
            bloom.add(key + family.getBloomFilterType());
            block.add(key + blockSize);
        }
        c.set("mapreduce.output.fileoutputformat.outputdir", out.toUri().toString());
        c.set("hbase.mapreduce.hfileoutputformat.table.name", "t");
        c.setBoolean("hbase.bulkload.locality.sensitive.enabled", false);
        c.set("hbase.hfileoutputformat.families.compression", String.join("&", compression));
        c.set("hbase.hfileoutputformat.families.bloomtype", String.join("&", bloom));
        c.set("hbase.mapreduce.hfileoutputformat.blocksize", String.join("&", block));
        c.set("fs.file.impl", "org.apache.hadoop.fs.RawLocalFileSystem");
        c.setBoolean("fs.file.impl.disable.cache", true);
        return c;
    }

    private static void moveFamilies(Path from, Path to) throws IOException {
        List<Path> found;
        try (var walk = Files.walk(from)) {
            found = walk.filter(Files::isRegularFile).filter(p -> !p.getFileName().toString().startsWith(".")).toList();
        }
        for (Path file : found) {
            Path folder = to.resolve(file.getParent().getFileName());
            Files.createDirectories(folder);
            Files.move(file, folder.resolve(file.getFileName()));
        }
        try (var walk = Files.walk(from)) {
            walk.sorted(java.util.Comparator.reverseOrder()).forEach(p -> p.toFile().delete());
        }
    }

    private static Cell cell(byte[] row, byte[] family, long i, int qualifier) {
        return new KeyValue(row, family, Bytes.toBytes(QUALIFIERS[qualifier]), BASE_MS + i, KeyValue.Type.Put, value(i, qualifier));
    }

    private static void expectRow(PrintStream expect, byte[] row, List<ColumnFamilyDescriptor> families, long i) {
        for (ColumnFamilyDescriptor family : families) {
            for (int q = 0; q < QUALIFIERS.length; q++) {
                expect.print(CellText.escape(row) + '\t' + family.getNameAsString() + '\t' + QUALIFIERS[q] + '\t' + (BASE_MS + i)
                    + "\tPut\t" + CellText.escape(value(i, q)) + '\n');
            }
        }
    }

    private void writeRegion(Path out, Configuration c, TreeMap<byte[], Long> rows, List<ColumnFamilyDescriptor> families,
        int number) throws Exception {
        Path partial = out.resolve("_region" + number);
        c.set("mapreduce.output.fileoutputformat.outputdir", partial.toUri().toString());
        TaskAttemptContext task = new TaskAttemptContextImpl(c,
            TaskAttemptID.forName(String.format(Locale.ROOT, "attempt_202109120000_0001_r_%06d_0", number)));
        RecordWriter<ImmutableBytesWritable, Cell> writer = new HFileOutputFormat2().getRecordWriter(task);
        for (var entry : rows.entrySet()) {
            for (ColumnFamilyDescriptor family : families) {
                for (int q = 0; q < QUALIFIERS.length; q++) {
                    writer.write(new ImmutableBytesWritable(entry.getKey()), cell(entry.getKey(), family.getName(), entry.getValue(), q));
                }
            }
        }
        writer.close(task);
        moveFamilies(partial, out);
    }

    void make(Args args, PrintStream out) throws Exception {
        Path folder = Path.of(args.word(0, "DIR")).toAbsolutePath();
        List<byte[]> splits = args.has("splits") ? TableCommands.readKeys(args.get("splits", "")) : List.of();
        List<ColumnFamilyDescriptor> families = new ArrayList<>();
        for (String text : args.all("family")) {
            families.add(TableCommands.family(text));
        }
        families.sort((a, b) -> Bytes.compareTo(a.getName(), b.getName()));
        long salts = args.number("salts", 300);
        long rows = args.number("rows", 1000);
        List<TreeMap<byte[], Long>> regions = new ArrayList<>();
        for (int i = 0; i <= splits.size(); i++) {
            regions.add(new TreeMap<>(Bytes.BYTES_COMPARATOR));
        }
        for (long i = 0; i < rows; i++) {
            byte[] row = row(i, salts);
            regions.get(region(splits, row)).put(row, i);
        }
        Files.createDirectories(folder);
        Configuration c = writerConf(folder, families, args.number("block-size", 65536));
        for (int i = 0; i < regions.size(); i++) {
            if (!regions.get(i).isEmpty()) {
                writeRegion(folder, c, regions.get(i), families, i);
            }
        }
        if (args.has("expect")) {
            try (PrintStream expect = Judge.buffered(new FileOutputStream(args.get("expect", "")))) {
                regions.forEach(region -> region.forEach((row, i) -> expectRow(expect, row, families, i)));
            }
        }
        out.println("regions\t" + regions.stream().filter(r -> !r.isEmpty()).count());
    }
}
