package referee;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;

import org.jose4j.json.JsonUtil;

/**
 * The command. It judges files and prints one JSON object a line and file, and ends with 0 when all of them are good,
 * with 1 when one is not; or it signs files and prints what that took.
 */
public final class Main {
    private static final String USAGE = """
            usage: validate --trust PEM... [--other PEM...] [--online-loopback] [--level B|T|LT|LTA] FILE...
                   serve
                   sign KEY CERTIFICATE FILE...
                   sign-pdf KEY CERTIFICATE RUNS FILE

              --trust            a trust anchor; anchors themselves are not asked for revocation
              --other            a certificate for building paths, not trusted
              --online-loopback  ask responders on this machine; otherwise nobody is asked
              --level            every signature is of this baseline level or a higher one, and
                                 every time-stamp passes

            serve reads such commands from standard input, one a line with tabs between the arguments.
            """;

    private Main() {
    }

    public static void main(String[] arguments) throws IOException, GeneralSecurityException {
        Network.refuseSockets();
        List<Path> signing = Arrays.stream(arguments).skip(1).map(Path::of).toList();
        if (signing.size() > 2 && "sign".equals(arguments[0])) {
            Peer peer = new Peer(signing.get(0), signing.get(1));
            System.out.println(JsonUtil.toJson(peer.measured(signing.subList(2, signing.size()))));
            return;
        }
        if (arguments.length == 5 && "sign-pdf".equals(arguments[0])) {
            Peer peer = new Peer(Path.of(arguments[1]), Path.of(arguments[2]));
            int runs = Integer.parseInt(arguments[3]);
            System.out.println(JsonUtil.toJson(peer.processorOfPdf(Path.of(arguments[4]), runs)));
            return;
        }
        if (arguments.length == 1 && "serve".equals(arguments[0])) {
            serve();
            System.exit(0);
        }
        System.exit(validate(arguments) ? 0 : 1);
    }

    private static void serve() throws IOException {
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String request = requests.readLine(); request != null; request = requests.readLine()) {
            validate(request.split("\t"));
        }
    }

    /** Prints the verdicts, and tells whether all files are good. */
    private static boolean validate(String[] arguments) throws IOException {
        List<Path> trusted = new ArrayList<>();
        List<Path> others = new ArrayList<>();
        List<Path> files = new ArrayList<>();
        boolean online = false;
        Level least = null;

        Deque<String> rest = new ArrayDeque<>(Arrays.asList(arguments));
        if (!"validate".equals(rest.poll())) {
            refuse("what is there to do?");
        }
        while (!rest.isEmpty()) {
            String argument = rest.poll();
            switch (argument) {
                case "--trust" -> trusted.add(Path.of(value(argument, rest)));
                case "--other" -> others.add(Path.of(value(argument, rest)));
                case "--online-loopback" -> online = true;
                case "--level" -> least = level(value(argument, rest));
                default -> {
                    if (argument.startsWith("--")) {
                        refuse("unknown option " + argument);
                    }
                    files.add(Path.of(argument));
                }
            }
        }
        for (Path file : files) {
            if (!Files.isReadable(file)) {
                refuse(file + " cannot be read");
            }
        }
        if (files.isEmpty()) {
            refuse("no files");
        }

        Judge judge = new Judge(trusted, others, online, least);
        boolean good = true;
        for (Path file : files) {
            Map<String, Object> verdict = judge.verdict(file);
            good &= Boolean.TRUE.equals(verdict.get("ok"));
            System.out.println(JsonUtil.toJson(verdict));
        }
        System.out.flush();
        return good;
    }

    private static String value(String option, Deque<String> rest) {
        if (rest.isEmpty()) {
            refuse(option + " needs a value");
        }
        return rest.poll();
    }

    private static Level level(String name) {
        return Level.named(name).orElseGet(() -> {
            refuse("no baseline level " + name);
            return null;
        });
    }

    private static void refuse(String why) {
        System.err.println(why + "\n" + USAGE);
        System.exit(64);
    }
}
