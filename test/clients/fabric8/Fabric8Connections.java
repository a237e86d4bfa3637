import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.LocalPortForward;
import io.fabric8.kubernetes.client.dsl.ContainerResource;
import io.fabric8.kubernetes.client.dsl.ExecWatch;
import io.fabric8.kubernetes.client.dsl.LogWatch;
import io.fabric8.kubernetes.client.dsl.PodResource;
import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Checks of the logs, commands and ports of a pod that is made up; ../../support/pod-sessions.ts says what it does. */
final class Fabric8Connections {
  private static final int BYTES = 4 << 20;
  private static final long WAIT_SECONDS = 30;

  private final PodResource pod;
  private final ContainerResource container;

  Fabric8Connections(KubernetesClient client) {
    pod = client.pods().inNamespace("default").withName("sessions");
    container = pod.inContainer("c");
  }

  /** Adds the checks: last, as what they leave open is looked for at the agent once the program has ended. */
  void addTo(Map<String, Fabric8Checks.Check> all) {
    all.put("logs, whole and followed", this::logs);
    all.put("exec: outputs and exit code", this::commands);
    all.put("exec of some MB, both ways", this::muchInput);
    all.put("exec in a terminal whose size changes", this::terminal);
    all.put("attach", this::attach);
    all.put("port-forward of some MB, both ways", this::port);
  }

  private void logs() throws Exception {
    String whole = container.tailingLines(2).getLog();
    Fabric8Checks.require(whole.equals("first\n"), whole);
    try (LogWatch followed = container.watchLog()) {
      BufferedReader lines = new BufferedReader(new InputStreamReader(followed.getOutput(), StandardCharsets.UTF_8));
      Fabric8Checks.require("first".equals(lines.readLine()), "the first line");
      try (ExecWatch log = container.redirectingOutput().exec("log", "second")) {
        ends(log, 0);
      }
      Fabric8Checks.require("second".equals(lines.readLine()), "the second line");
    }
  }

  private void commands() throws Exception {
    try (ExecWatch said = container.redirectingOutput().redirectingError().exec("echo", "a b", "ü")) {
      Fabric8Checks.require(text(said.getOutput()).equals("echo a b ü\n"), "the output");
      ends(said, 0);
    }
    try (ExecWatch complained = container.redirectingOutput().redirectingError().exec("complain", "no")) {
      Fabric8Checks.require(text(complained.getError()).equals("no\n"), "the error");
      ends(complained, 0);
    }
    try (ExecWatch failed = container.redirectingOutput().exec("exit", "7")) {
      ends(failed, 7);
    }
  }

  private void muchInput() throws Exception {
    byte[] sent = random();
    try (ExecWatch running = container.redirectingInput().redirectingOutput().exec("cat")) {
      exchange(running.getInput(), running.getOutput(), sent, sent);
    }
  }

  private void terminal() throws Exception {
    try (ExecWatch running = container.redirectingInput().redirectingOutput().withTTY().exec("sizes")) {
      for (int width : new int[] {80, 132}) {
        running.resize(width, 24);
        String size = String.format("{\"Width\":%d,\"Height\":24}", width);
        String said = new String(read(running.getOutput(), size.length()), StandardCharsets.UTF_8);
        Fabric8Checks.require(said.equals(size), said);
      }
    }
  }

  private void attach() throws Exception {
    try (ExecWatch attached = container.redirectingInput().redirectingOutput().attach()) {
      attached.getInput().write("hello".getBytes(StandardCharsets.UTF_8));
      attached.getInput().flush();
      String back = new String(read(attached.getOutput(), 5), StandardCharsets.UTF_8);
      Fabric8Checks.require(back.equals("hello"), back);
    }
  }

  private void port() throws Exception {
    byte[] sent = HexFormat.of().formatHex(random()).getBytes(StandardCharsets.UTF_8);
    byte[] expected = new String(sent, StandardCharsets.UTF_8).toUpperCase().getBytes(StandardCharsets.UTF_8);
    try (LocalPortForward forwarded = pod.portForward(80);
        Socket socket = new Socket(forwarded.getLocalAddress(), forwarded.getLocalPort())) {
      exchange(socket.getOutputStream(), socket.getInputStream(), sent, expected);
      Fabric8Checks.require(!forwarded.errorOccurred(), forwarded.getServerThrowables());
    }
  }

  private static void ends(ExecWatch running, int code) throws Exception {
    Integer exit = running.exitCode().get(WAIT_SECONDS, TimeUnit.SECONDS);
    Fabric8Checks.require(Integer.valueOf(code).equals(exit), exit);
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
    byte[] back = read(from, expected.length);
    writing.get(WAIT_SECONDS, TimeUnit.SECONDS);
    Fabric8Checks.require(Arrays.equals(back, expected), "other bytes came back");
  }

  /** Not by `readNBytes`, whose last read is of no byte: for that, too, the library waits until something comes. */
  private static byte[] read(InputStream from, int length) throws IOException {
    byte[] bytes = new byte[length];
    new DataInputStream(from).readFully(bytes);
    return bytes;
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
