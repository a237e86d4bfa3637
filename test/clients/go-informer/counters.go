package main

import (
	"net/http"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// counters say what the informer asked for and what came back; safe for concurrent use.
type counters struct {
	// lists counts collections fetched from their first page; pages all requests that this took.
	lists, pages atomic.Int64
	// watches counts requests, those that were refused included.
	watches atomic.Int64
	// gone counts answers and events with code 410.
	gone atomic.Int64
	// refused counts answers of another code than 200 and 410, and requests that got no answer.
	refused atomic.Int64
	// events counts changes, bookmarks and errors apart.
	events, bookmarks, errors atomic.Int64
}

// countingTransport counts requests and the codes of their answers.
type countingTransport struct {
	next   http.RoundTripper
	counts *counters
}

func (t *countingTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	query := request.URL.Query()
	if query.Has("watch") {
		t.counts.watches.Add(1)
	} else {
		t.counts.pages.Add(1)
		if !query.Has("continue") {
			t.counts.lists.Add(1)
		}
	}
	response, err := t.next.RoundTrip(request)
	switch {
	case err == nil && response.StatusCode == http.StatusGone:
		t.counts.gone.Add(1)
	case err != nil || response.StatusCode != http.StatusOK:
		t.counts.refused.Add(1)
	}
	return response, err
}

// seen counts an event of a watch and keeps it, in the form that [watch.Filter] takes.
func (c *counters) seen(event watch.Event) (watch.Event, bool) {
	switch event.Type {
	case watch.Bookmark:
		c.bookmarks.Add(1)
	case watch.Error:
		c.errors.Add(1)
		if failure, ok := event.Object.(*metav1.Status); ok && failure.Code == http.StatusGone {
			c.gone.Add(1)
		}
	default:
		c.events.Add(1)
	}
	return event, true
}
