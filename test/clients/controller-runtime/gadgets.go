package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	checks "go-checks"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

const (
	writers = 16
	// A server under test has one processor or two, and thousands of objects to serve.
	allReconciledWithin = 2 * time.Minute
)

// requests counts what an informer has asked of the collection; pages of a list behind the first do not count.
type requests struct{ lists, watches atomic.Int64 }

// informerRequests counts what informers of whole Gadgets ask, and those of their metadata.
type informerRequests struct{ whole, metadata requests }

func (r *informerRequests) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTrip(func(request *http.Request) (*http.Response, error) {
		if request.Method == http.MethodGet && strings.HasSuffix(request.URL.Path, "/gadgets") {
			counted := &r.whole
			if strings.Contains(request.Header.Get("Accept"), "as=PartialObjectMetadata") {
				counted = &r.metadata
			}
			switch query := request.URL.Query(); {
			case query.Has("watch"):
				counted.watches.Add(1)
			case !query.Has("continue"):
				counted.lists.Add(1)
			}
		}
		return next.RoundTrip(request)
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (r roundTrip) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }

// measurer writes into the status of every Gadget what it has seen.
type measurer struct {
	client.Client
	written, failed atomic.Int64
	lastFailure     atomic.Value
}

func (m *measurer) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	target := &Gadget{}
	if err := m.Get(ctx, request.NamespacedName, target); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if target.Status.ObservedGeneration == target.Generation {
		return ctrl.Result{}, nil
	}
	target.Status = GadgetStatus{ObservedGeneration: target.Generation, ObservedSize: target.Spec.Size}
	switch err := m.Status().Update(ctx, target); {
	case err == nil:
		m.written.Add(1)
		return ctrl.Result{}, nil
	case errors.IsConflict(err):
		return ctrl.Result{Requeue: true}, nil
	case errors.IsNotFound(err):
		return ctrl.Result{}, nil
	default:
		m.failed.Add(1)
		m.lastFailure.Store(err.Error())
		return ctrl.Result{}, err
	}
}

func (m *measurer) setup(mgr manager.Manager) error {
	metadata := &metav1.PartialObjectMetadata{}
	metadata.SetGroupVersionKind(gadgetVersion.WithKind("Gadget"))
	unheeded := handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []ctrl.Request { return nil })
	return ctrl.NewControllerManagedBy(mgr).For(&Gadget{}).Watches(metadata, unheeded, builder.OnlyMetadata).
		WithOptions(controller.Options{MaxConcurrentReconciles: writers}).Complete(m)
}

// gadgetChecks tries caches and a reconciler over that many objects of a custom kind.
func gadgetChecks(config *rest.Config, count int) {
	own := managerConfig(config)
	direct, err := client.New(own, client.Options{Scheme: gadgetScheme()})
	checks.Must(err)
	asked := &informerRequests{}
	own.Wrap(asked.wrap)
	var mgr manager.Manager
	checks.Run("a definition is installed", func(context.Context) {
		_, err := envtest.InstallCRDs(config, envtest.CRDInstallOptions{
			CRDs: []*apiextensionsv1.CustomResourceDefinition{gadgetDefinition()},
		})
		checks.Must(err)
	})
	checks.Run("objects are made, with defaults and by rules", func(ctx context.Context) { makeGadgets(ctx, direct, count) })
	running, stop := context.WithCancel(context.Background())
	defer stop()
	checks.Run("a reconciler writes the status of each while gateways are restarted", func(ctx context.Context) {
		mgr, err = ctrl.NewManager(own, ctrl.Options{Scheme: gadgetScheme(), MetricsBindAddress: "0"})
		checks.Must(err)
		start(running, mgr)
		measureOverRestart(ctx, mgr, direct, count)
	})
	checks.Run("the caches of objects and of metadata are what a list is", func(ctx context.Context) {
		compareCaches(ctx, mgr, direct)
	})
	checks.Run("informers list once, and watch anew when a gateway goes", func(context.Context) {
		for _, each := range []*requests{&asked.whole, &asked.metadata} {
			lists, watches := each.lists.Load(), each.watches.Load()
			checks.Require(lists == 1 && watches >= 2 && watches <= 4, lists, watches)
		}
	})
}

