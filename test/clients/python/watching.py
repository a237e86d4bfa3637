"""Checks of watches, and of the informer that releases since 37 have."""

import threading
import time

import kubernetes
from harness import NAMESPACE, check, config_map, restart, wait_until
from kubernetes import watch
from kubernetes.client.rest import ApiException


@check("a watch goes on from a version")
def watching(core, **_):
    version = core.list_namespaced_config_map(NAMESPACE).metadata.resource_version
    core.create_namespaced_config_map(NAMESPACE, config_map("w", a="1"))
    core.patch_namespaced_config_map("w", NAMESPACE, {"data": {"a": "2"}})
    core.delete_namespaced_config_map("w", NAMESPACE)
    watcher, seen = watch.Watch(), []
    for event in watcher.stream(core.list_namespaced_config_map, NAMESPACE, resource_version=version, timeout_seconds=5):
        seen.append((event["type"], event["object"].metadata.name, event["object"].metadata.resource_version))
        if event["type"] == "MODIFIED":
            watcher.stop()
    assert [each[0] for each in seen] == ["ADDED", "MODIFIED"], seen
    rest = watch.Watch().stream(
        core.list_namespaced_config_map, NAMESPACE, resource_version=seen[-1][2], timeout_seconds=1
    )
    assert [(event["type"], event["object"].data) for event in rest] == [("DELETED", {"a": "2"})]


@check("a watch from an expired version is 410, and a new list helps")
def expired(core, **_):
    try:
        for _ in watch.Watch().stream(core.list_namespaced_config_map, NAMESPACE, resource_version="1"):
            raise AssertionError("an event was not expected")
        raise AssertionError("410 was expected")
    except ApiException as error:
        assert error.status == 410, error
    listed = core.list_namespaced_config_map(NAMESPACE)
    stream = watch.Watch().stream(
        core.list_namespaced_config_map,
        NAMESPACE,
        resource_version=listed.metadata.resource_version,
        timeout_seconds=1,
    )
    assert list(stream) == []


@check("a watch that is kept open goes on when the server was killed")
def restarted(core, **_):
    listed = core.list_namespaced_config_map(NAMESPACE)
    held = {item.metadata.name: item.data for item in listed.items}
    state = {"version": listed.metadata.resource_version, "lists": 1, "streams": 0}
    done = threading.Event()

    def follow():
        while not done.is_set():
            try:
                state["streams"] += 1
                watcher = watch.Watch()
                for event in watcher.stream(
                    core.list_namespaced_config_map, NAMESPACE, resource_version=state["version"], timeout_seconds=60
                ):
                    found = event["object"]
                    if event["type"] == "DELETED":
                        held.pop(found.metadata.name, None)
                    else:
                        held[found.metadata.name] = found.data
                    state["version"] = found.metadata.resource_version
            except ApiException as error:
                assert error.status != 410, "its version must be kept"
            except Exception:
                pass
            time.sleep(0.1)

    threading.Thread(target=follow, daemon=True).start()
    core.create_namespaced_config_map(NAMESPACE, config_map("r-before", a="1"))
    wait_until("the first change is seen", lambda: "r-before" in held)
    restart()
    core.create_namespaced_config_map(NAMESPACE, config_map("r-after", a="1"))
    core.delete_namespaced_config_map("r-before", NAMESPACE)
    wait_until("changes after it are seen", lambda: "r-after" in held and "r-before" not in held)
    assert state["streams"] > 1
    done.set()


if hasattr(kubernetes, "informer"):

    @check("the informer goes on when the server was killed")
    def informer(core, **_):
        from kubernetes import informer as informers

        follower = informers.SharedInformer(list_func=core.list_namespaced_config_map, namespace=NAMESPACE)
        lost = []
        follower.add_event_handler(informers.DELETED, lambda found: lost.append(found.metadata.name))
        follower.start()
        names = lambda: {found.metadata.name for found in follower.cache.list()}
        core.create_namespaced_config_map(NAMESPACE, config_map("i-before", a="1"))
        wait_until("the first change is seen", lambda: "i-before" in names())
        restart()
        core.create_namespaced_config_map(NAMESPACE, config_map("i-after", a="1"))
        core.delete_namespaced_config_map("i-before", NAMESPACE)
        wait_until("changes after it are seen", lambda: "i-after" in names() and lost == ["i-before"])
        listed = {item.metadata.name for item in core.list_namespaced_config_map(NAMESPACE).items}
        assert names() == listed
        # Stopping waits for an event, so one follows.
        stopping = threading.Thread(target=follower.stop)
        stopping.start()
        core.delete_namespaced_config_map("i-after", NAMESPACE)
