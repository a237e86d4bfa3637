import com.google.gson.reflect.TypeToken;
import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.informer.ResourceEventHandler;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentList;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServicePort;
import io.kubernetes.client.openapi.models.V1ServiceSpec;
import io.kubernetes.client.openapi.models.V1Status;
import io.kubernetes.client.util.Config;
import io.kubernetes.client.util.PatchUtils;
import io.kubernetes.client.util.Watch;
import io.kubernetes.client.util.generic.GenericKubernetesApi;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** Checks of the Java client against a server; see ../client-program.ts for what is printed. */
public final class Checks {
  private final ApiClient api;
  private final CoreV1Api core;
  private final AppsV1Api apps;

  private Checks(ApiClient api) {
    this.api = api;
    this.core = new CoreV1Api(api);
    this.apps = new AppsV1Api(api);
  }

  public static void main(String[] args) throws Exception {
    Checks checks = new Checks(Config.fromConfig(args[0]));
    Map<String, Harness.Check> all = new LinkedHashMap<>();
    all.put("create, get, list, update, delete", checks::everydayVerbs);
    all.put("errors have their codes and reasons", checks::errors);
    all.put("patches: JSON, merge, strategic merge", checks::patches);
    all.put("delete answers with the type that the client expects", checks::deletes);
    all.put("a list in pages", checks::pages);
    all.put("a watch goes on from a version", checks::watching);
    all.put("a watch from an expired version is 410", checks::expired);
    all.put("the generic API", checks::generic);
    all.put("an informer goes on when the server was killed", checks::informer);
    new Connections(checks.api).addTo(all);
    all.forEach(Harness::tell);
    System.exit(0);
  }

  private void everydayVerbs() throws Exception {
    V1ConfigMap made = create(Harness.configMap("a", "1", "verbs"));
    V1ConfigMap read = core.readNamespacedConfigMap("a", Harness.NAMESPACE).execute();
    Harness.require(read.equals(made) && read.getMetadata().getUid() != null, read);
    V1ConfigMapList listed = core.listNamespacedConfigMap(Harness.NAMESPACE).labelSelector("of=verbs").execute();
    Harness.require(listed.getItems().size() == 1, listed);
    read.putDataItem("a", "2");
    V1ConfigMap updated = core.replaceNamespacedConfigMap("a", Harness.NAMESPACE, read).execute();
    Harness.require("2".equals(updated.getData().get("a")), updated);
    V1Status gone = core.deleteNamespacedConfigMap("a", Harness.NAMESPACE).execute();
    Harness.require("Success".equals(gone.getStatus()), gone);
  }

  private void errors() throws Exception {
    V1ConfigMap made = create(Harness.configMap("e", "1", "errors"));
    V1Status taken = Harness.refusal(409, "AlreadyExists", () -> create(Harness.configMap("e", "1", "errors")));
    Harness.require("e".equals(taken.getDetails().getName()), taken);
    Harness.require("configmaps".equals(taken.getDetails().getKind()), taken);
    V1ConfigMap changed = core.readNamespacedConfigMap("e", Harness.NAMESPACE).execute();
    changed.putDataItem("a", "2");
    core.replaceNamespacedConfigMap("e", Harness.NAMESPACE, changed).execute();
    Harness.refusal(409, "Conflict", () -> core.replaceNamespacedConfigMap("e", Harness.NAMESPACE, made).execute());
    Harness.refusal(404, "NotFound", () -> core.readNamespacedConfigMap("none", Harness.NAMESPACE).execute());
    V1Status invalid = Harness.refusal(422, "Invalid", () -> create(Harness.configMap("No_Name", "1", "errors")));
    Harness.require("metadata.name".equals(invalid.getDetails().getCauses().get(0).getField()), invalid);
  }

