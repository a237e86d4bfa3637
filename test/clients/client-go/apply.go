package main

import (
	"context"
	"slices"
	"strings"

	checks "go-checks"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
	appsac "k8s.io/client-go/applyconfigurations/apps/v1"
	autoscalingac "k8s.io/client-go/applyconfigurations/autoscaling/v1"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"
	metaac "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func applies(config *rest.Config, json, binary kubernetes.Interface) {
	for encoding, client := range map[string]kubernetes.Interface{"json": json, "protobuf": binary} {
		for _, each := range []struct {
			name string
			try  func(context.Context, kubernetes.Interface, string)
		}{
			{"ConfigMaps", configMapApplies},
			{"Deployments, status and scale", deploymentApplies},
			{"Services and Pods", listApplies},
		} {
			checks.Run(each.name+", "+encoding, func(ctx context.Context) { each.try(ctx, client, "apply-"+encoding) })
		}
	}
	checks.Run("without types", func(ctx context.Context) { untypedApply(ctx, config) })
}

func applied(manager string) metav1.ApplyOptions { return metav1.ApplyOptions{FieldManager: manager} }

func forced(manager string) metav1.ApplyOptions {
	return metav1.ApplyOptions{FieldManager: manager, Force: true}
}

// managersOf lists entries as "manager operation[ subresource]", sorted, for their own order depends on the second.
func managersOf(object metav1.Object) []string {
	found := []string{}
	for _, entry := range object.GetManagedFields() {
		found = append(found, strings.TrimSpace(entry.Manager+" "+string(entry.Operation)+" "+entry.Subresource))
	}
	slices.Sort(found)
	return found
}

func requireManagers(object metav1.Object, expected ...string) {
	found := managersOf(object)
	checks.Require(slices.Equal(found, expected), found, expected)
}

// conflictsOf are the fields that a refused apply names.
func conflictsOf(err error) []string {
	checks.Require(errors.IsConflict(err), err)
	fields := []string{}
	for _, cause := range err.(errors.APIStatus).Status().Details.Causes {
		checks.Require(cause.Type == metav1.CauseTypeFieldManagerConflict, cause)
		fields = append(fields, cause.Field)
	}
	return fields
}

// configMapApplies goes through what one object of few fields can show: first apply, no change, a field given up, a conflict,
// force, and what is extracted.
func configMapApplies(ctx context.Context, client kubernetes.Interface, name string) {
	maps := client.CoreV1().ConfigMaps(namespace)
	wanted := func(data map[string]string) *coreac.ConfigMapApplyConfiguration {
		return coreac.ConfigMap(name, namespace).WithLabels(map[string]string{"app": "x"}).WithData(data)
	}
	made, err := maps.Apply(ctx, wanted(map[string]string{"a": "1", "b": "1"}), applied("one"))
	checks.Must(err)
	requireManagers(made, "one Apply")
	again, err := maps.Apply(ctx, wanted(map[string]string{"a": "1", "b": "1"}), applied("one"))
	checks.Must(err)
	checks.Require(again.ResourceVersion == made.ResourceVersion, "nothing has changed", again)

	_, err = maps.Apply(ctx, wanted(map[string]string{"a": "2"}), applied("two"))
	checks.Require(slices.Equal(conflictsOf(err), []string{".data.a"}), err)
	checks.Require(strings.Contains(err.Error(), `Apply failed with 1 conflict: conflict with "one": .data.a`), err)
	taken, err := maps.Apply(ctx, wanted(map[string]string{"a": "2"}), forced("two"))
	checks.Must(err)
	checks.Require(taken.Data["a"] == "2" && taken.Data["b"] == "1", taken.Data)
	given, err := maps.Apply(ctx, wanted(map[string]string{}), applied("one"))
	checks.Must(err)
	checks.Require(len(given.Data) == 1 && given.Data["a"] == "2", "only what nobody else owns goes", given.Data)

	extracted, err := coreac.ExtractConfigMap(given, "two")
	checks.Must(err)
	checks.Require(len(extracted.Data) == 1 && extracted.Labels["app"] == "x" && extracted.Immutable == nil, extracted)
	changed, err := maps.Apply(ctx, extracted.WithData(map[string]string{"c": "3"}), applied("two"))
	checks.Must(err)
	checks.Require(changed.Data["a"] == "2" && changed.Data["c"] == "3", changed.Data)
	_, err = maps.Apply(ctx, wanted(map[string]string{"c": "3"}).WithUID(changed.UID+"x"), applied("two"))
	checks.Require(errors.IsInvalid(err), "a uid is of one object", err)
	_, err = maps.Apply(ctx, coreac.ConfigMap(name+"-none", namespace).WithUID("x"), applied("two"))
	checks.Require(errors.IsConflict(err), err)
	_, err = maps.Apply(ctx, wanted(nil).WithResourceVersion(made.ResourceVersion), applied("two"))
	checks.Require(errors.IsConflict(err), err)
	_, err = maps.Apply(ctx, wanted(nil), metav1.ApplyOptions{})
	checks.Require(errors.IsInvalid(err), "a manager is asked for", err)
}

