package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/fluxcd/pkg/ssa"
	"github.com/fluxcd/pkg/ssa/jsondiff"
	checks "go-checks"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// shop has kinds whose manifests the server completes in ways that must not look like drift.
const shop = `
apiVersion: v1
kind: Namespace
metadata: {name: flux}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: flux-reader}
rules: [{apiGroups: [""], resources: [pods], verbs: [get, list]}]
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: web, namespace: flux}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: flux, labels: {app: web}}
data: {a: "1", b: "2"}
---
apiVersion: v1
kind: Secret
metadata: {name: hidden, namespace: flux}
stringData: {password: x}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: flux}
spec: {selector: {app: web}, ports: [{port: 80, name: http}, {port: 443, name: https}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: flux}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      serviceAccountName: web
      containers:
      - name: web
        image: web:1
        ports: [{containerPort: 80}, {containerPort: 443}]
        resources: {requests: {cpu: 0.1, memory: 64Mi}, limits: {cpu: "1"}}
        env: [{name: A, value: "1"}, {name: B, valueFrom: {configMapKeyRef: {name: settings, key: a}}}]
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web, namespace: flux}
spec:
  maxReplicas: 5
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}]
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web, namespace: flux}
spec:
  rules: [{host: web.example.com, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {name: http}}}}]}}]
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly, namespace: flux}
spec:
  schedule: "0 3 * * *"
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: a:1}]}}}}
`

func namesOf(objects []*unstructured.Unstructured) []string {
	names := []string{}
	for _, object := range objects {
		parts := []string{object.GetKind(), object.GetNamespace(), object.GetName()}
		names = append(names, strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "/"))
	}
	return names
}

func appliesOnce(ctx context.Context, f fixture) {
	objects := read(shop)
	f.resource.SetOwnerLabels(objects, "shop", "default")
	f.apply(ctx, objects, options(), each(ssa.CreatedAction, namesOf(objects)...))
	versions := map[string]string{}
	for _, object := range objects {
		live := f.live(ctx, object)
		versions[live.GetKind()] = live.GetResourceVersion()
		checks.Require(live.GetLabels()["example.com/name"] == "shop", live)
	}
	again := read(shop)
	f.resource.SetOwnerLabels(again, "shop", "default")
	f.apply(ctx, again, options(), each(ssa.UnchangedAction, namesOf(again)...))
	for _, object := range again {
		live := f.live(ctx, object)
		checks.Require(live.GetResourceVersion() == versions[live.GetKind()], live)
	}
}

const settings = `
apiVersion: v1
kind: ConfigMap
metadata: {name: NAME, namespace: flux}
data: {a: "1", b: "2"}
`

func named(name string) []*unstructured.Unstructured {
	return read(strings.ReplaceAll(settings, "NAME", name))
}

func mendsDrift(ctx context.Context, f fixture) {
	f.apply(ctx, named("drift"), options(), each(ssa.CreatedAction, "ConfigMap/flux/drift"))
	edit := client.RawPatch(types.MergePatchType, []byte(`{"data":{"a":"9","foreign":"yes"}}`))
	checks.Must(f.client.Patch(ctx, named("drift")[0], edit, client.FieldOwner("someone")))
	entry, live, merged, err := f.resource.Diff(ctx, named("drift")[0], ssa.DefaultDiffOptions())
	checks.Must(err)
	checks.Require(entry.Action == ssa.ConfiguredAction, entry)
	value := func(object *unstructured.Unstructured, key string) string {
		found, _, err := unstructured.NestedString(object.Object, "data", key)
		checks.Must(err)
		return found
	}
	checks.Require(value(live, "a") == "9" && value(merged, "a") == "1" && value(merged, "foreign") == "yes", live, merged)
	f.apply(ctx, named("drift"), options(), each(ssa.ConfiguredAction, "ConfigMap/flux/drift"))
	mended := f.live(ctx, named("drift")[0])
	checks.Require(value(mended, "a") == "1" && value(mended, "foreign") == "yes", mended)
	entry, _, _, err = f.resource.Diff(ctx, named("drift")[0], ssa.DefaultDiffOptions())
	checks.Must(err)
	checks.Require(entry.Action == ssa.UnchangedAction, entry)
}

func recreates(ctx context.Context, f fixture) {
	frozen := func(value string) []*unstructured.Unstructured {
		objects := named("frozen")
		objects[0].Object["immutable"] = true
		checks.Must(unstructured.SetNestedField(objects[0].Object, value, "data", "a"))
		return objects
	}
	f.apply(ctx, frozen("1"), options(), each(ssa.CreatedAction, "ConfigMap/flux/frozen"))
	before := f.live(ctx, frozen("1")[0])
	_, err := f.resource.ApplyAll(ctx, frozen("2"), options())
	checks.Require(err != nil && strings.Contains(err.Error(), "field is immutable"), err)
	forced := options()
	forced.Force = true
	f.apply(ctx, frozen("2"), forced, each(ssa.CreatedAction, "ConfigMap/flux/frozen"))
	checks.Require(f.live(ctx, frozen("2")[0]).GetUID() != before.GetUID())
}

