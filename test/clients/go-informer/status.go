package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sort"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

type status struct {
	Synced bool `json:"synced"`
	// Version that the informer's next watch would begin after.
	Version string `json:"version"`
	Count   int    `json:"count"`
	// Hash: SHA-256 of "namespace/name@version\n" of every object, in byte order.
	Hash      string `json:"hash"`
	Lists     int64  `json:"lists"`
	Pages     int64  `json:"pages"`
	Watches   int64  `json:"watches"`
	Gone      int64  `json:"gone410"`
	Refused   int64  `json:"refused"`
	Events    int64  `json:"events"`
	Bookmarks int64  `json:"bookmarks"`
	Errors    int64  `json:"errors"`
}

func statusOf(informer cache.SharedInformer, counts *counters) status {
	versions := versionsOf(informer.GetStore())
	return status{
		Synced:    informer.HasSynced(),
		Version:   informer.LastSyncResourceVersion(),
		Count:     len(versions),
		Hash:      hashOf(versions),
		Lists:     counts.lists.Load(),
		Pages:     counts.pages.Load(),
		Watches:   counts.watches.Load(),
		Gone:      counts.gone.Load(),
		Refused:   counts.refused.Load(),
		Events:    counts.events.Load(),
		Bookmarks: counts.bookmarks.Load(),
		Errors:    counts.errors.Load(),
	}
}

// versionsOf maps "namespace/name" to the resourceVersion held.
func versionsOf(store cache.Store) map[string]string {
	versions := make(map[string]string)
	for _, held := range store.List() {
		if object, ok := held.(metav1.Object); ok {
			versions[object.GetNamespace()+"/"+object.GetName()] = object.GetResourceVersion()
		}
	}
	return versions
}

func hashOf(versions map[string]string) string {
	lines := make([]string, 0, len(versions))
	for key, version := range versions {
		lines = append(lines, fmt.Sprintf("%s@%s\n", key, version))
	}
	sort.Strings(lines)
	hash := sha256.New()
	for _, line := range lines {
		hash.Write([]byte(line))
	}
	return hex.EncodeToString(hash.Sum(nil))
}
