// Keeps a ConfigMap for every Greeting, and the message in the Greeting's status.
package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
)

var greetingKind = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Greeting"}

func newGreeting() *unstructured.Unstructured {
	greeting := &unstructured.Unstructured{}
	greeting.SetGroupVersionKind(greetingKind)
	return greeting
}

type reconciler struct {
	client.Client
}

// Reconcile brings one Greeting to its desired state. It may be called at any time, so it starts from what is there.
func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	greeting := newGreeting()
	if err := r.Get(ctx, request.NamespacedName, greeting); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	name, _, err := unstructured.NestedString(greeting.Object, "spec", "name")
	if err != nil {
		return ctrl.Result{}, err
	}
	message := "Hello, " + name + "!"

	configMap := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: request.Name, Namespace: request.Namespace}}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, configMap, func() error {
		configMap.Data = map[string]string{"message": message}
		return controllerutil.SetControllerReference(greeting, configMap, r.Scheme())
	}); err != nil {
		return ctrl.Result{}, err
	}

	before := greeting.DeepCopy()
	if err := unstructured.SetNestedField(greeting.Object, message, "status", "message"); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Status().Patch(ctx, greeting, client.MergeFrom(before))
}

func main() {
	ctrl.SetLogger(zap.New())
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{MetricsBindAddress: "0"})
	if err != nil {
		panic(err)
	}
	err = ctrl.NewControllerManagedBy(manager).
		For(newGreeting()).
		Owns(&corev1.ConfigMap{}).
		Complete(&reconciler{manager.GetClient()})
	if err != nil {
		panic(err)
	}
	if err := manager.Start(ctrl.SetupSignalHandler()); err != nil {
		panic(err)
	}
}
