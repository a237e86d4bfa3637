package main

import (
	"context"

	checks "go-checks"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
)

func discovered(config *rest.Config) {
	client := discovery.NewDiscoveryClientForConfigOrDie(config)
	version, err := client.ServerVersion()
	checks.Must(err)
	checks.Require(version.Major == "1" && version.Minor == "27", version)
	groups, err := restmapper.GetAPIGroupResources(client)
	checks.Must(err)
	mapping, err := restmapper.NewDiscoveryRESTMapper(groups).RESTMapping(schema.GroupKind{Group: "apps", Kind: "Deployment"})
	checks.Must(err)
	checks.Require(mapping.Resource.Resource == "deployments", mapping)
	paths, err := client.OpenAPIV3().Paths()
	checks.Must(err)
	checks.Require(paths["apis/apps/v1"] != nil, paths)
}

var leases = schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}

// preferCBOR: the server knows no CBOR, so its answers are JSON and a body in CBOR is refused; the client goes on in JSON.
func preferCBOR(ctx context.Context, config *rest.Config) {
	seen := &requests{}
	own := rest.CopyConfig(config)
	own.Wrap(seen.wrap)
	client := dynamic.NewForConfigOrDie(own).Resource(leases).Namespace(namespace)
	lease := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "coordination.k8s.io/v1",
		"kind":       "Lease",
		"metadata":   map[string]any{"name": "c"},
		"spec":       map[string]any{"holderIdentity": "me"},
	}}
	made, err := client.Create(ctx, lease, metav1.CreateOptions{})
	if errors.IsUnsupportedMediaType(err) {
		made, err = client.Create(ctx, lease, metav1.CreateOptions{})
	}
	checks.Must(err)
	checks.Require(seen.cborRefused.Load() == 1, "one body in CBOR was refused", seen.cborRefused.Load())
	stream, err := client.Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=c"})
	checks.Must(err)
	first := <-stream.ResultChan()
	checks.Require(first.Object.(*unstructured.Unstructured).GetUID() == made.GetUID(), first)
	stream.Stop()
	partial, err := metadata.NewForConfigOrDie(own).Resource(leases).Namespace(namespace).Get(ctx, "c", metav1.GetOptions{})
	checks.Must(err)
	checks.Require(partial.UID == made.GetUID(), partial)
	checks.Must(client.Delete(ctx, "c", metav1.DeleteOptions{}))
}