  private void patches() throws Exception {
    create(Harness.configMap("p", "1", "patches"));
    String steps = "[{\"op\":\"add\",\"path\":\"/data/b\",\"value\":\"2\"},{\"op\":\"remove\",\"path\":\"/data/a\"}]";
    V1ConfigMap patched = patchConfigMap(steps, V1Patch.PATCH_FORMAT_JSON_PATCH);
    Harness.require(patched.getData().equals(Map.of("b", "2")), patched);
    patched = patchConfigMap("{\"data\":{\"b\":null,\"c\":\"3\"}}", V1Patch.PATCH_FORMAT_JSON_MERGE_PATCH);
    Harness.require(patched.getData().equals(Map.of("c", "3")), patched);
    apps.createNamespacedDeployment(Harness.NAMESPACE, Harness.deployment("p")).execute();
    V1Patch sidecar = new V1Patch(
        "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"side\",\"image\":\"side:1\"}]}}}}");
    V1Deployment merged = PatchUtils.patch(
        V1Deployment.class,
        () -> apps.patchNamespacedDeployment("p", Harness.NAMESPACE, sidecar).buildCall(null),
        V1Patch.PATCH_FORMAT_STRATEGIC_MERGE_PATCH,
        api);
    Harness.require(merged.getSpec().getTemplate().getSpec().getContainers().size() == 2, merged);
  }

  private V1ConfigMap patchConfigMap(String patch, String format) throws ApiException {
    return PatchUtils.patch(
        V1ConfigMap.class,
        () -> core.patchNamespacedConfigMap("p", Harness.NAMESPACE, new V1Patch(patch)).buildCall(null),
        format,
        api);
  }

  private void deletes() throws Exception {
    V1ObjectMeta metadata = new V1ObjectMeta().name("typed");
    V1Pod pod = new V1Pod().metadata(metadata).spec(Harness.podSpec());
    core.createNamespacedPod(Harness.NAMESPACE, pod).execute();
    V1Pod gonePod = core.deleteNamespacedPod("typed", Harness.NAMESPACE).gracePeriodSeconds(0).execute();
    Harness.require("typed".equals(gonePod.getMetadata().getName()), gonePod);
    V1ServiceSpec spec = new V1ServiceSpec().addPortsItem(new V1ServicePort().port(80));
    core.createNamespacedService(Harness.NAMESPACE, new V1Service().metadata(metadata).spec(spec)).execute();
    V1Service goneService = core.deleteNamespacedService("typed", Harness.NAMESPACE).execute();
    Harness.require(goneService.getSpec().getPorts().get(0).getPort() == 80, goneService);
  }

  private void pages() throws Exception {
    for (int index = 0; index < 7; index++) create(Harness.configMap("page-" + index, "1", "pages"));
    List<String> names = new ArrayList<>();
    String token = null;
    do {
      V1ConfigMapList page =
          core.listNamespacedConfigMap(Harness.NAMESPACE).labelSelector("of=pages").limit(3)._continue(token).execute();
      page.getItems().forEach((item) -> names.add(item.getMetadata().getName()));
      token = page.getMetadata().getContinue();
    } while (token != null && !token.isEmpty());
    Harness.require(names.size() == 7 && names.get(6).equals("page-6"), names);
    core.deleteCollectionNamespacedConfigMap(Harness.NAMESPACE).labelSelector("of=pages").execute();
    V1ConfigMapList rest = core.listNamespacedConfigMap(Harness.NAMESPACE).labelSelector("of=pages").execute();
    Harness.require(rest.getItems().isEmpty(), rest);
  }

  private void watching() throws Exception {
    String version = core.listNamespacedConfigMap(Harness.NAMESPACE).execute().getMetadata().getResourceVersion();
    V1ConfigMap made = create(Harness.configMap("w", "1", "watches"));
    made.putDataItem("a", "2");
    core.replaceNamespacedConfigMap("w", Harness.NAMESPACE, made).execute();
    core.deleteNamespacedConfigMap("w", Harness.NAMESPACE).execute();
    Harness.require(watched(version).equals(List.of("ADDED", "MODIFIED", "DELETED")), watched(version));
    List<String> later = watched(made.getMetadata().getResourceVersion());
    Harness.require(later.equals(List.of("MODIFIED", "DELETED")), later);
  }

