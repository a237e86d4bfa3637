import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Checks of the fabric8 client against a server; see ../client-program.ts for what is printed. */
public final class Fabric8Checks {
  private static final String NAMESPACE = "default";
  private static final long WAIT_SECONDS = 30;

  interface Check {
    void run() throws Exception;
  }

  private final KubernetesClient client;

  private Fabric8Checks(KubernetesClient client) {
    this.client = client;
  }

  public static void main(String[] args) throws Exception {
    Map<String, Check> all = new LinkedHashMap<>();
    Config config = Config.fromKubeconfig(Files.readString(Path.of(args[0])));
    KubernetesClient client = new KubernetesClientBuilder().withConfig(config).build();
    Fabric8Checks checks = new Fabric8Checks(client);
    all.put("create, list, update, delete with the administrator's certificate", checks::everydayVerbs);
    all.put("a watch", checks::watching);
    all.put("errors have their codes and reasons", checks::errors);
    new Fabric8Connections(client).addTo(all);
    for (Map.Entry<String, Check> entry : all.entrySet()) tell(entry.getKey(), entry.getValue());
    System.exit(0);
  }

  private static void tell(String name, Check check) {
    Map<String, String> outcome = new LinkedHashMap<>();
    outcome.put("check", name);
    try {
      check.run();
      outcome.put("error", null);
    } catch (Exception | AssertionError failure) {
      StringWriter text = new StringWriter();
      failure.printStackTrace(new PrintWriter(text));
      outcome.put("error", text.toString());
    }
    System.out.println(Serialization.asJson(outcome).replace("\n", " "));
  }

  private static ConfigMap configMap(String name, String purpose) {
    return new ConfigMapBuilder()
        .withNewMetadata().withName(name).withNamespace(NAMESPACE).addToLabels("of", purpose).endMetadata()
        .addToData("a", "1")
        .build();
  }

  private void everydayVerbs() {
    ConfigMap made = client.resource(configMap("a", "verbs")).create();
    require(made.getMetadata().getUid() != null, made);
    List<ConfigMap> listed = client.configMaps().inNamespace(NAMESPACE).withLabel("of", "verbs").list().getItems();
    require(listed.size() == 1 && "a".equals(listed.get(0).getMetadata().getName()), listed);
    ConfigMap changed =
        client.configMaps().inNamespace(NAMESPACE).withName("a").edit(map -> new ConfigMapBuilder(map).addToData("a", "2").build());
    require("2".equals(changed.getData().get("a")), changed);
    require(client.configMaps().inNamespace(NAMESPACE).withName("a").delete().size() == 1, "deleted");
    require(client.configMaps().inNamespace(NAMESPACE).withName("a").get() == null, "gone");
  }

  private void watching() throws Exception {
    BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    Watcher<ConfigMap> watcher = new Watcher<>() {
      @Override
      public void eventReceived(Action action, ConfigMap map) {
        heard.add(action + " " + map.getMetadata().getName());
      }

      @Override
      public void onClose(WatcherException cause) {
        heard.add("closed " + cause);
      }
    };
    try (Watch watch = client.configMaps().inNamespace(NAMESPACE).withLabel("of", "watch").watch(watcher)) {
      client.resource(configMap("w", "watch")).create();
      client.configMaps().inNamespace(NAMESPACE).withName("w").delete();
      List<String> events = new ArrayList<>();
      for (int i = 0; i < 2; i++) events.add(String.valueOf(heard.poll(WAIT_SECONDS, TimeUnit.SECONDS)));
      require("ADDED w, DELETED w".equals(events.stream().collect(Collectors.joining(", "))), events);
    }
  }

  private void errors() {
    client.resource(configMap("e", "errors")).create();
    try {
      client.resource(configMap("e", "errors")).create();
    } catch (KubernetesClientException refused) {
      require(refused.getCode() == 409 && "AlreadyExists".equals(refused.getStatus().getReason()), refused.getStatus());
      return;
    } finally {
      client.configMaps().inNamespace(NAMESPACE).withName("e").delete();
    }
    throw new AssertionError("a second creation was not refused");
  }

  static void require(boolean holds, Object value) {
    if (!holds) throw new AssertionError(String.valueOf(value));
  }
}
