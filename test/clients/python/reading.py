"""Reads of objects that say as little as they may, through models that raise where a member is missing which they require."""

import sys

import kubernetes
from harness import NAMESPACE, check
from kubernetes import client, dynamic

POD = {"containers": [{"name": "web", "image": "web:1"}]}
TEMPLATE = {"metadata": {"labels": {"app": "least"}}, "spec": POD}
JOB_TEMPLATE = {"spec": {**POD, "restartPolicy": "Never"}}
SELECTOR = {"matchLabels": {"app": "least"}}
HOOK = {
    "name": "least.example.com",
    "clientConfig": {"url": "https://127.0.0.1:1/"},
    "sideEffects": "None",
    "admissionReviewVersions": ["v1"],
}
SCALED = {"kind": "Deployment", "name": "least", "apiVersion": "apps/v1"}
ROLE = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "least"}
VERSION = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
DEFINITION = {
    "group": "least.example.com",
    "scope": "Namespaced",
    "names": {"plural": "leasts", "kind": "Least"},
    "versions": [VERSION],
}
VOLUME = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/least"}}
CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
ROUTE = {"group": "least.example.com", "version": "v1", "groupPriorityMinimum": 1, "versionPriority": 1}

# Group-version, resource, the class of its API and the name in its methods; beyond metadata, what the object must say.
NAMESPACED = [
    ("v1", "pods", "CoreV1Api", "pod", {"spec": POD}),
    ("v1", "services", "CoreV1Api", "service", {"spec": {"ports": [{"port": 80}]}}),
    ("v1", "endpoints", "CoreV1Api", "endpoints", {}),
    ("v1", "events", "CoreV1Api", "event", {"involvedObject": {"namespace": NAMESPACE}}),
    ("v1", "secrets", "CoreV1Api", "secret", {}),
    ("v1", "serviceaccounts", "CoreV1Api", "service_account", {}),
    ("v1", "persistentvolumeclaims", "CoreV1Api", "persistent_volume_claim", {"spec": CLAIM}),
    ("v1", "resourcequotas", "CoreV1Api", "resource_quota", {}),
    ("v1", "limitranges", "CoreV1Api", "limit_range", {"spec": {"limits": [{"type": "Container"}]}}),
    ("v1", "podtemplates", "CoreV1Api", "pod_template", {"template": TEMPLATE}),
    ("v1", "replicationcontrollers", "CoreV1Api", "replication_controller", {"spec": {"template": TEMPLATE}}),
    ("apps/v1", "deployments", "AppsV1Api", "deployment", {"spec": {"selector": SELECTOR, "template": TEMPLATE}}),
    ("apps/v1", "replicasets", "AppsV1Api", "replica_set", {"spec": {"selector": SELECTOR, "template": TEMPLATE}}),
    (
        "apps/v1",
        "statefulsets",
        "AppsV1Api",
        "stateful_set",
        {"spec": {"serviceName": "least", "selector": SELECTOR, "template": TEMPLATE}},
    ),
    ("apps/v1", "daemonsets", "AppsV1Api", "daemon_set", {"spec": {"selector": SELECTOR, "template": TEMPLATE}}),
    ("apps/v1", "controllerrevisions", "AppsV1Api", "controller_revision", {"revision": 1, "data": {}}),
    ("batch/v1", "jobs", "BatchV1Api", "job", {"spec": {"template": JOB_TEMPLATE}}),
    (
        "batch/v1",
        "cronjobs",
        "BatchV1Api",
        "cron_job",
        {"spec": {"schedule": "0 0 1 1 *", "jobTemplate": {"spec": {"template": JOB_TEMPLATE}}}},
    ),
    (
        "autoscaling/v1",
        "horizontalpodautoscalers",
        "AutoscalingV1Api",
        "horizontal_pod_autoscaler",
        {"spec": {"maxReplicas": 2, "scaleTargetRef": SCALED}},
    ),
    (
        "autoscaling/v2",
        "horizontalpodautoscalers",
        "AutoscalingV2Api",
        "horizontal_pod_autoscaler",
        {"spec": {"maxReplicas": 2, "scaleTargetRef": SCALED}},
    ),
    (
        "networking.k8s.io/v1",
        "ingresses",
        "NetworkingV1Api",
        "ingress",
        {"spec": {"defaultBackend": {"service": {"name": "least", "port": {"number": 80}}}}},
    ),
    ("networking.k8s.io/v1", "networkpolicies", "NetworkingV1Api", "network_policy", {"spec": {}}),
    ("policy/v1", "poddisruptionbudgets", "PolicyV1Api", "pod_disruption_budget", {}),
    ("rbac.authorization.k8s.io/v1", "roles", "RbacAuthorizationV1Api", "role", {}),
    ("rbac.authorization.k8s.io/v1", "rolebindings", "RbacAuthorizationV1Api", "role_binding", {"roleRef": ROLE}),
    ("coordination.k8s.io/v1", "leases", "CoordinationV1Api", "lease", {}),
    (
        "discovery.k8s.io/v1",
        "endpointslices",
        "DiscoveryV1Api",
        "endpoint_slice",
        {"addressType": "IPv4", "endpoints": [{"addresses": ["10.0.0.1"]}]},
    ),
]

