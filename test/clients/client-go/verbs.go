package main

import (
	"context"
	"fmt"

	checks "go-checks"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
)

func configMap(name string, data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: data}
}

func everydayVerbs(ctx context.Context, client kubernetes.Interface, name string) {
	maps := client.CoreV1().ConfigMaps(namespace)
	made, err := maps.Create(ctx, configMap(name, map[string]string{"a": "1"}), metav1.CreateOptions{})
	checks.Must(err)
	read, err := maps.Get(ctx, name, metav1.GetOptions{})
	checks.Must(err)
	checks.Require(read.ResourceVersion == made.ResourceVersion && read.Data["a"] == "1", read)
	read.Data["a"] = "2"
	updated, err := maps.Update(ctx, read, metav1.UpdateOptions{})
	checks.Must(err)
	_, err = maps.Update(ctx, made, metav1.UpdateOptions{})
	checks.Require(errors.IsConflict(err), err)
	_, err = maps.Create(ctx, configMap(name, nil), metav1.CreateOptions{})
	checks.Require(errors.IsAlreadyExists(err), err)
	_, err = maps.Create(ctx, configMap("No_Name", nil), metav1.CreateOptions{})
	checks.Require(errors.IsInvalid(err), err)
	checks.Must(maps.Delete(ctx, name, *metav1.NewRVDeletionPrecondition(updated.ResourceVersion)))
	_, err = maps.Get(ctx, name, metav1.GetOptions{})
	checks.Require(errors.IsNotFound(err), err)
	only := "metadata.name=" + name
	stream, err := maps.Watch(ctx, metav1.ListOptions{ResourceVersion: made.ResourceVersion, FieldSelector: only})
	checks.Must(err)
	first, second := <-stream.ResultChan(), <-stream.ResultChan()
	checks.Require(first.Type == watch.Modified && first.Object.(*corev1.ConfigMap).Data["a"] == "2", first)
	checks.Require(second.Type == watch.Deleted, second)
	stream.Stop()
	_, err = maps.Watch(ctx, metav1.ListOptions{ResourceVersion: "1"})
	checks.Require(errors.IsResourceExpired(err), err)
}

func patches(ctx context.Context, client kubernetes.Interface) {
	maps, deployments := client.CoreV1().ConfigMaps(namespace), client.AppsV1().Deployments(namespace)
	_, err := maps.Create(ctx, configMap("p", map[string]string{"a": "1"}), metav1.CreateOptions{})
	checks.Must(err)
	steps := `[{"op":"test","path":"/data/a","value":"1"},{"op":"remove","path":"/data/a"}]`
	patched, err := maps.Patch(ctx, "p", types.JSONPatchType, []byte(steps), metav1.PatchOptions{})
	checks.Must(err)
	checks.Require(len(patched.Data) == 0, patched)
	patched, err = maps.Patch(ctx, "p", types.MergePatchType, []byte(`{"data":{"b":"2"}}`), metav1.PatchOptions{})
	checks.Must(err)
	checks.Require(patched.Data["b"] == "2", patched)
	labels := map[string]string{"app": "p"}
	template := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web:1"}}},
	}
	target := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "p"},
		Spec:       appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: template},
	}
	_, err = deployments.Create(ctx, target, metav1.CreateOptions{})
	checks.Must(err)
	sidecar := `{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"side:1"}]}}}}`
	merged, err := deployments.Patch(ctx, "p", types.StrategicMergePatchType, []byte(sidecar), metav1.PatchOptions{})
	checks.Must(err)
	checks.Require(len(merged.Spec.Template.Spec.Containers) == 2, merged)
	merged.Status.Replicas = 2
	_, err = deployments.UpdateStatus(ctx, merged, metav1.UpdateOptions{})
	checks.Must(err)
	scale, err := deployments.GetScale(ctx, "p", metav1.GetOptions{})
	checks.Must(err)
	checks.Require(scale.Spec.Replicas == 1 && scale.Status.Replicas == 2, scale)
}

func pages(ctx context.Context, client kubernetes.Interface) {
	maps := client.CoreV1().ConfigMaps(namespace)
	for index := range 7 {
		made := configMap(fmt.Sprintf("page-%d", index), nil)
		made.Labels = map[string]string{"of": "pages"}
		_, err := maps.Create(ctx, made, metav1.CreateOptions{})
		checks.Must(err)
	}
	selected := metav1.ListOptions{LabelSelector: "of=pages", Limit: 3}
	found := 0
	for options := selected; ; {
		page, err := maps.List(ctx, options)
		checks.Must(err)
		found += len(page.Items)
		if options.Continue = page.Continue; page.Continue == "" {
			break
		}
	}
	checks.Require(found == 7, found)
	checks.Must(maps.DeleteCollection(ctx, metav1.DeleteOptions{}, selected))
}
