"""Keeps a ConfigMap for every Greeting, and the message in the Greeting's status."""

from kubernetes import client, config, watch
from kubernetes.client.exceptions import ApiException

GREETINGS = {"group": "example.com", "version": "v1", "plural": "greetings"}


def desired_config_map(greeting):
    """Returns the ConfigMap that a Greeting asks for; its owner reference leads back to the Greeting."""
    metadata = greeting["metadata"]
    owner = {
        "apiVersion": greeting["apiVersion"],
        "kind": greeting["kind"],
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": True,
    }
    return {
        "metadata": {"name": metadata["name"], "ownerReferences": [owner]},
        "data": {"message": f"Hello, {greeting['spec']['name']}!"},
    }


def reconcile(greeting):
    """Brings one Greeting to its desired state. It may be called at any time, so it starts from what is there."""
    name, namespace = greeting["metadata"]["name"], greeting["metadata"]["namespace"]
    core, custom = client.CoreV1Api(), client.CustomObjectsApi()
    wanted = desired_config_map(greeting)
    try:
        present = core.read_namespaced_config_map(name, namespace)
        if present.data != wanted["data"]:
            core.patch_namespaced_config_map(name, namespace, {"data": wanted["data"]})
    except ApiException as error:
        if error.status != 404:
            raise
        core.create_namespaced_config_map(namespace, wanted)
    status = {"message": wanted["data"]["message"]}
    if greeting.get("status") != status:
        custom.patch_namespaced_custom_object_status(
            **GREETINGS, namespace=namespace, name=name, body={"status": status}
        )


def handle(greeting):
    """Reconciles a Greeting, unless it has been deleted meanwhile."""
    try:
        reconcile(greeting)
    except ApiException as error:
        if error.status != 404:
            raise


def follow():
    """Lists all Greetings, then watches for changes until the server no longer has them."""
    custom = client.CustomObjectsApi()
    listed = custom.list_cluster_custom_object(**GREETINGS)
    for greeting in listed["items"]:
        handle(greeting)
    version = listed["metadata"]["resourceVersion"]
    for event in watch.Watch().stream(
        custom.list_cluster_custom_object, **GREETINGS, resource_version=version
    ):
        if event["type"] in ("ADDED", "MODIFIED"):
            handle(event["object"])


config.load_kube_config()
while True:
    try:
        follow()
    except ApiException as error:
        if error.status != 410:
            raise
        # The watch was interrupted for longer than the server keeps changes: list again.
