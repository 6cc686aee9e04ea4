/* SPDX-License-Identifier: Apache-2.0 */

import java.util.stream.IntStream;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.RegionSplitter;

/**
 * What HBase's RegionSplitter cuts, for region_splits.tsv: algorithm, regions, number of the key from 0,
 * key as Bytes.toStringBinary prints it. Of many regions only some keys.
 *
 * <p>java -cp (the jars of tests/hbase/pom.xml) MakeRegionSplits.java > region_splits.tsv
 */
public final class MakeRegionSplits {
    private static final int[] WHOLE = {2, 3, 4, 5, 7, 10, 15, 16, 17, 32, 100};
    private static final int[] SAMPLED = {257, 300, 1000, 4096, 65537, 1000000};

    private MakeRegionSplits() {}

    private static void print(RegionSplitter.SplitAlgorithm algorithm, int regions, int step) {
        byte[][] keys = algorithm.split(regions);
        String name = algorithm.getClass().getSimpleName();
        IntStream.range(0, keys.length)
                .filter(i -> i % step == 0 || i == keys.length - 1)
                .forEach(i -> System.out.println(
                        name + "\t" + regions + "\t" + i + "\t" + Bytes.toStringBinary(keys[i])));
    }

    private static void printAll(RegionSplitter.SplitAlgorithm algorithm) {
        for (int regions : WHOLE) {
            print(algorithm, regions, 1);
        }
        for (int regions : SAMPLED) {
            print(algorithm, regions, regions / 7);
        }
    }

    public static void main(String[] args) {
        printAll(new RegionSplitter.HexStringSplit());
        printAll(new RegionSplitter.DecimalStringSplit());
        printAll(new RegionSplitter.UniformSplit());
    }
}
