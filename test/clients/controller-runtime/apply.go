package main

import (
	"context"

	checks "go-checks"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var deploymentType = metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"}

// entryOf finds who applied to an object or a subresource of it.
func entryOf(object client.Object, manager, subresource string) *metav1.ManagedFieldsEntry {
	for _, entry := range object.GetManagedFields() {
		if entry.Manager == manager && entry.Subresource == subresource && entry.Operation == metav1.ManagedFieldsOperationApply {
			return &entry
		}
	}
	return nil
}

// typedApplies sends structs, which hold creationTimestamp: null, empty resources and an empty status beside what is meant.
func typedApplies(ctx context.Context, c client.Client) {
	wanted := func(replicas int32) *appsv1.Deployment {
		made := deployment("applied")
		made.TypeMeta, made.Spec.Replicas = deploymentType, &replicas
		return made
	}
	first := wanted(2)
	checks.Must(c.Patch(ctx, first, client.Apply, client.FieldOwner("one")))
	checks.Require(first.UID != "" && entryOf(first, "one", "") != nil, first)
	again := wanted(2)
	checks.Must(c.Patch(ctx, again, client.Apply, client.FieldOwner("one")))
	checks.Require(again.ResourceVersion == first.ResourceVersion, "nothing has changed", again)
	err := c.Patch(ctx, wanted(3), client.Apply, client.FieldOwner("two"))
	checks.Require(errors.IsConflict(err), err)
	causes := err.(errors.APIStatus).Status().Details.Causes
	checks.Require(len(causes) == 1 && causes[0].Field == ".spec.replicas", causes)
	forced := wanted(3)
	checks.Must(c.Patch(ctx, forced, client.Apply, client.FieldOwner("two"), client.ForceOwnership))
	checks.Require(*forced.Spec.Replicas == 3 && forced.Generation == 2, forced)

	status := &appsv1.Deployment{TypeMeta: deploymentType, ObjectMeta: metav1.ObjectMeta{Name: "applied", Namespace: namespace}}
	status.Status = appsv1.DeploymentStatus{Replicas: 3, Conditions: []appsv1.DeploymentCondition{
		{Type: "Available", Status: corev1.ConditionTrue},
	}}
	checks.Must(c.Status().Patch(ctx, status, client.Apply, client.FieldOwner("controller"), client.ForceOwnership))
	checks.Require(status.Status.Replicas == 3 && *status.Spec.Replicas == 3, status)
	checks.Require(entryOf(status, "controller", "status") != nil && entryOf(status, "controller", "") == nil, status.ManagedFields)
	own := status.DeepCopy()
	err = c.Patch(ctx, own, client.Apply, client.FieldOwner("one"))
	checks.Require(errors.IsBadRequest(err), "managedFields in the body", err)
}

func unstructuredApplies(ctx context.Context, c client.Client) {
	wanted := func(status, spec map[string]any) *unstructured.Unstructured {
		object := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "web"}}}
		object.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Service"))
		object.SetNamespace(namespace)
		if status != nil {
			object.Object["status"] = status
		}
		if spec != nil {
			object.Object["spec"] = spec
		}
		return object
	}
	port := map[string]any{"port": int64(80), "name": "http"}
	made := wanted(nil, map[string]any{"ports": []any{port}})
	checks.Must(c.Patch(ctx, made, client.Apply, client.FieldOwner("one")))
	// The same port over another protocol is another item.
	other := map[string]any{"port": int64(80), "name": "quic", "protocol": "UDP"}
	both := wanted(nil, map[string]any{"ports": []any{other}})
	checks.Must(c.Patch(ctx, both, client.Apply, client.FieldOwner("two")))
	service := &corev1.Service{}
	checks.Must(c.Get(ctx, client.ObjectKeyFromObject(both), service))
	checks.Require(len(service.Spec.Ports) == 2 && service.Spec.ClusterIP != "", service.Spec)
	ready := wanted(map[string]any{"loadBalancer": map[string]any{"ingress": []any{map[string]any{"ip": "192.0.2.1"}}}}, nil)
	checks.Must(c.Status().Patch(ctx, ready, client.Apply, client.FieldOwner("balancer")))
	checks.Must(c.Get(ctx, client.ObjectKeyFromObject(both), service))
	checks.Require(len(service.Status.LoadBalancer.Ingress) == 1 && len(service.Spec.Ports) == 2, service)
	given := wanted(nil, nil)
	checks.Must(c.Patch(ctx, given, client.Apply, client.FieldOwner("two")))
	checks.Must(c.Get(ctx, client.ObjectKeyFromObject(both), service))
	checks.Require(len(service.Spec.Ports) == 1 && service.Spec.Ports[0].Name == "http", service.Spec.Ports)
	dry := wanted(nil, map[string]any{"type": "NodePort"})
	checks.Must(c.Patch(ctx, dry, client.Apply, client.FieldOwner("three"), client.DryRunAll))
	checks.Must(c.Get(ctx, client.ObjectKeyFromObject(both), service))
	checks.Require(service.Spec.Type == corev1.ServiceTypeClusterIP, service.Spec)
}
