// Command fluxcd-checks drives a server by the package with which Flux reconciles: it applies on trial, compares, applies
// what differs, cleans up who owned fields before, and waits for what came of it.
//
// Usage: fluxcd-checks KUBECONFIG
package main

import (
	"context"
	"maps"
	"os"
	"strings"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/polling"
	"github.com/fluxcd/pkg/ssa"
	"github.com/fluxcd/pkg/ssa/utils"
	checks "go-checks"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
)

const (
	namespace = "flux"
	manager   = "flux"
)

// fixture is a reconciler and the client beneath it.
type fixture struct {
	client   client.Client
	resource *ssa.ResourceManager
}

func main() {
	ctrl.SetLogger(zap.New(zap.WriteTo(os.Stderr)))
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	checks.Must(err)
	config.QPS = -1
	direct, err := client.New(config, client.Options{Scheme: scheme.Scheme})
	checks.Must(err)
	poller := polling.NewStatusPoller(direct, direct.RESTMapper(), polling.Options{})
	owner := ssa.Owner{Field: manager, Group: "example.com"}
	f := fixture{direct, ssa.NewResourceManager(direct, poller, owner)}
	for _, each := range []struct {
		name string
		try  func(context.Context, fixture)
	}{
		{"a set of objects is applied, and left alone the second time", appliesOnce},
		{"a drift is shown, and mended", mendsDrift},
		{"a field that cannot change makes the object anew when that is asked for", recreates},
		{"fields of kubectl's client-side apply change hands", takesOver},
		{"entries of another version are moved", migrates},
		{"what others own is left to them", ignoresDrift},
		{"waits until all is ready", waits},
		{"deletes all, and waits for that", deletesAll},
	} {
		checks.Run(each.name, func(ctx context.Context) { each.try(ctx, f) })
	}
}

func read(manifest string) []*unstructured.Unstructured {
	objects, err := utils.ReadObjects(strings.NewReader(manifest))
	checks.Must(err)
	return objects
}

// live is what the server has of an object.
func (f fixture) live(ctx context.Context, object *unstructured.Unstructured) *unstructured.Unstructured {
	found := &unstructured.Unstructured{}
	found.SetGroupVersionKind(object.GroupVersionKind())
	checks.Must(f.client.Get(ctx, client.ObjectKeyFromObject(object), found))
	return found
}

// apply applies and requires what was done with each object, as "Deployment/flux/web" and "created".
func (f fixture) apply(ctx context.Context, objects []*unstructured.Unstructured, options ssa.ApplyOptions, expected map[string]ssa.Action) {
	changes, err := f.resource.ApplyAllStaged(ctx, objects, options)
	checks.Must(err)
	checks.Require(maps.Equal(changes.ToMap(), expected), changes.ToMap(), expected)
}

func each(action ssa.Action, names ...string) map[string]ssa.Action {
	all := map[string]ssa.Action{}
	for _, name := range names {
		all[name] = action
	}
	return all
}

func options() ssa.ApplyOptions {
	chosen := ssa.DefaultApplyOptions()
	chosen.WaitInterval, chosen.WaitTimeout = 50*time.Millisecond, checks.Limit
	return chosen
}