CLUSTER_WIDE = [
    ("v1", "nodes", "CoreV1Api", "node", {}),
    ("v1", "namespaces", "CoreV1Api", "namespace", {}),
    ("v1", "persistentvolumes", "CoreV1Api", "persistent_volume", {"spec": VOLUME}),
    ("rbac.authorization.k8s.io/v1", "clusterroles", "RbacAuthorizationV1Api", "cluster_role", {}),
    (
        "rbac.authorization.k8s.io/v1",
        "clusterrolebindings",
        "RbacAuthorizationV1Api",
        "cluster_role_binding",
        {"roleRef": {**ROLE, "kind": "ClusterRole"}},
    ),
    ("storage.k8s.io/v1", "storageclasses", "StorageV1Api", "storage_class", {"provisioner": "example.com/least"}),
    ("storage.k8s.io/v1", "csidrivers", "StorageV1Api", "csi_driver", {"spec": {}}),
    ("storage.k8s.io/v1", "csinodes", "StorageV1Api", "csi_node", {"spec": {"drivers": [{"name": "example.com", "nodeID": "least"}]}}),
    (
        "storage.k8s.io/v1",
        "volumeattachments",
        "StorageV1Api",
        "volume_attachment",
        {"spec": {"attacher": "example.com", "nodeName": "least", "source": {"persistentVolumeName": "least"}}},
    ),
    ("scheduling.k8s.io/v1", "priorityclasses", "SchedulingV1Api", "priority_class", {"value": 1}),
    ("node.k8s.io/v1", "runtimeclasses", "NodeV1Api", "runtime_class", {"handler": "least"}),
    ("networking.k8s.io/v1", "ingressclasses", "NetworkingV1Api", "ingress_class", {"spec": {"controller": "a.io/b"}}),
    (
        "admissionregistration.k8s.io/v1",
        "validatingwebhookconfigurations",
        "AdmissionregistrationV1Api",
        "validating_webhook_configuration",
        {"webhooks": [HOOK]},
    ),
    (
        "admissionregistration.k8s.io/v1",
        "mutatingwebhookconfigurations",
        "AdmissionregistrationV1Api",
        "mutating_webhook_configuration",
        {"webhooks": [HOOK]},
    ),
    ("apiregistration.k8s.io/v1", "apiservices", "ApiregistrationV1Api", "api_service", {"spec": ROUTE}),
    (
        "apiextensions.k8s.io/v1",
        "customresourcedefinitions",
        "ApiextensionsV1Api",
        "custom_resource_definition",
        {"spec": DEFINITION},
    ),
]

# Names that are not anybody's choice.
NAMES = {"customresourcedefinitions": "leasts.least.example.com", "apiservices": "v1.least.example.com"}

# Status that says of its parts as little as it may; what writes it are kubelets and controllers.
STATUS = {
    "pods": {
        "conditions": [{"type": "Ready", "status": "True"}],
        "containerStatuses": [{"name": "web"}],
        "initContainerStatuses": [{"name": "first"}],
    },
    "nodes": {
        "nodeInfo": {"kubeletVersion": "v1.27.16"},
        "conditions": [{"type": "Ready", "status": "True"}],
        "addresses": [{"type": "Hostname", "address": "least"}],
    },
    "services": {"loadBalancer": {"ingress": [{"ip": "10.0.0.1"}]}},
    "deployments": {"replicas": 1},
    "statefulsets": {"readyReplicas": 0},
    "daemonsets": {"observedGeneration": 1},
    "horizontalpodautoscalers": {"conditions": [{"type": "ScalingActive", "status": "True"}]},
    "poddisruptionbudgets": {"observedGeneration": 1},
    "volumeattachments": {"attachError": {}},
}


def path_of(version, resource, namespaced):
    root = f"/api/{version}" if version == "v1" else f"/apis/{version}"
    return f"{root}/namespaces/{NAMESPACE}/{resource}" if namespaced else f"{root}/{resource}"


def send(api, method, path, body, **params):
    """Sends a body as it is: a model would refuse what it misses."""
    dynamic.DynamicClient(api, cache_file=f"{sys.argv[1]}.discovery-{kubernetes.__version__}").request(
        method, path, body=body, **params
    )


def reads(version, resource, api_class, method, body, namespaced):
    def run(api, **_):
        name = NAMES.get(resource, f"least-{version.split('/')[-1]}")
        path = path_of(version, resource, namespaced)
        send(api, "post", path, {"metadata": {"name": name}, **body})
        place = {"namespace": NAMESPACE} if namespaced else {}
        typed = getattr(client, api_class)(api)
        infix = "_namespaced" if namespaced else ""

        def read_and_list():
            read = getattr(typed, f"read{infix}_{method}")(name=name, **place)
            assert read.metadata.name == name, read
            listed = getattr(typed, f"list{infix}_{method}")(**place)
            assert name in [item.metadata.name for item in listed.items]

        read_and_list()
        if resource in STATUS:
            status = {"status": STATUS[resource]}
            send(api, "patch", f"{path}/{name}/status", status, content_type="application/merge-patch+json")
            read_and_list()
        send(api, "delete", f"{path}/{name}", None)

    return run


for namespaced, kinds in [(True, NAMESPACED), (False, CLUSTER_WIDE)]:
    for each in kinds:
        check(f"reads what says little: {each[1]}.{each[0]}")(reads(*each, namespaced))


@check("reads what says little: scale and reviews")
def others(api, apps, **_):
    body = {"metadata": {"name": "scaled"}, "spec": {"selector": SELECTOR, "template": TEMPLATE}}
    send(api, "post", path_of("apps/v1", "deployments", True), body)
    assert apps.read_namespaced_deployment_scale("scaled", NAMESPACE).status.replicas == 0
    attributes = client.V1ResourceAttributes(verb="get", resource="pods")
    review = client.V1SelfSubjectAccessReview(
        spec=client.V1SelfSubjectAccessReviewSpec(resource_attributes=attributes)
    )
    assert client.AuthorizationV1Api(api).create_self_subject_access_review(review).status.allowed
    rules = client.V1SelfSubjectRulesReview(spec=client.V1SelfSubjectRulesReviewSpec(namespace=NAMESPACE))
    assert client.AuthorizationV1Api(api).create_self_subject_rules_review(rules).status.incomplete is not None