// deploymentApplies keeps apart the spec, the status and the scale of a Deployment.
func deploymentApplies(ctx context.Context, client kubernetes.Interface, name string) {
	deployments := client.AppsV1().Deployments(namespace)
	made, err := deployments.Apply(ctx, deploymentWanted(name).WithSpec(specWanted(name).WithReplicas(2)), applied("owner"))
	checks.Must(err)
	requireManagers(made, "owner Apply")
	status := appsac.Deployment(name, namespace).WithStatus(appsac.DeploymentStatus().WithReplicas(2).WithReadyReplicas(1).
		WithConditions(appsac.DeploymentCondition().WithType("Available").WithStatus(corev1.ConditionTrue).WithReason("R").WithMessage("m")))
	told, err := deployments.ApplyStatus(ctx, status, applied("controller"))
	checks.Must(err)
	requireManagers(told, "controller Apply status", "owner Apply")
	checks.Require(told.Status.ReadyReplicas == 1 && len(told.Status.Conditions) == 1 && told.Generation == 1, told)

	scale, err := deployments.ApplyScale(ctx, name, autoscalingac.Scale().WithName(name).WithNamespace(namespace).
		WithSpec(autoscalingac.ScaleSpec().WithReplicas(5)), forced("scaler"))
	checks.Must(err)
	checks.Require(scale.Spec.Replicas == 5 && scale.Status.Replicas == 2, scale)
	scaled, err := deployments.Get(ctx, name, metav1.GetOptions{})
	checks.Must(err)
	requireManagers(scaled, "controller Apply status", "owner Apply", "scaler Apply scale")
	_, err = deployments.Apply(ctx, deploymentWanted(name).WithSpec(specWanted(name).WithReplicas(3)), applied("owner"))
	checks.Require(slices.Equal(conflictsOf(err), []string{".spec.replicas"}), err)
	checks.Require(strings.Contains(err.Error(), `conflict with "scaler" with subresource "scale": .spec.replicas`), err)

	extracted, err := appsac.ExtractDeployment(scaled, "owner")
	checks.Must(err)
	checks.Require(extracted.Spec.Replicas == nil && extracted.Status == nil, extracted.Spec)
	containers := extracted.Spec.Template.Spec.Containers
	checks.Require(len(containers) == 1 && containers[0].TerminationMessagePath == nil, "no defaults", containers)
	containers[0].WithImage("web:2")
	moved, err := deployments.Apply(ctx, extracted, applied("owner"))
	checks.Must(err)
	checks.Require(moved.Spec.Template.Spec.Containers[0].Image == "web:2" && *moved.Spec.Replicas == 5, moved.Spec)
	checks.Require(moved.Status.ReadyReplicas == 1, moved.Status)
	ofStatus, err := appsac.ExtractDeploymentStatus(moved, "controller")
	checks.Must(err)
	checks.Require(ofStatus.Spec == nil && *ofStatus.Status.ReadyReplicas == 1, ofStatus)
	ofStatus.Status.WithReadyReplicas(2)
	told, err = deployments.ApplyStatus(ctx, ofStatus, applied("controller"))
	checks.Must(err)
	checks.Require(told.Status.ReadyReplicas == 2 && len(told.Status.Conditions) == 1, told.Status)
}

func deploymentWanted(name string) *appsac.DeploymentApplyConfiguration {
	return appsac.Deployment(name, namespace).WithLabels(map[string]string{"app": name})
}

func specWanted(name string) *appsac.DeploymentSpecApplyConfiguration {
	labels := map[string]string{"app": name}
	port := coreac.ContainerPort().WithContainerPort(80)
	container := coreac.Container().WithName("web").WithImage("web:1").WithPorts(port)
	pod := coreac.PodTemplateSpec().WithLabels(labels).WithSpec(coreac.PodSpec().WithContainers(container))
	return appsac.DeploymentSpec().WithSelector(metaac.LabelSelector().WithMatchLabels(labels)).WithTemplate(pod)
}

