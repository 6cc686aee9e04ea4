/* SPDX-License-Identifier: Apache-2.0 */
/* Stands in for Hadoop's ZStandardCodec, which wants a native library: a block is one plain zstd stream, without the
 * lengths that HBase's own codec puts before it. Reads only. Named in hbase.io.compress.zstd.codec by a test. */
package saltmill.judge;

import com.github.luben.zstd.ZstdInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionInputStream;
import org.apache.hadoop.io.compress.CompressionOutputStream;
import org.apache.hadoop.io.compress.Compressor;
import org.apache.hadoop.io.compress.Decompressor;

public final class PlainZstd extends Configured implements CompressionCodec {
    private static final class Plain extends CompressionInputStream {
        private final InputStream text;

        Plain(InputStream in) throws IOException {
            super(in);
            text = new ZstdInputStream(in);
        }

        @Override
        public int read(byte[] to, int offset, int length) throws IOException {
            return text.read(to, offset, length);
        }

        @Override
        public int read() throws IOException {
            return text.read();
        }

        @Override
        public void resetState() {
            throw new UnsupportedOperationException();
        }
    }

    @Override
    public CompressionInputStream createInputStream(InputStream in) throws IOException {
        return new Plain(in);
    }

    @Override
    public CompressionInputStream createInputStream(InputStream in, Decompressor unused) throws IOException {
        return new Plain(in);
    }

    @Override
    public Class<? extends Decompressor> getDecompressorType() {
        return null;
    }

    @Override
    public Decompressor createDecompressor() {
        return null;
    }

    @Override
    public CompressionOutputStream createOutputStream(OutputStream out) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompressionOutputStream createOutputStream(OutputStream out, Compressor unused) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Class<? extends Compressor> getCompressorType() {
        return null;
    }

    @Override
    public Compressor createCompressor() {
        return null;
    }

    @Override
    public String getDefaultExtension() {
        return ".zst";
    }
}
