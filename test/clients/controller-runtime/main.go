// Command controller-runtime-checks tries controller-runtime against a server.
//
// Usage: controller-runtime-checks [-gadgets COUNT] KUBECONFIG
//
// With a count it tries caches and a reconciler over as many objects of a custom kind, and nothing else.
package main

import (
	"context"
	"flag"
	"net/http"
	"os"
	"strings"
	"sync/atomic"

	checks "go-checks"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
)

const namespace = "default"

// binaryAnswers counts answers in protobuf, which the library asks for of its own accord for built-in kinds.
var binaryAnswers atomic.Int64

type countingTransport struct{ next http.RoundTripper }

func (t countingTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(request)
	if err == nil && strings.HasPrefix(response.Header.Get("Content-Type"), "application/vnd.kubernetes.protobuf") {
		binaryAnswers.Add(1)
	}
	return response, err
}

func main() {
	ctrl.SetLogger(zap.New(zap.WriteTo(os.Stderr)))
	gadgets := flag.Int("gadgets", 0, "how many objects of a custom kind to try")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", flag.Arg(0))
	checks.Must(err)
	if *gadgets > 0 {
		gadgetChecks(config, *gadgets)
		return
	}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return countingTransport{next} })
	direct, err := client.New(config, client.Options{Scheme: scheme.Scheme})
	checks.Must(err)
	for _, each := range []struct {
		name string
		try  func(context.Context, client.Client)
	}{
		{"create, get, list, update, delete", everydayVerbs},
		{"errors have their codes and reasons", typedErrors},
		{"patches: JSON, merge, strategic merge", patches},
		{"status and metadata are patched apart", statusPatches},
		{"typed objects are applied, and their status", typedApplies},
		{"unstructured objects are applied, and their status", unstructuredApplies},
		{"a list in pages", pages},
		{"unstructured objects and partial metadata", otherForms},
	} {
		try := each.try
		checks.Run(each.name, func(ctx context.Context) { try(ctx, direct) })
	}
	checks.Run("a cache that is filled with a token of a service account", func(ctx context.Context) { accountToken(ctx, config, direct) })
	checks.Run("a reconciler with cache, finalizer and leader election, over a kill of the server", func(ctx context.Context) {
		reconcileOverKill(ctx, config, direct)
	})
	checks.Run("another manager takes over the lease", func(ctx context.Context) { takeOver(ctx, config) })
	checks.Run("a defaulter and a validator of a custom kind, over a kill of the server", func(ctx context.Context) {
		ownWebhooks(ctx, config, direct)
	})
	checks.Run("answers were binary", func(context.Context) {
		checks.Require(binaryAnswers.Load() > 0, binaryAnswers.Load())
	})
}

func configMap(name string, data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace}, Data: data}
}

// managerConfig is without the limits of rate that a client has by default.
func managerConfig(config *rest.Config) *rest.Config {
	own := rest.CopyConfig(config)
	own.QPS = -1
	return own
}