// listApplies shares lists by their keys: ports of a Service, containers and tolerations of a Pod.
func listApplies(ctx context.Context, client kubernetes.Interface, name string) {
	services, pods := client.CoreV1().Services(namespace), client.CoreV1().Pods(namespace)
	port := func(name string, number int32) *coreac.ServicePortApplyConfiguration {
		return coreac.ServicePort().WithName(name).WithPort(number).WithTargetPort(intstr.FromString("t"))
	}
	service := func(ports ...*coreac.ServicePortApplyConfiguration) *coreac.ServiceApplyConfiguration {
		return coreac.Service(name, namespace).WithSpec(coreac.ServiceSpec().WithPorts(ports...))
	}
	_, err := services.Apply(ctx, service(port("a", 80), port("b", 81)), applied("one"))
	checks.Must(err)
	both, err := services.Apply(ctx, service(port("c", 82)), applied("two"))
	checks.Must(err)
	checks.Require(len(both.Spec.Ports) == 3 && both.Spec.ClusterIP != "", both.Spec)
	left, err := services.Apply(ctx, service(port("b", 81)), applied("one"))
	checks.Must(err)
	checks.Require(len(left.Spec.Ports) == 2, left.Spec.Ports)
	extracted, err := coreac.ExtractService(left, "two")
	checks.Must(err)
	checks.Require(len(extracted.Spec.Ports) == 1 && *extracted.Spec.Ports[0].Port == 82, extracted.Spec)
	checks.Require(extracted.Spec.ClusterIP == nil, "what the server drew belongs to no applier", extracted.Spec)

	container := coreac.Container().WithName("a").WithImage("a:1")
	pod, err := pods.Apply(ctx, coreac.Pod(name, namespace).WithSpec(coreac.PodSpec().WithContainers(container)), applied("one"))
	checks.Must(err)
	condition := coreac.PodCondition().WithType("Ready").WithStatus(corev1.ConditionTrue)
	ready := coreac.Pod(name, namespace).WithStatus(coreac.PodStatus().WithPhase(corev1.PodRunning).WithConditions(condition))
	running, err := pods.ApplyStatus(ctx, ready, applied("node"))
	checks.Must(err)
	checks.Require(running.Status.Phase == corev1.PodRunning && pod.Spec.Containers[0].Image == "a:1", running.Status)
	other := coreac.Pod(name, namespace).WithStatus(coreac.PodStatus().WithConditions(coreac.PodCondition().
		WithType("example.com/Gate").WithStatus(corev1.ConditionFalse)))
	running, err = pods.ApplyStatus(ctx, other, applied("gate"))
	checks.Must(err)
	checks.Require(len(running.Status.Conditions) == 2, running.Status.Conditions)
	ofNode, err := coreac.ExtractPodStatus(running, "node")
	checks.Must(err)
	checks.Require(len(ofNode.Status.Conditions) == 1 && *ofNode.Status.Conditions[0].Type == corev1.PodReady, ofNode.Status)
	_, err = pods.Apply(ctx, coreac.Pod(name, namespace).WithSpec(coreac.PodSpec().WithContainers(
		coreac.Container().WithName("a").WithImage("a:1").WithCommand("x"))), applied("one"))
	checks.Require(errors.IsInvalid(err), "a pod's command cannot change", err)
}

// untypedApply extracts by the types of /openapi, which must therefore say how lists are owned.
func untypedApply(ctx context.Context, config *rest.Config) {
	client := dynamic.NewForConfigOrDie(config).Resource(leases).Namespace(namespace)
	wanted := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "coordination.k8s.io/v1",
		"kind":       "Lease",
		"metadata":   map[string]any{"name": "applied", "ownerReferences": []any{ownerOf("a")}},
		"spec":       map[string]any{"leaseDurationSeconds": int64(15)},
	}}
	_, err := client.Apply(ctx, "applied", wanted, applied("one"))
	checks.Must(err)
	others := wanted.DeepCopy()
	checks.Must(unstructured.SetNestedSlice(others.Object, []any{ownerOf("b")}, "metadata", "ownerReferences"))
	live, err := client.Apply(ctx, "applied", others, applied("two"))
	checks.Must(err)
	checks.Require(len(live.GetOwnerReferences()) == 2, live)
	extractor, err := metaac.NewUnstructuredExtractor(discovery.NewDiscoveryClientForConfigOrDie(config))
	checks.Must(err)
	extracted, err := extractor.Extract(live, "two")
	checks.Must(err)
	checks.Require(len(extracted.GetOwnerReferences()) == 1 && extracted.GetOwnerReferences()[0].UID == "b", extracted)
	again, err := client.Apply(ctx, "applied", extracted, applied("two"))
	checks.Must(err)
	checks.Require(again.GetResourceVersion() == live.GetResourceVersion(), again)
	_, err = client.ApplyStatus(ctx, "applied", wanted, applied("one"))
	checks.Require(errors.IsNotFound(err), "a Lease has no status", err)
}

func ownerOf(uid string) map[string]any {
	return map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "name": uid, "uid": uid}
}
