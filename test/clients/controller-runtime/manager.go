package main

import (
	"context"
	"sync/atomic"
	"time"

	checks "go-checks"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

const finalizer = "example.com/mirror"

// mirror keeps, for every Deployment with its finalizer, a ConfigMap of the same name that says its generation and that
// its owner deletes with it, and counts the Secrets that it is told of by their metadata alone.
type mirror struct {
	client.Client
	secrets atomic.Int64
}

func (m *mirror) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	target := &appsv1.Deployment{}
	if err := m.Get(ctx, request.NamespacedName, target); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	copied := configMap(target.Name, nil)
	if !target.DeletionTimestamp.IsZero() {
		if err := client.IgnoreNotFound(m.Delete(ctx, copied)); err != nil {
			return ctrl.Result{}, err
		}
		controllerutil.RemoveFinalizer(target, finalizer)
		return ctrl.Result{}, m.Update(ctx, target)
	}
	if !controllerutil.ContainsFinalizer(target, finalizer) {
		return ctrl.Result{}, nil
	}
	_, err := controllerutil.CreateOrUpdate(ctx, m.Client, copied, func() error {
		copied.Data = map[string]string{"image": target.Spec.Template.Spec.Containers[0].Image}
		return controllerutil.SetControllerReference(target, copied, m.Scheme())
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	before := target.DeepCopy()
	target.Status.ObservedGeneration = target.Generation
	return ctrl.Result{}, m.Status().Patch(ctx, target, client.MergeFrom(before))
}

func (m *mirror) setup(mgr manager.Manager) error {
	secretSeen := handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []ctrl.Request {
		m.secrets.Add(1)
		return nil
	})
	return ctrl.NewControllerManagedBy(mgr).For(&appsv1.Deployment{}).Owns(&corev1.ConfigMap{}).
		WatchesMetadata(&corev1.Secret{}, secretSeen, builder.Predicates{}).Complete(m)
}

func newManager(config *rest.Config, lease string) manager.Manager {
	// Long enough for a lease to be kept over a restart of the server.
	duration, deadline, retry := time.Minute, 45*time.Second, 500*time.Millisecond
	mgr, err := ctrl.NewManager(managerConfig(config), ctrl.Options{
		MetricsBindAddress:            "0",
		LeaderElection:                true,
		LeaderElectionID:              lease,
		LeaderElectionNamespace:       namespace,
		LeaderElectionReleaseOnCancel: true,
		LeaseDuration:                 &duration,
		RenewDeadline:                 &deadline,
		RetryPeriod:                   &retry,
	})
	checks.Must(err)
	return mgr
}

// start runs a manager until the context ends; what it returned is sent then.
func start(ctx context.Context, mgr manager.Manager) <-chan error {
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	return ended
}

func reconcileOverKill(ctx context.Context, config *rest.Config, direct client.Client) {
	running, stop := context.WithCancel(ctx)
	defer stop()
	mgr := newManager(config, "mirror")
	reconciler := &mirror{Client: mgr.GetClient()}
	checks.Must(reconciler.setup(mgr))
	ended := start(running, mgr)

	target := deployment("mirrored")
	target.Finalizers = []string{finalizer}
	checks.Must(direct.Create(ctx, target))
	key := client.ObjectKeyFromObject(target)
	copied := &corev1.ConfigMap{}
	image := func() string {
		// From the cache, so what the informer holds.
		if err := mgr.GetClient().Get(ctx, key, copied); err != nil {
			checks.Require(errors.IsNotFound(err), err)
			return ""
		}
		return copied.Data["image"]
	}
	checks.Until("the copy is made", func() bool { return image() == "web:1" })
	checks.Must(direct.Create(ctx, &corev1.Secret{ObjectMeta: configMap("seen", nil).ObjectMeta}))
	checks.Until("a Secret is seen", func() bool { return reconciler.secrets.Load() == 1 })

	checks.Restart()
	checks.Until("the image is changed", func() bool {
		checks.Must(client.IgnoreNotFound(retried(func() error { return direct.Get(ctx, key, target) })))
		target.Spec.Template.Spec.Containers[0].Image = "web:2"
		return direct.Update(ctx, target) == nil
	})
	checks.Until("the copy follows", func() bool { return image() == "web:2" })
	checks.Until("so does the status", func() bool {
		checks.Must(direct.Get(ctx, key, target))
		return target.Status.ObservedGeneration == target.Generation
	})
	checks.Must(direct.Delete(ctx, target))
	checks.Until("the finalizer lets go", func() bool { return errors.IsNotFound(direct.Get(ctx, key, target)) })
	checks.Require(errors.IsNotFound(direct.Get(ctx, key, copied)), copied)
	stop()
	checks.Must(<-ended)
}

// retried repeats a call whose connection may have been cut by the restart.
func retried(call func() error) error {
	err := call()
	if err != nil && errors.ReasonForError(err) == "" {
		return call()
	}
	return err
}

func takeOver(ctx context.Context, config *rest.Config) {
	firstRuns, stopFirst := context.WithCancel(ctx)
	defer stopFirst()
	first := newManager(config, "contended")
	ended := start(firstRuns, first)
	<-first.Elected()
	second := newManager(config, "contended")
	start(ctx, second)
	select {
	case <-second.Elected():
		panic("two leaders")
	case <-time.After(2 * time.Second):
	}
	stopFirst()
	checks.Must(<-ended)
	select {
	case <-second.Elected():
	case <-time.After(checks.Limit):
		panic("no new leader")
	}
}
