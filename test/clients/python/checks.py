"""Checks of the Python client against a server; see ../client-program.ts for what is printed.

Usage: checks.py KUBECONFIG
"""

import sys
import traceback

import connecting
import kubernetes
import reading  # noqa: F401 (registers its checks)
import watching  # noqa: F401 (registers its checks)
from harness import CHECKS, NAMESPACE, check, config_map, deployment, emit, refusal
from kubernetes import client, config, dynamic, utils


@check("create, get, list, update, delete")
def everyday_verbs(core, **_):
    made = core.create_namespaced_config_map(NAMESPACE, config_map("a", labels={"of": "verbs"}, a="1"))
    assert made.metadata.uid and made.metadata.creation_timestamp.tzinfo, made
    read = core.read_namespaced_config_map("a", NAMESPACE)
    assert read == made
    listed = core.list_namespaced_config_map(NAMESPACE, label_selector="of=verbs")
    assert [item.metadata.name for item in listed.items] == ["a"]
    assert core.list_config_map_for_all_namespaces(field_selector="metadata.name=a").items[0].data == {"a": "1"}
    read.data["b"] = "2"
    replaced = core.replace_namespaced_config_map("a", NAMESPACE, read)
    assert replaced.data == {"a": "1", "b": "2"}
    gone = core.delete_namespaced_config_map("a", NAMESPACE)
    status = gone.status if hasattr(gone, "status") else gone["status"]
    assert status == "Success", gone


@check("errors have their codes and reasons")
def errors(core, **_):
    made = core.create_namespaced_config_map(NAMESPACE, config_map("e", a="1"))
    status = refusal(409, "AlreadyExists", core.create_namespaced_config_map, NAMESPACE, config_map("e"))
    assert status["details"] == {"name": "e", "kind": "configmaps"}, status
    core.patch_namespaced_config_map("e", NAMESPACE, {"data": {"a": "2"}})
    refusal(409, "Conflict", core.replace_namespaced_config_map, "e", NAMESPACE, made)
    other = client.V1DeleteOptions(preconditions=client.V1Preconditions(uid="other"))
    refusal(409, "Conflict", core.delete_namespaced_config_map, "e", NAMESPACE, body=other)
    refusal(404, "NotFound", core.read_namespaced_config_map, "none", NAMESPACE)
    status = refusal(422, "Invalid", core.create_namespaced_config_map, NAMESPACE, config_map("No_Name"))
    assert status["details"]["causes"][0]["field"] == "metadata.name", status
    refusal(404, "NotFound", core.create_namespaced_config_map, "nowhere", config_map("e"))


@check("patches: JSON, merge, strategic merge")
def patches(core, apps, **_):
    core.create_namespaced_config_map(NAMESPACE, config_map("p", a="1"))
    steps = [{"op": "add", "path": "/data/b", "value": "2"}, {"op": "remove", "path": "/data/a"}]
    assert core.patch_namespaced_config_map("p", NAMESPACE, steps).data == {"b": "2"}
    merged = core.patch_namespaced_config_map("p", NAMESPACE, {"data": {"b": None, "c": "3"}})
    assert merged.data == {"c": "3"}
    apps.create_namespaced_deployment(NAMESPACE, deployment("p"))
    sidecar = {"spec": {"template": {"spec": {"containers": [{"name": "side", "image": "side:1"}]}}}}
    patched = apps.patch_namespaced_deployment("p", NAMESPACE, sidecar)
    assert sorted(each.name for each in patched.spec.template.spec.containers) == ["side", "web"]
    assert patched.metadata.generation == 2


@check("status and scale")
def subresources(apps, **_):
    apps.create_namespaced_deployment(NAMESPACE, deployment("s"))
    apps.patch_namespaced_deployment_scale("s", NAMESPACE, {"spec": {"replicas": 4}})
    assert apps.read_namespaced_deployment_scale("s", NAMESPACE).spec.replicas == 4
    apps.patch_namespaced_deployment_status("s", NAMESPACE, {"status": {"readyReplicas": 3, "replicas": 4}})
    read = apps.read_namespaced_deployment("s", NAMESPACE)
    assert (read.spec.replicas, read.status.ready_replicas, read.metadata.generation) == (4, 3, 2)


@check("delete answers with the type that the client expects")
def deletes(core, **_):
    metadata = client.V1ObjectMeta(name="typed")
    pod = client.V1Pod(
        metadata=metadata, spec=client.V1PodSpec(containers=[client.V1Container(name="web", image="web:1")])
    )
    core.create_namespaced_pod(NAMESPACE, pod)
    gone = core.delete_namespaced_pod("typed", NAMESPACE, grace_period_seconds=0)
    assert (gone.kind, gone.metadata.name) == ("Pod", "typed"), gone
    service = client.V1Service(metadata=metadata, spec=client.V1ServiceSpec(ports=[client.V1ServicePort(port=80)]))
    core.create_namespaced_service(NAMESPACE, service)
    gone = core.delete_namespaced_service("typed", NAMESPACE)
    assert (gone.kind, gone.metadata.name, gone.spec.ports[0].port) == ("Service", "typed", 80), gone
    core.create_namespaced_service_account(NAMESPACE, client.V1ServiceAccount(metadata=metadata))
    assert core.delete_namespaced_service_account("typed", NAMESPACE).metadata.name == "typed"


