// Command client-go-checks tries a late client-go against a server: what it does by default, and what it does when it
// prefers CBOR, which it is told by KUBE_FEATURE_ClientsAllowCBOR and KUBE_FEATURE_ClientsPreferCBOR.
//
// Usage: client-go-checks streams|lists|proxied|apply KUBECONFIG
//
// The first argument says whether the server can stream the initial state of an informer; proxied, that it cannot and that
// a load balancer with HTTP/1.1 stands in front. apply is for server-side apply alone, which has no way back from CBOR.
package main

import (
	"context"
	"os"

	checks "go-checks"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const namespace = "default"

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[2])
	checks.Must(err)
	config.QPS = -1
	seen := &requests{}
	config.Wrap(seen.wrap)
	json := kubernetes.NewForConfigOrDie(config)
	binaryConfig := rest.CopyConfig(config)
	binaryConfig.ContentType = runtime.ContentTypeProtobuf
	binary := kubernetes.NewForConfigOrDie(binaryConfig)

	if os.Args[1] == "apply" {
		applies(config, json, binary)
		return
	}
	checks.Run("JSON: verbs, errors, watch", func(ctx context.Context) { everydayVerbs(ctx, json, "json") })
	checks.Run("protobuf: verbs, errors, watch", func(ctx context.Context) { everydayVerbs(ctx, binary, "protobuf") })
	checks.Run("patches: JSON, merge, strategic merge", func(ctx context.Context) { patches(ctx, binary) })
	checks.Run("a list in pages", func(ctx context.Context) { pages(ctx, json) })
	checks.Run("discovery and mapping of kinds", func(context.Context) { discovered(config) })
	checks.Run("OpenAPI in its binary forms", func(ctx context.Context) { documents(ctx, config) })
	checks.Run("a dynamic client that prefers CBOR goes on in JSON", func(ctx context.Context) { preferCBOR(ctx, config) })
	checks.Run("a token of a service account, and its end", func(ctx context.Context) { accountToken(ctx, config, json) })
	checks.Run("an informer over a kill of the server", func(ctx context.Context) {
		informerOverKill(ctx, binary, seen, os.Args[1] == "streams")
	})
	if os.Args[1] != "proxied" {
		checks.Run("all went over HTTP/2", func(context.Context) {
			checks.Require(seen.http2.Load() > 0 && seen.http1.Load() == 0, seen.http2.Load(), seen.http1.Load())
		})
	}
}