func gadget(name string, size int) *Gadget {
	return &Gadget{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
		Spec:       GadgetSpec{Size: int64(size)},
	}
}

func gadgetName(index int) string { return fmt.Sprintf("gadget-%d", index) }

func makeGadgets(ctx context.Context, c client.Client, count int) {
	inParallel(count, func(index int) error {
		made := gadget(gadgetName(index), index)
		if err := c.Create(ctx, made); err != nil {
			return err
		}
		if made.Spec.Color != "grey" || made.Generation != 1 {
			return fmt.Errorf("made as %+v", made)
		}
		return nil
	})
	err := c.Create(ctx, gadget("small", -1))
	checks.Require(errors.IsInvalid(err) && strings.Contains(err.Error(), "no gadget is that small"), err)
}

// measureOverRestart has every tenth object changed, deleted, or made beside the others once the gateways were restarted.
func measureOverRestart(ctx context.Context, mgr manager.Manager, direct client.Client, count int) {
	reconciler := &measurer{Client: mgr.GetClient()}
	checks.Must(reconciler.setup(mgr))
	checks.Require(mgr.GetCache().WaitForCacheSync(ctx))
	checks.UntilWithin(allReconciledWithin, "a third is reconciled", func() bool { return reconciler.written.Load() >= int64(count/3) })
	checks.Restart()
	inParallel(count/10, func(index int) error {
		resize := client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"size":7}}`))
		if err := direct.Patch(ctx, gadget(gadgetName(10*index), 0), resize); err != nil {
			return err
		}
		if err := direct.Delete(ctx, gadget(gadgetName(10*index+1), 0)); err != nil {
			return err
		}
		return direct.Create(ctx, gadget(gadgetName(count+index), 7))
	})
	checks.UntilWithin(allReconciledWithin, "all are reconciled", func() bool {
		if reconciler.written.Load() < int64(count) {
			return false
		}
		held := &GadgetList{}
		checks.Must(mgr.GetClient().List(ctx, held))
		for index := range held.Items {
			if each := &held.Items[index]; each.Status.ObservedGeneration != each.Generation || each.Status.ObservedSize != each.Spec.Size {
				return false
			}
		}
		return len(held.Items) == count
	})
	// Writes go to api-servers, which nobody restarted.
	checks.Require(reconciler.failed.Load() == 0, reconciler.failed.Load(), reconciler.lastFailure.Load())
}

func compareCaches(ctx context.Context, mgr manager.Manager, direct client.Client) {
	versions := func(c client.Reader) map[string]string {
		list := &GadgetList{}
		checks.Must(c.List(ctx, list))
		found := map[string]string{}
		for _, each := range list.Items {
			found[each.Name] = each.ResourceVersion
		}
		return found
	}
	metadataVersions := func() map[string]string {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(gadgetVersion.WithKind("GadgetList"))
		checks.Must(mgr.GetClient().List(ctx, list))
		found := map[string]string{}
		for _, each := range list.Items {
			found[each.Name] = each.ResourceVersion
		}
		return found
	}
	listed := versions(direct)
	checks.Until("the cache is the list", func() bool { return equal(versions(mgr.GetClient()), listed) })
	checks.Until("the cache of metadata is the list", func() bool { return equal(metadataVersions(), listed) })
}

func equal(one, other map[string]string) bool {
	if len(one) != len(other) {
		return false
	}
	for name, version := range one {
		if other[name] != version {
			return false
		}
	}
	return true
}

// inParallel calls for every index below the count, and ends the check with the first error.
func inParallel(count int, call func(index int) error) {
	var next atomic.Int64
	var group sync.WaitGroup
	failures := make(chan error, writers)
	for writer := 0; writer < writers; writer++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for index := int(next.Add(1)) - 1; index < count; index = int(next.Add(1)) - 1 {
				if err := call(index); err != nil {
					failures <- err
					return
				}
			}
		}()
	}
	group.Wait()
	close(failures)
	checks.Must(<-failures)
}
