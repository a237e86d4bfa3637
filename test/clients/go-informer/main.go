// Command go-informer holds ConfigMaps in a shared informer, as controllers do, and says on request what it holds and
// what it took to hold it.
//
// It reads commands from standard input, one a line, and answers each with one line of JSON: `status` with a [status],
// `objects` with the version of every object by "namespace/name". `stop`, or the end of the input, ends it.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// noResync: nothing is told again that did not change.
const noResync time.Duration = 0

func main() {
	kubeconfig := flag.String("kubeconfig", "", "how to reach the server")
	namespace := flag.String("namespace", metav1.NamespaceAll, "whose ConfigMaps to hold; all when empty")
	contentType := flag.String("content-type", runtime.ContentTypeJSON, "what to ask the server for")
	flag.Parse()
	if err := run(*kubeconfig, *namespace, *contentType); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(kubeconfig, namespace, contentType string) error {
	counts := &counters{}
	client, err := connect(kubeconfig, contentType, counts)
	if err != nil {
		return err
	}
	informer := newInformer(client, namespace, counts)
	stop := make(chan struct{})
	defer close(stop)
	go informer.Run(stop)
	return answer(os.Stdin, os.Stdout, informer, counts)
}

func connect(kubeconfig, contentType string, counts *counters) (kubernetes.Interface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.ContentType = contentType
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return &countingTransport{next: next, counts: counts} })
	return kubernetes.NewForConfig(config)
}

func newInformer(client kubernetes.Interface, namespace string, counts *counters) cache.SharedInformer {
	configMaps := client.CoreV1().ConfigMaps(namespace)
	source := &cache.ListWatch{
		ListFunc: func(options metav1.ListOptions) (runtime.Object, error) {
			return configMaps.List(context.Background(), options)
		},
		WatchFunc: func(options metav1.ListOptions) (watch.Interface, error) {
			stream, err := configMaps.Watch(context.Background(), options)
			if err != nil {
				return nil, err
			}
			return watch.Filter(stream, counts.seen), nil
		},
	}
	return cache.NewSharedInformer(source, &corev1.ConfigMap{}, noResync)
}

// answer carries out commands until it is told to stop.
func answer(commands io.Reader, answers io.Writer, informer cache.SharedInformer, counts *counters) error {
	lines := bufio.NewScanner(commands)
	out := json.NewEncoder(answers)
	for lines.Scan() {
		var err error
		switch command := lines.Text(); command {
		case "status":
			err = out.Encode(statusOf(informer, counts))
		case "objects":
			err = out.Encode(versionsOf(informer.GetStore()))
		case "stop":
			return nil
		default:
			err = fmt.Errorf("unknown command %q", command)
		}
		if err != nil {
			return err
		}
	}
	return lines.Err()
}
