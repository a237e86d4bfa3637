import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentSpec;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1Status;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.Map;

/** What every check needs: how it is told, objects to write, and a way to have the server restarted. */
final class Harness {
  static final String NAMESPACE = "default";
  private static final long WAIT_MS = 30_000;
  private static final Gson GSON = new GsonBuilder().serializeNulls().create();
  private static final BufferedReader INPUT = new BufferedReader(new InputStreamReader(System.in));

  interface Check {
    void run() throws Exception;
  }

  interface Call {
    Object run() throws Exception;
  }

  interface Condition {
    boolean holds() throws Exception;
  }

  private Harness() {}

  /** Runs a check and prints how it went. */
  static void tell(String name, Check check) {
    Map<String, String> outcome = new LinkedHashMap<>();
    outcome.put("check", name);
    outcome.put("error", failureOf(check));
    System.out.println(GSON.toJson(outcome));
  }

  private static String failureOf(Check check) {
    try {
      check.run();
      return null;
    } catch (Exception | AssertionError failure) {
      StringWriter text = new StringWriter();
      failure.printStackTrace(new PrintWriter(text));
      return failure instanceof ApiException refused ? refused.getResponseBody() + "\n" + text : text.toString();
    }
  }

  static V1ConfigMap configMap(String name, String value, String purpose) {
    V1ObjectMeta metadata = new V1ObjectMeta().name(name).namespace(NAMESPACE).putLabelsItem("of", purpose);
    return new V1ConfigMap().apiVersion("v1").kind("ConfigMap").metadata(metadata).putDataItem("a", value);
  }

  static V1PodSpec podSpec() {
    return new V1PodSpec().addContainersItem(new V1Container().name("web").image("web:1"));
  }

  static V1Deployment deployment(String name) {
    Map<String, String> labels = Map.of("app", name);
    V1PodTemplateSpec template = new V1PodTemplateSpec().metadata(new V1ObjectMeta().labels(labels)).spec(podSpec());
    V1DeploymentSpec spec =
        new V1DeploymentSpec().selector(new V1LabelSelector().matchLabels(labels)).template(template);
    V1ObjectMeta metadata = new V1ObjectMeta().name(name).namespace(NAMESPACE);
    return new V1Deployment().apiVersion("apps/v1").kind("Deployment").metadata(metadata).spec(spec);
  }

  /** The Status of a call that must be refused. */
  static V1Status refusal(int code, String reason, Call call) throws Exception {
    try {
      call.run();
    } catch (ApiException refused) {
      V1Status status = GSON.fromJson(refused.getResponseBody(), V1Status.class);
      require(refused.getCode() == code && reason.equals(status.getReason()), refused.getResponseBody());
      return status;
    }
    throw new AssertionError(code + " " + reason + " was expected");
  }

  static void restart() throws Exception {
    System.out.println("{\"restart\":true}");
    INPUT.readLine();
  }

  static void until(String what, Condition condition) throws Exception {
    for (long deadline = System.currentTimeMillis() + WAIT_MS; !condition.holds(); Thread.sleep(50)) {
      require(System.currentTimeMillis() < deadline, "not within " + WAIT_MS + " ms: " + what);
    }
  }

  static void require(boolean holds, Object value) {
    if (!holds) throw new AssertionError(String.valueOf(value));
  }
}
