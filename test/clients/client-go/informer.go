package main

import (
	"context"

	checks "go-checks"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// informerOverKill holds ConfigMaps in an informer, which asks for a stream of the initial state first and lists when the
// server has none.
func informerOverKill(ctx context.Context, client kubernetes.Interface, seen *requests, streams bool) {
	maps := client.CoreV1().ConfigMaps(namespace)
	_, err := maps.Create(ctx, configMap("i-first", nil), metav1.CreateOptions{})
	checks.Must(err)
	lists, streamed := seen.lists.Load(), seen.streams.Load()
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	informer := factory.Core().V1().ConfigMaps().Informer()
	factory.Start(ctx.Done())
	checks.Require(cache.WaitForCacheSync(ctx.Done(), informer.HasSynced))
	checks.Require(seen.streams.Load() > streamed, "it asks for a stream")
	if streams {
		checks.Require(seen.lists.Load() == lists, "it needs no list")
	} else {
		checks.Require(seen.lists.Load() == lists+1, "it lists once")
	}
	held := func(name string) *corev1.ConfigMap {
		found, exists, err := informer.GetStore().GetByKey(namespace + "/" + name)
		checks.Must(err)
		if !exists {
			return nil
		}
		return found.(*corev1.ConfigMap)
	}
	checks.Require(held("i-first") != nil)

	checks.Restart()
	var made *corev1.ConfigMap
	checks.Until("a write succeeds", func() bool {
		made, err = maps.Create(ctx, configMap("i-after", nil), metav1.CreateOptions{})
		return err == nil
	})
	checks.Must(maps.Delete(ctx, "i-first", metav1.DeleteOptions{}))
	checks.Until("changes after it are seen", func() bool { return held("i-after") != nil && held("i-first") == nil })
	checks.Require(held("i-after").UID == made.UID)
}
