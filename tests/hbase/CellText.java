/* SPDX-License-Identifier: Apache-2.0 */
/* How the judge writes a cell: row, family, qualifier, timestamp, type, value, tab-separated, byte strings as
 * Bytes.toStringBinary prints them. A sink either prints the lines or hashes them. */
package saltmill.judge;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.util.Bytes;

final class CellText {
    /* toStringBinary works byte by byte but formats each escape anew; a table of its own answers is equal and fast. */
    private static final String[] PRINTED = new String[256];

    static {
        for (int i = 0; i < 256; i++) {
            PRINTED[i] = Bytes.toStringBinary(new byte[] {(byte) i});
        }
    }

    private final PrintStream out;
    private final MessageDigest digest;
    private final StringBuilder line = new StringBuilder();
    private long rows;
    private long cells;
    private Cell previous;

    CellText(PrintStream out, boolean hash) throws NoSuchAlgorithmException {
        this.out = out;
        this.digest = hash ? MessageDigest.getInstance("SHA-256") : null;
    }

    static void escape(StringBuilder to, byte[] bytes, int offset, int length) {
        for (int i = offset; i < offset + length; i++) {
            to.append(PRINTED[bytes[i] & 0xff]);
        }
    }

    static String escape(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        escape(text, bytes, 0, bytes.length);
        return text.toString();
    }

    /* True if the cell starts a row other than the one before it. */
    boolean startsRow(Cell cell) {
        return previous == null || !CellUtil.matchingRows(previous, cell);
    }

    void add(Cell cell) {
        if (startsRow(cell)) {
            rows++;
        }
        previous = cell;
        cells++;
        line.setLength(0);
        escape(line, cell.getRowArray(), cell.getRowOffset(), cell.getRowLength());
        line.append('\t');
        escape(line, cell.getFamilyArray(), cell.getFamilyOffset(), cell.getFamilyLength());
        line.append('\t');
        escape(line, cell.getQualifierArray(), cell.getQualifierOffset(), cell.getQualifierLength());
        line.append('\t').append(cell.getTimestamp()).append('\t').append(cell.getType().name()).append('\t');
        escape(line, cell.getValueArray(), cell.getValueOffset(), cell.getValueLength());
        line.append('\n');
        if (digest == null) {
            out.print(line);
        } else {
            digest.update(line.toString().getBytes(StandardCharsets.US_ASCII));
        }
    }

    long rows() {
        return rows;
    }

    /* For a hashing sink: the three result lines. A printing one has said everything. */
    void finish() {
        if (digest != null) {
            out.println("rows\t" + rows);
            out.println("cells\t" + cells);
            out.println("sha256\t" + Bytes.toHex(digest.digest()));
        }
    }
}
