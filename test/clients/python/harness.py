"""What every check of the Python client needs: a registry, builders of objects, and a way to have the server restarted."""

import json
import sys
import time

from kubernetes import client
from kubernetes.client.rest import ApiException

NAMESPACE = "default"
WAIT_SECONDS = 30

CHECKS = []


def check(name):
    """Registers a function as a check."""

    def register(function):
        CHECKS.append((name, function))
        return function

    return register


def emit(**line):
    print(json.dumps(line), flush=True)


def wait_until(what, holds):
    deadline = time.monotonic() + WAIT_SECONDS
    while not holds():
        assert time.monotonic() < deadline, f"not within {WAIT_SECONDS} s: {what}"
        time.sleep(0.05)


def restart():
    """Has the server killed and started again; connections that are pooled are broken then."""
    emit(restart=True)
    sys.stdin.readline()


def refusal(code, reason, call, *args, **kwargs):
    """Asserts that a call is refused; returns the Status."""
    try:
        call(*args, **kwargs)
    except ApiException as error:
        status = json.loads(error.body)
        assert (error.status, status["kind"], status["reason"]) == (code, "Status", reason), error
        return status
    raise AssertionError(f"{code} {reason} was expected")


def config_map(name, labels=None, **data):
    return client.V1ConfigMap(
        api_version="v1",
        kind="ConfigMap",
        metadata=client.V1ObjectMeta(name=name, labels=labels),
        data=data,
    )


def deployment(name, replicas=1):
    labels = {"app": name}
    container = client.V1Container(name="web", image="web:1")
    template = client.V1PodTemplateSpec(
        metadata=client.V1ObjectMeta(labels=labels), spec=client.V1PodSpec(containers=[container])
    )
    spec = client.V1DeploymentSpec(
        replicas=replicas, selector=client.V1LabelSelector(match_labels=labels), template=template
    )
    return client.V1Deployment(
        api_version="apps/v1", kind="Deployment", metadata=client.V1ObjectMeta(name=name), spec=spec
    )
