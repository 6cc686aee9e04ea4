/* SPDX-License-Identifier: Apache-2.0 */
/* The judge's command line: one command per process, or many through 'batch'. What a command does lives in
 * TableCommands (needs the server), FileCommands and MakeHFiles (need only files). */
package saltmill.judge;

import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;

public final class Judge {
    /* A command that worked and found what it judges to be wrong. */
    static final class Verdict extends Exception {
        Verdict(String message) {
            super(message);
        }
    }

    interface Command {
        void run(Args args, PrintStream out) throws Exception;
    }

    private static final class Entry {
        final String usage;
        final Command command;

        Entry(String usage, Command command) {
            this.usage = usage;
            this.command = command;
        }
    }

    static final int OK = 0;
    static final int FAILED = 1;
    static final int USAGE = 2;

    private final Map<String, Entry> commands = new LinkedHashMap<>();
    private final TableCommands tables;

    private Judge(Configuration conf) {
        tables = new TableCommands(conf);
        FileCommands files = new FileCommands(conf);
        MakeHFiles make = new MakeHFiles(conf);
        add("ping", "[--wait SECONDS] [--pid PID]", tables::ping);
        add("create", "TABLE [--splits FILE] --family NAME[:COMPRESSION[:BLOOM[:VERSIONS[:ENCODING[:TTL]]]]] ...",
            tables::create);
        add("load", "DIR TABLE", tables::load);
        add("scan", "TABLE [--reverse] [--versions] [--raw] [--hash] [--start ESC] [--stop ESC] [--family F] "
            + "[--min-time MS] [--max-time MS] [--limit ROWS]", tables::scan);
        add("scanhash", "TABLE, as scan --hash", tables::scanhash);
        add("gets", "TABLE FILE", tables::gets);
        add("value", "TABLE ROW FAMILY QUALIFIER int|long|double|float|short|text|bytes", tables::value);
        add("increment", "TABLE ROW FAMILY QUALIFIER [AMOUNT]", tables::increment);
        add("delete", "TABLE ROW", tables::delete);
        add("compact", "TABLE", tables::compact);
        add("regions", "TABLE", tables::regions);
        add("storefiles", "TABLE", tables::storefiles);
        add("drop", "TABLE", tables::drop);
        add("pretty", "FILE...", files::pretty);
        add("cells", "FILE [--hash]", files::cells);
        add("reverse", "FILE... [--samples N]", files::reverse);
        add("make", "DIR --splits FILE --rows N --family NAME:COMPRESSION:BLOOM ... [--salts N] [--block-size BYTES] "
            + "[--expect FILE]", make::make);
    }

    private void add(String name, String usage, Command command) {
        commands.put(name, new Entry(usage, command));
    }

    static Configuration configuration() {
        Configuration conf = HBaseConfiguration.create();
        if (conf.get("hbase.rootdir", "").isEmpty() || conf.get("hbase.rootdir").contains("${")) {
            conf.set("hbase.rootdir", Path.of("").toAbsolutePath().toUri().toString());
        }
        /* A wrong test must fail in seconds, not after HBase's ten minutes of retries. */
        conf.setInt("hbase.client.retries.number", 7);
        conf.setInt("hbase.bulkload.retries.number", 2);
        conf.setInt("hbase.client.operation.timeout", 120000);
        conf.setInt("zookeeper.recovery.retry", 3);
        return conf;
    }

    private String usage() {
        StringBuilder text = new StringBuilder("usage: judge.sh COMMAND ...\n");
        commands.forEach((name, entry) -> text.append("  ").append(name).append(' ').append(entry.usage).append('\n'));
        text.append("  batch [FILE]   one command a line, words separated by tabs (or blanks if the line has no tab),\n");
        text.append("                 '> FILE' last sends its output there; replies 'LINE<tab>STATUS<tab>MESSAGE'\n");
        return text.toString();
    }

    /* Runs one command. Returns its status; the reason of a failure goes into message. */
    private int run(List<String> argv, PrintStream out, StringBuilder message) {
        Entry entry = commands.get(argv.get(0));
        if (entry == null) {
            message.append("unknown command ").append(argv.get(0));
            return USAGE;
        }
        try {
            entry.command.run(new Args(argv.subList(1, argv.size())), out);
            return OK;
        } catch (Args.UsageException e) {
            message.append(e.getMessage()).append("; usage: ").append(argv.get(0)).append(' ').append(entry.usage);
            return USAGE;
        } catch (Verdict e) {
            message.append(e.getMessage());
            return FAILED;
        } catch (Throwable e) {
            e.printStackTrace();
            message.append(e);
            return FAILED;
        } finally {
            out.flush();
        }
    }

    static PrintStream buffered(OutputStream to) {
        return new PrintStream(new BufferedOutputStream(to, 1 << 16), false, StandardCharsets.UTF_8);
    }

    private int batchLine(List<String> words, PrintStream replies, int number) throws Exception {
        StringBuilder message = new StringBuilder();
        int size = words.size();
        int status;
        if (size >= 3 && words.get(size - 2).equals(">")) {
            try (PrintStream out = buffered(new FileOutputStream(words.get(size - 1)))) {
                status = run(words.subList(0, size - 2), out, message);
            }
        } else {
            PrintStream out = buffered(replies);
            status = run(words, out, message);
        }
        String text = message.toString().replaceAll("[\\t\\r\\n]+", " ");
        replies.println(number + "\t" + status + "\t" + text);
        replies.flush();
        return status;
    }

    private int batch(BufferedReader in, PrintStream replies) throws Exception {
        int worst = OK;
        String line;
        for (int number = 1; (line = in.readLine()) != null; number++) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            List<String> words = new ArrayList<>(Arrays.asList(line.split(line.indexOf('\t') >= 0 ? "\t" : " +")));
            worst = Math.max(worst, batchLine(words, replies, number));
        }
        return worst;
    }

    private int batch(List<String> argv, PrintStream replies) throws Exception {
        boolean piped = argv.size() < 2 || argv.get(1).equals("-");
        try (BufferedReader in = piped ? new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))
                 : Files.newBufferedReader(Path.of(argv.get(1)), StandardCharsets.UTF_8)) {
            return batch(in, replies);
        }
    }

    public static void main(String[] argv) throws Exception {
        /* HBase's tools print as they like: our results alone go to standard output. */
        PrintStream out = buffered(System.out);
        System.setOut(System.err);
        Judge judge = new Judge(configuration());
        if (argv.length == 0) {
            System.err.print(judge.usage());
            System.exit(USAGE);
        }
        List<String> words = Arrays.asList(argv);
        StringBuilder message = new StringBuilder();
        int status = words.get(0).equals("batch") ? judge.batch(words, out) : judge.run(words, out, message);
        if (message.length() > 0) {
            System.err.println("judge: " + message);
        }
        out.flush();
        judge.tables.close();
        /* HBase leaves threads of its own behind. */
        System.exit(status);
    }
}