// takesOver renames entries by a patch of managedFields, so that the next apply gives up what is no more in the manifest.
func takesOver(ctx context.Context, f fixture) {
	applied := named("taken")[0]
	checks.Must(unstructured.SetNestedField(applied.Object, "3", "data", "old"))
	text, err := json.Marshal(applied.Object)
	checks.Must(err)
	applied.SetAnnotations(map[string]string{"kubectl.kubernetes.io/last-applied-configuration": string(text)})
	checks.Must(f.client.Create(ctx, applied, client.FieldOwner("kubectl-client-side-apply")))
	cleaning := options()
	cleaning.Cleanup = ssa.ApplyCleanupOptions{
		Annotations:   []string{"kubectl.kubernetes.io/last-applied-configuration"},
		FieldManagers: []ssa.FieldManager{{Name: "kubectl", OperationType: metav1.ManagedFieldsOperationUpdate}},
	}
	f.apply(ctx, named("taken"), cleaning, each(ssa.ConfiguredAction, "ConfigMap/flux/taken"))
	live := f.live(ctx, named("taken")[0])
	data, _, err := unstructured.NestedStringMap(live.Object, "data")
	checks.Must(err)
	checks.Require(len(data) == 2 && len(live.GetAnnotations()) == 0, live)
	entries := live.GetManagedFields()
	checks.Require(len(entries) == 1 && entries[0].Manager == manager && entries[0].Operation == metav1.ManagedFieldsOperationApply, entries)
}

func migrates(ctx context.Context, f fixture) {
	budget := `
apiVersion: VERSION
kind: HorizontalPodAutoscaler
metadata: {name: moved, namespace: flux}
spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}
`
	in := func(version string) []*unstructured.Unstructured {
		return read(strings.ReplaceAll(budget, "VERSION", version))
	}
	name := "HorizontalPodAutoscaler/flux/moved"
	f.apply(ctx, in("autoscaling/v1"), options(), each(ssa.CreatedAction, name))
	checks.Require(f.live(ctx, in("autoscaling/v2")[0]).GetManagedFields()[0].APIVersion == "autoscaling/v1")
	moving := options()
	moving.MigrateAPIVersion = true
	f.apply(ctx, in("autoscaling/v2"), moving, each(ssa.ConfiguredAction, name))
	entries := f.live(ctx, in("autoscaling/v2")[0]).GetManagedFields()
	checks.Require(len(entries) == 1 && entries[0].APIVersion == "autoscaling/v2", entries)
}

// ignoresDrift looks up in fieldsV1 who else applied the field.
func ignoresDrift(ctx context.Context, f fixture) {
	web := func() *unstructured.Unstructured {
		objects := read(shop)
		return objects[slices.IndexFunc(objects, func(o *unstructured.Unstructured) bool { return o.GetKind() == "Deployment" })]
	}
	scaled := &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"name": "web", "namespace": namespace},
		"spec":     map[string]any{"replicas": int64(7)},
	}}
	scaled.SetGroupVersionKind(web().GroupVersionKind())
	checks.Must(f.client.Apply(ctx, client.ApplyConfigurationFromUnstructured(scaled), client.FieldOwner("scaler"), client.ForceOwnership))
	relabelled := web()
	relabelled.SetLabels(map[string]string{"new": "label"})
	ignoring := options()
	ignoring.DriftIgnoreRules = []jsondiff.IgnoreRule{{Paths: []string{"/spec/replicas"}}}
	f.apply(ctx, []*unstructured.Unstructured{relabelled}, ignoring, each(ssa.ConfiguredAction, "Deployment/flux/web"))
	live := f.live(ctx, web())
	replicas, _, err := unstructured.NestedInt64(live.Object, "spec", "replicas")
	checks.Must(err)
	checks.Require(replicas == 7 && live.GetLabels()["new"] == "label", live)
}

func waits(ctx context.Context, f fixture) {
	objects := slices.DeleteFunc(read(shop), func(o *unstructured.Unstructured) bool {
		return o.GetKind() == "Ingress" || o.GetKind() == "HorizontalPodAutoscaler"
	})
	web := objects[slices.IndexFunc(objects, func(o *unstructured.Unstructured) bool { return o.GetKind() == "Deployment" })]
	err := f.resource.Wait([]*unstructured.Unstructured{web}, ssa.WaitOptions{Interval: 20 * time.Millisecond, Timeout: 200 * time.Millisecond})
	checks.Require(err != nil && strings.Contains(err.Error(), "InProgress"), err)
	// There is no controller here to say so.
	generation := f.live(ctx, web).GetGeneration()
	status, err := json.Marshal(map[string]any{"status": map[string]any{
		"observedGeneration": generation, "replicas": 7, "updatedReplicas": 7, "readyReplicas": 7, "availableReplicas": 7,
		"conditions": []any{
			map[string]any{"type": "Available", "status": "True"},
			map[string]any{"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"},
		},
	}})
	checks.Must(err)
	checks.Must(f.client.Status().Patch(ctx, web.DeepCopy(), client.RawPatch(types.MergePatchType, status)))
	checks.Must(f.resource.Wait(objects, ssa.WaitOptions{Interval: 20 * time.Millisecond, Timeout: checks.Limit}))
}

func deletesAll(ctx context.Context, f fixture) {
	objects := read(shop)
	f.resource.SetOwnerLabels(objects, "shop", "default")
	chosen := ssa.DefaultDeleteOptions()
	chosen.Inclusions = f.resource.GetOwnerLabels("shop", "default")
	changes, err := f.resource.DeleteAll(ctx, objects, chosen)
	checks.Must(err)
	skipped := 0
	for _, entry := range changes.Entries {
		if entry.Action == ssa.SkippedAction {
			skipped++
		}
	}
	// The Deployment lost its labels of ownership to an apply without them.
	checks.Require(skipped == 1, changes)
	checks.Must(f.resource.WaitForTermination(objects[:1], ssa.WaitOptions{Interval: 20 * time.Millisecond, Timeout: checks.Limit}))
	err = f.client.Get(ctx, client.ObjectKeyFromObject(objects[0]), objects[0].DeepCopy())
	checks.Require(errors.IsNotFound(err), err)
}
