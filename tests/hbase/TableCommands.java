/* SPDX-License-Identifier: Apache-2.0 */
/* The commands that talk to the running server: make, load, read back, compact, describe and drop a table. */
package saltmill.judge;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.NamespaceExistException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.tool.BulkLoadHFilesTool;
import org.apache.hadoop.hbase.tool.LoadIncrementalHFiles;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.util.ToolRunner;

final class TableCommands implements Closeable {
    private static final int GETS_AT_ONCE = 500;
    private static final long COMPACTION_WAIT_MS = 300_000;

    private final Configuration conf;
    private Connection connection;

    TableCommands(Configuration conf) {
        this.conf = conf;
    }

    private Connection connection() throws IOException {
        if (connection == null) {
            connection = ConnectionFactory.createConnection(conf);
        }
        return connection;
    }

    @Override
    public void close() throws IOException {
        if (connection != null) {
            connection.close();
        }
    }

    /* Keys as typed in a splits file or on the command line. Bytes above 0x7E stand for themselves there, as in
     * Bytes.toBytesBinary, so the file is read byte for byte. */
    static List<byte[]> readKeys(String file) throws IOException {
        List<byte[]> keys = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(file), StandardCharsets.ISO_8859_1)) {
            keys.add(Bytes.toBytesBinary(line));
        }
        return keys;
    }

    // ---- ping ------------------------------------------------------------------------------------------------

    void ping(Args args, PrintStream out) throws Exception {
        long started = System.nanoTime();
        long deadline = started + args.number("wait", 10) * 1_000_000_000L;
        long pid = args.number("pid", 0);
        Exception last = null;
        while (System.nanoTime() < deadline) {
            if (pid != 0 && ProcessHandle.of(pid).isEmpty()) {
                throw new Judge.Verdict("the server process " + pid + " has ended");
            }
            try {
                pingOnce();
                long ms = (System.nanoTime() - started) / 1_000_000;
                out.println("HBase " + org.apache.hadoop.hbase.util.VersionInfo.getVersion() + " serves, after " + ms + " ms");
                return;
            } catch (Exception e) {
                last = e;
                Thread.sleep(250);
            }
        }
        throw new Judge.Verdict("no answer in time; last: " + last);
    }

    private void knock(String portName, int fallback) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress("127.0.0.1", conf.getInt(portName, fallback)), 1000);
        }
    }

    /* Ports first: a client made before ZooKeeper listens would sit in its own retries. */
    private void pingOnce() throws Exception {
        knock("hbase.zookeeper.property.clientPort", 2181);
        knock("hbase.master.port", 16000);
        knock("hbase.regionserver.port", 16020);
        Configuration hasty = new Configuration(conf);
        hasty.setInt("hbase.client.retries.number", 2);
        hasty.setInt("hbase.client.operation.timeout", 20000);
        hasty.setInt("zookeeper.recovery.retry", 1);
        TableName table = TableName.valueOf("saltmill_ping");
        try (Connection client = ConnectionFactory.createConnection(hasty); Admin admin = client.getAdmin()) {
            if (!admin.tableExists(table)) {
                admin.createTable(TableDescriptorBuilder.newBuilder(table)
                    .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f")).build());
            }
            if (admin.isTableEnabled(table)) {
                admin.disableTable(table);
            }
            admin.deleteTable(table);
        }
    }

    // ---- create, drop ----------------------------------------------------------------------------------------

    /* NAME[:COMPRESSION[:BLOOM[:VERSIONS[:ENCODING[:TTL]]]]], the TTL in seconds */
    static ColumnFamilyDescriptor family(String text) {
        String[] part = text.split(":");
        ColumnFamilyDescriptorBuilder family = ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytesBinary(part[0]));
        if (part.length > 1) {
            family.setCompressionType(Compression.Algorithm.valueOf(part[1]));
        }
        if (part.length > 2) {
            family.setBloomFilterType(BloomType.valueOf(part[2]));
        }
        if (part.length > 3) {
            family.setMaxVersions(Integer.parseInt(part[3]));
        }
        if (part.length > 4) {
            family.setDataBlockEncoding(DataBlockEncoding.valueOf(part[4]));
        }
        if (part.length > 5) {
            family.setTimeToLive(Integer.parseInt(part[5]));
        }
        return family.build();
    }

    void create(Args args, PrintStream out) throws Exception {
        TableName name = TableName.valueOf(args.word(0, "TABLE"));
        TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(name).setSplitEnabled(false);
        if (args.all("family").isEmpty()) {
            throw new Args.UsageException("--family is missing");
        }
        for (String text : args.all("family")) {
            table.setColumnFamily(family(text));
        }
        String file = args.get("splits", null);
        byte[][] splits = file == null ? new byte[0][] : readKeys(file).toArray(new byte[0][]);
        try (Admin admin = connection().getAdmin()) {
            if (!name.getNamespaceAsString().equals(NamespaceDescriptor.DEFAULT_NAMESPACE_NAME_STR)) {
                makeNamespace(admin, name.getNamespaceAsString());
            }
            /* HBase refuses an empty array. */
            if (splits.length == 0) {
                admin.createTable(table.build());
            } else {
                admin.createTable(table.build(), splits);
            }
        }
        out.println("regions\t" + (splits.length + 1));
    }

    private static void makeNamespace(Admin admin, String namespace) throws IOException {
        try {
            admin.createNamespace(NamespaceDescriptor.create(namespace).build());
        } catch (NamespaceExistException ignored) {
            /* another table made it */
        }
    }

    void drop(Args args, PrintStream out) throws Exception {
        TableName name = TableName.valueOf(args.word(0, "TABLE"));
        try (Admin admin = connection().getAdmin()) {
            if (admin.isTableEnabled(name)) {
                admin.disableTable(name);
            }
            admin.deleteTable(name);
        }
    }

    // ---- load ------------------------------------------------------------------------------------------------

    /* The stock tool, made to tell how many files it loaded. */
    private static final class CountingLoader extends BulkLoadHFilesTool {
        int files;

        CountingLoader(Configuration conf) {
            super(conf);
        }

        @Override
        public Map<LoadIncrementalHFiles.LoadQueueItem, ByteBuffer> run(String dir, TableName table) throws IOException {
            Map<LoadIncrementalHFiles.LoadQueueItem, ByteBuffer> loaded = super.run(dir, table);
            files = loaded.size();
            return loaded;
        }
    }

    void load(Args args, PrintStream out) throws Exception {
        String dir = Path.of(args.word(0, "DIR")).toAbsolutePath().toUri().toString();
        CountingLoader loader = new CountingLoader(new Configuration(conf));
        String[] argv = {"-Dcreate.table=no", "-Dalways.copy.files=true",
            "-Dhbase.loadincremental.fail.if.need.split.hfile=true", dir, args.word(1, "TABLE")};
        int status = ToolRunner.run(loader.getConf(), loader, argv);
        out.println("files\t" + loader.files);
        out.println("rc\t" + status);
        if (status != 0) {
            throw new Judge.Verdict("BulkLoadHFilesTool returned " + status);
        }
    }

    // ---- reading back ----------------------------------------------------------------------------------------

    private static Scan scanOf(Args args) throws IOException {
        Scan scan = new Scan().setCaching(5000).setMaxResultSize(8L << 20).setAllowPartialResults(true)
            .setCacheBlocks(false).setReversed(args.has("reverse")).setRaw(args.has("raw"));
        if (args.has("versions")) {
            scan.readAllVersions();
        }
        if (args.has("start")) {
            scan.withStartRow(Bytes.toBytesBinary(args.get("start", "")));
        }
        if (args.has("stop")) {
            scan.withStopRow(Bytes.toBytesBinary(args.get("stop", "")));
        }
        for (String family : args.all("family")) {
            scan.addFamily(Bytes.toBytesBinary(family));
        }
        if (args.has("min-time") || args.has("max-time")) {
            scan.setTimeRange(args.number("min-time", 0), args.number("max-time", Long.MAX_VALUE));
        }
        return scan;
    }

    private void scan(Args args, PrintStream out, boolean hash) throws Exception {
        long limit = args.number("limit", Long.MAX_VALUE);
        CellText text = new CellText(out, hash);
        try (Table table = connection().getTable(TableName.valueOf(args.word(0, "TABLE")));
             ResultScanner scanner = table.getScanner(scanOf(args))) {
            read:
            for (Result result : scanner) {
                for (Cell cell : result.rawCells()) {
                    if (text.rows() == limit && text.startsRow(cell)) {
                        break read;
                    }
                    text.add(cell);
                }
            }
        }
        text.finish();
    }

    void scan(Args args, PrintStream out) throws Exception {
        scan(args, out, args.has("hash"));
    }

    void scanhash(Args args, PrintStream out) throws Exception {
        scan(args, out, true);
    }

    void gets(Args args, PrintStream out) throws Exception {
        List<byte[]> rows = readKeys(args.word(1, "FILE"));
        try (Table table = connection().getTable(TableName.valueOf(args.word(0, "TABLE")))) {
            for (int from = 0; from < rows.size(); from += GETS_AT_ONCE) {
                List<byte[]> some = rows.subList(from, Math.min(rows.size(), from + GETS_AT_ONCE));
                List<Get> gets = new ArrayList<>();
                for (byte[] row : some) {
                    gets.add(new Get(row).readAllVersions());
                }
                Result[] results = table.get(gets);
                for (int i = 0; i < results.length; i++) {
                    out.println(CellText.escape(some.get(i)) + '\t' + (results[i].isEmpty() ? "absent" : "present") + '\t'
                        + results[i].size());
                }
            }
        }
    }

    private static String decode(byte[] value, String type) {
        switch (type) {
            case "int":
                return Integer.toString(Bytes.toInt(value));
            case "long":
                return Long.toString(Bytes.toLong(value));
            case "double":
                return Double.toString(Bytes.toDouble(value));
            case "float":
                return Float.toString(Bytes.toFloat(value));
            case "short":
                return Short.toString(Bytes.toShort(value));
            case "text":
                return Bytes.toString(value);
            case "bytes":
                return CellText.escape(value);
            default:
                throw new Args.UsageException("unknown type " + type);
        }
    }

    void value(Args args, PrintStream out) throws Exception {
        byte[] row = Bytes.toBytesBinary(args.word(1, "ROW"));
        byte[] family = Bytes.toBytesBinary(args.word(2, "FAMILY"));
        byte[] qualifier = Bytes.toBytesBinary(args.word(3, "QUALIFIER"));
        try (Table table = connection().getTable(TableName.valueOf(args.word(0, "TABLE")))) {
            byte[] value = table.get(new Get(row).addColumn(family, qualifier)).getValue(family, qualifier);
            if (value == null) {
                throw new Judge.Verdict("no such cell");
            }
            out.println(decode(value, args.word(4, "TYPE")));
        }
    }

    void increment(Args args, PrintStream out) throws Exception {
        long amount = args.words.size() > 4 ? Long.parseLong(args.word(4, "AMOUNT")) : 1;
        try (Table table = connection().getTable(TableName.valueOf(args.word(0, "TABLE")))) {
            out.println(table.incrementColumnValue(Bytes.toBytesBinary(args.word(1, "ROW")),
                Bytes.toBytesBinary(args.word(2, "FAMILY")), Bytes.toBytesBinary(args.word(3, "QUALIFIER")), amount));
        }
    }

    /* What deleteall does in the shell: one marker a family, with the server's time. */
    void delete(Args args, PrintStream out) throws Exception {
        try (Table table = connection().getTable(TableName.valueOf(args.word(0, "TABLE")))) {
            table.delete(new Delete(Bytes.toBytesBinary(args.word(1, "ROW"))));
        }
    }

    // ---- regions and their files -----------------------------------------------------------------------------

    private static final class StoreFile {
        final byte[] regionStart;
        final String family;
        final FileStatus status;

        StoreFile(byte[] regionStart, String family, FileStatus status) {
            this.regionStart = regionStart;
            this.family = family;
            this.status = status;
        }
    }

    private interface StoreVisitor {
        void visit(RegionInfo region, String family, List<StoreFile> files) throws Exception;
    }

    private static List<StoreFile> storeFilesOf(FileSystem fs, org.apache.hadoop.fs.Path folder, byte[] start)
        throws IOException {
        List<StoreFile> files = new ArrayList<>();
        if (fs.exists(folder)) {
            for (FileStatus status : fs.listStatus(folder)) {
                String name = status.getPath().getName();
                if (status.isFile() && !name.startsWith(".") && !name.startsWith("_")) {
                    files.add(new StoreFile(start, folder.getName(), status));
                }
            }
        }
        return files;
    }

    private void visitStores(TableName name, StoreVisitor visitor) throws Exception {
        org.apache.hadoop.fs.Path root = CommonFSUtils.getRootDir(conf);
        FileSystem fs = root.getFileSystem(conf);
        org.apache.hadoop.fs.Path folder = CommonFSUtils.getTableDir(root, name);
        try (Admin admin = connection().getAdmin()) {
            List<RegionInfo> regions = new ArrayList<>(admin.getRegions(name));
            regions.sort(RegionInfo.COMPARATOR);
            for (RegionInfo region : regions) {
                for (ColumnFamilyDescriptor family : admin.getDescriptor(name).getColumnFamilies()) {
                    org.apache.hadoop.fs.Path store = new org.apache.hadoop.fs.Path(
                        new org.apache.hadoop.fs.Path(folder, region.getEncodedName()), family.getNameAsString());
                    visitor.visit(region, family.getNameAsString(), storeFilesOf(fs, store, region.getStartKey()));
                }
            }
        }
    }

    void regions(Args args, PrintStream out) throws Exception {
        visitStores(TableName.valueOf(args.word(0, "TABLE")), (region, family, files) -> {
            long bytes = 0;
            for (StoreFile file : files) {
                bytes += file.status.getLen();
            }
            out.println(CellText.escape(region.getStartKey()) + '\t' + family + '\t' + files.size() + '\t' + bytes);
        });
    }

    private String sha256(FileStatus status) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        byte[] buffer = new byte[1 << 16];
        try (InputStream in = status.getPath().getFileSystem(conf).open(status.getPath())) {
            for (int n; (n = in.read(buffer)) > 0;) {
                digest.update(buffer, 0, n);
            }
        }
        return Bytes.toHex(digest.digest());
    }

    /* With the hash of each file: a load that split nothing leaves files equal to those handed in. */
    void storefiles(Args args, PrintStream out) throws Exception {
        visitStores(TableName.valueOf(args.word(0, "TABLE")), (region, family, files) -> {
            for (StoreFile file : files) {
                out.println(CellText.escape(file.regionStart) + '\t' + file.family + '\t' + file.status.getPath().getName()
                    + '\t' + file.status.getLen() + '\t' + sha256(file.status));
            }
        });
    }

    private Set<String> filePaths(TableName name) throws Exception {
        Set<String> paths = new HashSet<>();
        visitStores(name, (region, family, files) -> files.forEach(f -> paths.add(f.status.getPath().toString())));
        return paths;
    }

    /* Done when no file from before is left and no store holds two: the state alone says NONE before it starts. */
    void compact(Args args, PrintStream out) throws Exception {
        TableName name = TableName.valueOf(args.word(0, "TABLE"));
        try (Admin admin = connection().getAdmin()) {
            admin.flush(name);
            Set<String> before = filePaths(name);
            admin.majorCompact(name);
            long deadline = System.currentTimeMillis() + COMPACTION_WAIT_MS;
            Set<String> left = new HashSet<>(before);
            while (!left.isEmpty() || admin.getCompactionState(name) != CompactionState.NONE) {
                if (System.currentTimeMillis() > deadline) {
                    throw new Judge.Verdict(left.size() + " of " + before.size() + " files are still there");
                }
                Thread.sleep(200);
                left.retainAll(filePaths(name));
            }
            Map<String, Integer> counts = new TreeMap<>();
            counts.put("before", before.size());
            counts.put("after", filePaths(name).size());
            counts.forEach((key, count) -> out.println(key + '\t' + count));
        }
    }
}
