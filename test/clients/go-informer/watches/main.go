// Command watches opens many watches of ConfigMaps with one client of client-go, whose connections it counts, and leaves
// the first of them unread until it is told otherwise.
//
// It prints one line of JSON when every watch is open, and one for each line of standard input: `status`, `read` (the
// first watch is read from now on) or `stop`.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"sync"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

type status struct {
	// Connections that were opened since the start.
	Connections int64 `json:"connections"`
	// Reached counts the watches, without the first two, that have seen the object they are about.
	Reached int64 `json:"reached"`
	// All counts the events of the second watch, which is about every object, as the first one is.
	All int64 `json:"all"`
	// First counts the events of the first watch, as far as it was read.
	First int64 `json:"first"`
	// Ended counts watches that have ended.
	Ended int64 `json:"ended"`
}

// counters are safe for concurrent use.
type counters struct {
	connections, reached, all, first, ended atomic.Int64
}

func (c *counters) status() status {
	return status{
		Connections: c.connections.Load(),
		Reached:     c.reached.Load(),
		All:         c.all.Load(),
		First:       c.first.Load(),
		Ended:       c.ended.Load(),
	}
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "how to reach the server")
	namespace := flag.String("namespace", "default", "whose ConfigMaps to watch")
	name := flag.String("name", "last", "the object that all watches but two are about")
	count := flag.Int("watches", 300, "how many watches to open")
	flag.Parse()
	if err := run(*kubeconfig, *namespace, *name, *count); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(kubeconfig, namespace, name string, count int) error {
	counts := &counters{}
	client, err := connect(kubeconfig, counts)
	if err != nil {
		return err
	}
	first, err := open(client, namespace, name, count, counts)
	if err != nil {
		return err
	}
	return answer(first, counts)
}

func connect(kubeconfig string, counts *counters) (kubernetes.Interface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	dialer := &net.Dialer{}
	config.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		counts.connections.Add(1)
		return dialer.DialContext(ctx, network, address)
	}
	// Without limits of its own: the server's count.
	config.QPS = -1
	config.RateLimiter = nil
	return kubernetes.NewForConfig(rest.AddUserAgent(config, "watches"))
}

// open opens the watches and reads all but the first, which it returns.
func open(client kubernetes.Interface, namespace, name string, count int, counts *counters) (watch.Interface, error) {
	configMaps := client.CoreV1().ConfigMaps(namespace)
	list, err := configMaps.List(context.Background(), metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	streams := make([]watch.Interface, count)
	failures := make([]error, count)
	var opened sync.WaitGroup
	for at := range streams {
		opened.Add(1)
		go func(at int) {
			defer opened.Done()
			options := metav1.ListOptions{ResourceVersion: list.ResourceVersion}
			if at > 1 {
				options.FieldSelector = "metadata.name=" + name
			}
			streams[at], failures[at] = configMaps.Watch(context.Background(), options)
		}(at)
	}
	opened.Wait()
	for _, failure := range failures {
		if failure != nil {
			return nil, failure
		}
	}
	go read(streams[1], &counts.all, counts)
	for _, stream := range streams[2:] {
		go read(stream, &counts.reached, counts)
	}
	return streams[0], nil
}

func read(stream watch.Interface, seen *atomic.Int64, counts *counters) {
	for range stream.ResultChan() {
		seen.Add(1)
	}
	counts.ended.Add(1)
}

func answer(first watch.Interface, counts *counters) error {
	out := json.NewEncoder(os.Stdout)
	if err := out.Encode(counts.status()); err != nil {
		return err
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		switch lines.Text() {
		case "read":
			go read(first, &counts.first, counts)
		case "stop":
			return nil
		}
		if err := out.Encode(counts.status()); err != nil {
			return err
		}
	}
	return nil
}