  private List<String> watched(String version) throws Exception {
    List<String> types = new ArrayList<>();
    try (Watch<V1ConfigMap> watch = openWatch(version)) {
      watch.forEach((event) -> types.add(event.type));
    }
    return types;
  }

  private Watch<V1ConfigMap> openWatch(String version) throws ApiException {
    return Watch.createWatch(
        api,
        core.listNamespacedConfigMap(Harness.NAMESPACE)
            .resourceVersion(version)
            .timeoutSeconds(1)
            .watch(true)
            .buildCall(null),
        new TypeToken<Watch.Response<V1ConfigMap>>() {}.getType());
  }

  private void expired() throws Exception {
    Harness.refusal(410, "Expired", () -> openWatch("1"));
  }

  private void generic() throws Exception {
    GenericKubernetesApi<V1Deployment, V1DeploymentList> deployments =
        new GenericKubernetesApi<>(
            V1Deployment.class,
            V1DeploymentList.class,
            "apps",
            "v1",
            "deployments",
            api);
    V1Deployment made = deployments.create(Harness.deployment("g")).throwsApiException().getObject();
    made.getSpec().setReplicas(3);
    V1Deployment updated = deployments.update(made).throwsApiException().getObject();
    Harness.require(updated.getMetadata().getGeneration() == 2, updated);
    Harness.require(deployments.update(made).getHttpStatusCode() == 409, "a conflict");
    deployments.delete(Harness.NAMESPACE, "g").throwsApiException();
    Harness.require(deployments.get(Harness.NAMESPACE, "g").getHttpStatusCode() == 404, "gone");
  }

  private void informer() throws Exception {
    SharedInformerFactory factory = new SharedInformerFactory(api);
    GenericKubernetesApi<V1ConfigMap, V1ConfigMapList> maps =
        new GenericKubernetesApi<>(V1ConfigMap.class, V1ConfigMapList.class, "", "v1", "configmaps", api);
    SharedIndexInformer<V1ConfigMap> informer =
        factory.sharedIndexInformerFor(maps, V1ConfigMap.class, 0, Harness.NAMESPACE);
    Set<String> lost = ConcurrentHashMap.newKeySet();
    informer.addEventHandler(new ResourceEventHandler<V1ConfigMap>() {
      @Override
      public void onAdd(V1ConfigMap made) {}

      @Override
      public void onUpdate(V1ConfigMap old, V1ConfigMap changed) {}

      @Override
      public void onDelete(V1ConfigMap gone, boolean stateUnknown) {
        lost.add(gone.getMetadata().getName());
      }
    });
    create(Harness.configMap("i-first", "1", "informers"));
    factory.startAllRegisteredInformers();
    Harness.until("the informer has synced", informer::hasSynced);
    String key = Harness.NAMESPACE + "/i-first";
    Harness.require(informer.getIndexer().getByKey(key) != null, informer.getIndexer().listKeys());
    Harness.restart();
    Harness.until("a write succeeds", () -> {
      try {
        create(Harness.configMap("i-after", "1", "informers"));
        return true;
      } catch (ApiException refused) {
        return refused.getCode() == 409;
      }
    });
    core.deleteNamespacedConfigMap("i-first", Harness.NAMESPACE).execute();
    Harness.until("changes after it are seen", () ->
        informer.getIndexer().getByKey(Harness.NAMESPACE + "/i-after") != null && lost.contains("i-first"));
    Set<String> listed = core.listNamespacedConfigMap(Harness.NAMESPACE).execute().getItems().stream()
        .map((item) -> Harness.NAMESPACE + "/" + item.getMetadata().getName()).collect(Collectors.toSet());
    Harness.require(Set.copyOf(informer.getIndexer().listKeys()).equals(listed), listed);
    factory.stopAllRegisteredInformers();
  }

  private V1ConfigMap create(V1ConfigMap map) throws ApiException {
    return core.createNamespacedConfigMap(Harness.NAMESPACE, map).execute();
  }
}
