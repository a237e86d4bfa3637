import io.kubernetes.client.Attach;
import io.kubernetes.client.Exec;
import io.kubernetes.client.PodLogs;
import io.kubernetes.client.PortForward;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** Checks of the logs, commands and ports of a pod that is made up; ../../support/pod-sessions.ts says what it does. */
final class Connections {
  private static final String POD = "sessions";
  private static final String CONTAINER = "c";
  private static final int BYTES = 4 << 20;
  private static final long WAIT_SECONDS = 30;

  private final ApiClient api;
  private final Exec exec;

  Connections(ApiClient api) {
    this.api = api;
    this.exec = new Exec(api);
  }

  /** Adds the checks: last, as what they leave open is looked for at the agent once the program has ended. */
  void addTo(Map<String, Harness.Check> all) {
    all.put("logs, whole and followed", this::logs);
    all.put("exec: outputs, exit code, refusal", this::commands);
    all.put("exec of some MB, both ways", this::muchInput);
    all.put("exec in a terminal whose size changes", this::terminal);
    all.put("attach", this::attach);
    all.put("port-forward of some MB, both ways", this::port);
  }

  private void logs() throws Exception {
    String whole = new CoreV1Api(api).readNamespacedPodLog(POD, Harness.NAMESPACE).tailLines(2).execute();
    Harness.require(whole.equals("first\n"), whole);
    try (InputStream followed = new PodLogs(api).streamNamespacedPodLog(Harness.NAMESPACE, POD, CONTAINER)) {
      BufferedReader lines = new BufferedReader(new InputStreamReader(followed, StandardCharsets.UTF_8));
      Harness.require("first".equals(lines.readLine()), "the first line");
      start("log", "second").execute().waitFor();
      Harness.require("second".equals(lines.readLine()), "the second line");
    }
  }

  private void commands() throws Exception {
    Process said = start("echo", "a b", "ü").execute();
    Harness.require(text(said.getInputStream()).equals("echo a b ü\n"), "the output");
    ends(said, 0);
    Process complained = start("complain", "no").execute();
    Harness.require(text(complained.getErrorStream()).equals("no\n"), "the error");
    ends(complained, 0);
    ends(start("exit", "7").execute(), 7);
    List<Throwable> refusals = new CopyOnWriteArrayList<>();
    Process refused = start("ls").setContainer("none").setOnUnhandledError(refusals::add).execute();
    Harness.require(refused.waitFor(WAIT_SECONDS, TimeUnit.SECONDS), "it does not end");
    Harness.require(refusals.toString().contains("400 Bad Request"), refusals);
  }

  private void muchInput() throws Exception {
    Process running = start("cat").setStdin(true).execute();
    byte[] sent = random();
    exchange(running.getOutputStream(), running.getInputStream(), sent, sent);
    running.destroy();
  }

  private void terminal() throws Exception {
    Exec.ExecProcess running = (Exec.ExecProcess) start("sizes").setStdin(true).setTty(true).execute();
    for (int width : new int[] {80, 132}) {
      running.resize(width, 24);
      String size = String.format("{ \"width\": %d, \"height\": 24 }\n", width);
      byte[] said = running.getInputStream().readNBytes(size.length());
      Harness.require(new String(said, StandardCharsets.UTF_8).equals(size), new String(said, StandardCharsets.UTF_8));
    }
    running.destroy();
  }

  private void attach() throws Exception {
    Attach.ConnectionBuilder wanted = new Attach(api).newConnectionBuilder(Harness.NAMESPACE, POD);
    try (Attach.AttachResult attached = wanted.setContainer(CONTAINER).setStdin(true).setStdout(true).connect()) {
      attached.getStandardInputStream().write("hello".getBytes(StandardCharsets.UTF_8));
      attached.getStandardInputStream().flush();
      String back = new String(attached.getStandardOutputStream().readNBytes(5), StandardCharsets.UTF_8);
      Harness.require(back.equals("hello"), back);
    }
  }

  private void port() throws Exception {
    PortForward forward = new PortForward(api);
    try (PortForward.PortForwardResult forwarded = forward.forward(Harness.NAMESPACE, POD, List.of(80))) {
      byte[] sent = HexFormat.of().formatHex(random()).getBytes(StandardCharsets.UTF_8);
      byte[] expected = new String(sent, StandardCharsets.UTF_8).toUpperCase().getBytes(StandardCharsets.UTF_8);
      exchange(forwarded.getOutboundStream(80), forwarded.getInputStream(80), sent, expected);
      // The number of the port, and no error.
      Harness.require(forwarded.getErrorStream(80).available() <= 2, "an error");
    }
  }

  private Exec.ExecutionBuilder start(String... command) {
    return exec.newExecutionBuilder(Harness.NAMESPACE, POD, command).setContainer(CONTAINER);
  }

  private static void ends(Process process, int code) throws InterruptedException {
    Harness.require(process.waitFor(WAIT_SECONDS, TimeUnit.SECONDS), "it does not end");
    Harness.require(process.exitValue() == code, process.exitValue());
  }

  /** Writes, and reads what comes back, at the same time. */
  private static void exchange(OutputStream to, InputStream from, byte[] sent, byte[] expected) throws Exception {
    CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> {
      try {
        to.write(sent);
        to.flush();
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    });
    byte[] back = from.readNBytes(expected.length);
    writing.get(WAIT_SECONDS, TimeUnit.SECONDS);
    Harness.require(Arrays.equals(back, expected), back.length + " bytes came back, or others");
  }

  private static byte[] random() {
    byte[] bytes = new byte[BYTES];
    new Random().nextBytes(bytes);
    return bytes;
  }

  private static String text(InputStream stream) throws IOException {
    return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
  }
}
