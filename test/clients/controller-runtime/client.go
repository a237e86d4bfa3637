package main

import (
	"context"
	"fmt"
	"time"

	checks "go-checks"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func everydayVerbs(ctx context.Context, c client.Client) {
	made := configMap("a", map[string]string{"a": "1"})
	made.Labels = map[string]string{"of": "verbs"}
	checks.Must(c.Create(ctx, made))
	checks.Require(made.UID != "" && time.Since(made.CreationTimestamp.Time) < time.Minute, made)
	read := &corev1.ConfigMap{}
	checks.Must(c.Get(ctx, client.ObjectKeyFromObject(made), read))
	checks.Require(read.ResourceVersion == made.ResourceVersion && read.Data["a"] == "1", read)
	list := &corev1.ConfigMapList{}
	checks.Must(c.List(ctx, list, client.InNamespace(namespace), client.MatchingLabels{"of": "verbs"}))
	checks.Require(len(list.Items) == 1 && list.Items[0].Name == "a", list)
	read.Data["b"] = "2"
	checks.Must(c.Update(ctx, read))
	checks.Require(read.ResourceVersion != made.ResourceVersion, read)
	checks.Must(c.Delete(ctx, read))
	checks.Require(client.IgnoreNotFound(c.Get(ctx, client.ObjectKeyFromObject(made), read)) == nil)
}

func typedErrors(ctx context.Context, c client.Client) {
	made := configMap("e", map[string]string{"a": "1"})
	checks.Must(c.Create(ctx, made))
	checks.Require(errors.IsAlreadyExists(c.Create(ctx, configMap("e", nil))))
	stale := made.DeepCopy()
	made.Data["a"] = "2"
	checks.Must(c.Update(ctx, made))
	checks.Require(errors.IsConflict(c.Update(ctx, stale)))
	err := c.Patch(ctx, made.DeepCopy(), client.MergeFromWithOptions(stale, client.MergeFromWithOptimisticLock{}))
	checks.Require(errors.IsConflict(err), err)
	uid := types.UID("other")
	err = c.Delete(ctx, made, client.Preconditions{UID: &uid})
	checks.Require(errors.IsConflict(err), err)
	err = c.Create(ctx, configMap("No_Name", nil))
	checks.Require(errors.IsInvalid(err), err)
	cause := err.(errors.APIStatus).Status().Details.Causes[0]
	checks.Require(cause.Field == "metadata.name" && cause.Type == metav1.CauseTypeFieldValueInvalid, cause)
	err = c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "none"}, made)
	checks.Require(errors.IsNotFound(err), err)
}

func patches(ctx context.Context, c client.Client) {
	made := configMap("p", map[string]string{"a": "1"})
	checks.Must(c.Create(ctx, made))
	steps := []byte(`[{"op":"add","path":"/data/b","value":"2"},{"op":"remove","path":"/data/a"}]`)
	checks.Must(c.Patch(ctx, made, client.RawPatch(types.JSONPatchType, steps)))
	checks.Require(len(made.Data) == 1 && made.Data["b"] == "2", made.Data)
	base := made.DeepCopy()
	made.Data = map[string]string{"c": "3"}
	checks.Must(c.Patch(ctx, made, client.MergeFrom(base)))
	checks.Require(len(made.Data) == 1 && made.Data["c"] == "3", made.Data)
	target := deployment("p")
	checks.Must(c.Create(ctx, target))
	before := target.DeepCopy()
	spec := &target.Spec.Template.Spec
	spec.Containers = append(spec.Containers, corev1.Container{Name: "side", Image: "side:1"})
	checks.Must(c.Patch(ctx, target, client.StrategicMergeFrom(before)))
	checks.Require(len(target.Spec.Template.Spec.Containers) == 2 && target.Generation == 2, target)
}

func statusPatches(ctx context.Context, c client.Client) {
	target := deployment("s")
	checks.Must(c.Create(ctx, target))
	before := target.DeepCopy()
	target.Status.Replicas, target.Spec.Paused = 1, true
	checks.Must(c.Status().Patch(ctx, target, client.MergeFrom(before)))
	checks.Require(target.Status.Replicas == 1 && !target.Spec.Paused && target.Generation == 1, target)
	target.Status.ReadyReplicas = 1
	checks.Must(c.Status().Update(ctx, target))
	partial := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "s", Namespace: namespace}}
	partial.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("Deployment"))
	label := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":{"x":"y"}}}`))
	checks.Must(c.Patch(ctx, partial, label))
	checks.Require(partial.Labels["x"] == "y", partial)
}

func pages(ctx context.Context, c client.Client) {
	labels := client.MatchingLabels{"of": "pages"}
	for index := 0; index < 7; index++ {
		made := configMap(fmt.Sprintf("page-%d", index), nil)
		made.Labels = labels
		checks.Must(c.Create(ctx, made))
	}
	found := 0
	page := &corev1.ConfigMapList{}
	for more := true; more; more = page.Continue != "" {
		checks.Must(c.List(ctx, page, client.InNamespace(namespace), labels, client.Limit(3), client.Continue(page.Continue)))
		found += len(page.Items)
	}
	checks.Require(found == 7, found)
	checks.Must(c.DeleteAllOf(ctx, &corev1.ConfigMap{}, client.InNamespace(namespace), labels))
	checks.Must(c.List(ctx, page, client.InNamespace(namespace), labels))
	checks.Require(len(page.Items) == 0, page)
}

func otherForms(ctx context.Context, c client.Client) {
	lease := &unstructured.Unstructured{}
	lease.SetGroupVersionKind(schema.GroupVersionKind{Group: "coordination.k8s.io", Version: "v1", Kind: "Lease"})
	lease.SetNamespace(namespace)
	lease.SetName("u")
	checks.Must(unstructured.SetNestedField(lease.Object, "me", "spec", "holderIdentity"))
	checks.Must(c.Create(ctx, lease))
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(schema.GroupVersionKind{Group: "coordination.k8s.io", Version: "v1", Kind: "LeaseList"})
	checks.Must(c.List(ctx, list, client.InNamespace(namespace)))
	checks.Require(len(list.Items) == 1 && list.Items[0].UID == lease.GetUID(), list)
	checks.Must(c.Delete(ctx, lease))
}

func deployment(name string) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	pod := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web:1"}}},
	}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
		Spec:       appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: pod},
	}
}