@check("a list in pages")
def pages(core, **_):
    for index in range(7):
        core.create_namespaced_config_map(NAMESPACE, config_map(f"page-{index}", labels={"of": "pages"}))
    names, token, versions = [], None, set()
    while token != "":
        page = core.list_namespaced_config_map(
            NAMESPACE, label_selector="of=pages", limit=3, **({"_continue": token} if token else {})
        )
        names += [item.metadata.name for item in page.items]
        versions.add(page.metadata.resource_version)
        token = page.metadata._continue or ""
    assert names == [f"page-{index}" for index in range(7)] and len(versions) == 1
    core.delete_collection_namespaced_config_map(NAMESPACE, label_selector="of=pages")
    assert core.list_namespaced_config_map(NAMESPACE, label_selector="of=pages").items == []


@check("the dynamic client discovers and does the same")
def dynamically(api, **_):
    found = dynamic.DynamicClient(api, cache_file=f"{sys.argv[1]}.discovery-{kubernetes.__version__}")
    config_maps = found.resources.get(api_version="v1", kind="ConfigMap")
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "d"}, "data": {"a": "1"}}
    made = config_maps.create(body=body, namespace=NAMESPACE)
    events = config_maps.watch(namespace=NAMESPACE, resource_version=made.metadata.resourceVersion, timeout=1)
    merged = config_maps.patch(
        name="d", namespace=NAMESPACE, body={"data": {"b": "2"}}, content_type="application/merge-patch+json"
    )
    assert merged.data.to_dict() == {"a": "1", "b": "2"}
    assert [event["object"].data.b for event in events] == ["2"]
    try:
        config_maps.replace(body=made.to_dict(), namespace=NAMESPACE)
        raise AssertionError("a conflict was expected")
    except dynamic.exceptions.ConflictError as error:
        assert error.status == 409
    assert [item.metadata.name for item in config_maps.get(namespace=NAMESPACE, field_selector="metadata.name=d").items] == ["d"]
    assert config_maps.delete(name="d", namespace=NAMESPACE).status == "Success"
    try:
        config_maps.get(name="d", namespace=NAMESPACE)
        raise AssertionError("404 was expected")
    except dynamic.exceptions.NotFoundError:
        pass
    kinds = {resource.kind for resource in found.resources.search(group="apps")}
    assert {"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ControllerRevision"} <= kinds, kinds
    deployments = found.resources.get(api_version="apps/v1", kind="Deployment")
    assert "status" in deployments.subresources and "scale" in deployments.subresources


@check("create_from_yaml")
def from_yaml(api, core, apps, **_):
    objects = [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "y"}, "data": {"a": "1"}},
        api.sanitize_for_serialization(deployment("y")),
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "y"}, "spec": {"ports": [{"port": 80}]}},
    ]
    utils.create_from_yaml(api, yaml_objects=objects, namespace=NAMESPACE)
    assert core.read_namespaced_service("y", NAMESPACE).spec.cluster_ip
    assert apps.read_namespaced_deployment("y", NAMESPACE).spec.strategy.type == "RollingUpdate"
    try:
        utils.create_from_yaml(api, yaml_objects=objects, namespace=NAMESPACE)
        raise AssertionError("a failure was expected")
    except utils.FailToCreateError as error:
        assert [each.status for each in error.api_exceptions] == [409, 409, 409]


@check("version, groups, custom object calls")
def generic(api, **_):
    assert client.VersionApi(api).get_code().minor == "27"
    groups = {group.name for group in client.ApisApi(api).get_api_versions().groups}
    assert {"apps", "batch", "rbac.authorization.k8s.io"} <= groups
    leases = client.CustomObjectsApi(api)
    body = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "c"}, "spec": {"holderIdentity": "me"}}
    place = ("coordination.k8s.io", "v1", NAMESPACE, "leases")
    assert leases.create_namespaced_custom_object(*place, body)["spec"]["holderIdentity"] == "me"
    assert [item["metadata"]["name"] for item in leases.list_namespaced_custom_object(*place)["items"]] == ["c"]
    assert leases.delete_namespaced_custom_object(*place, "c")["status"] == "Success"


def main():
    config.load_kube_config(sys.argv[1])
    api = client.ApiClient()
    clients = {"api": api, "core": client.CoreV1Api(api), "apps": client.AppsV1Api(api)}
    for name, function in [*CHECKS, *connecting.CHECKS]:
        error = None
        try:
            function(**clients)
        except Exception:
            error = traceback.format_exc()
        emit(check=name, error=error)


main()
