/* SPDX-License-Identifier: Apache-2.0 */
/* The words of one judge command: positional ones, options with a value, and switches. No I/O. */
package saltmill.judge;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

final class Args {
    static final class UsageException extends RuntimeException {
        UsageException(String message) {
            super(message);
        }
    }

    private static final Set<String> SWITCHES = Set.of("reverse", "versions", "raw", "hash");
    private static final Set<String> OPTIONS =
        Set.of("splits", "family", "start", "stop", "limit", "min-time", "max-time", "wait", "pid", "rows", "expect",
            "samples", "block-size", "salts");

    final List<String> words = new ArrayList<>();
    private final Map<String, List<String>> options = new HashMap<>();

    Args(List<String> argv) {
        for (int i = 0; i < argv.size(); i++) {
            String word = argv.get(i);
            if (!word.startsWith("--")) {
                words.add(word);
                continue;
            }
            String name = word.substring(2);
            List<String> values = options.computeIfAbsent(name, k -> new ArrayList<>());
            if (SWITCHES.contains(name)) {
                continue;
            }
            if (!OPTIONS.contains(name)) {
                throw new UsageException("unknown option " + word);
            }
            if (++i == argv.size()) {
                throw new UsageException(word + " needs a value");
            }
            values.add(argv.get(i));
        }
    }

    boolean has(String name) {
        return options.containsKey(name);
    }

    List<String> all(String name) {
        return options.getOrDefault(name, List.of());
    }

    String get(String name, String otherwise) {
        List<String> values = all(name);
        return values.isEmpty() ? otherwise : values.get(values.size() - 1);
    }

    long number(String name, long otherwise) {
        String value = get(name, null);
        return value == null ? otherwise : Long.parseLong(value);
    }

    String word(int index, String what) {
        if (index >= words.size()) {
            throw new UsageException(what + " is missing");
        }
        return words.get(index);
    }
}
