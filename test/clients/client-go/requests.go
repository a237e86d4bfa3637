package main

import (
	"net/http"
	"strings"
	"sync/atomic"
)

// requests counts what was asked for; safe for concurrent use.
type requests struct {
	http1, http2 atomic.Int64
	// lists counts lists of ConfigMaps, streams the watches of them that ask for the initial state.
	lists, streams atomic.Int64
	// cborRefused counts answers with code 415.
	cborRefused atomic.Int64
}

func (r *requests) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		query := request.URL.Query()
		if request.Method == http.MethodGet && strings.HasSuffix(request.URL.Path, "/configmaps") {
			if query.Get("sendInitialEvents") == "true" {
				r.streams.Add(1)
			} else if !query.Has("watch") {
				r.lists.Add(1)
			}
		}
		response, err := next.RoundTrip(request)
		if err != nil {
			return nil, err
		}
		if response.ProtoMajor == 2 {
			r.http2.Add(1)
		} else {
			r.http1.Add(1)
		}
		if response.StatusCode == http.StatusUnsupportedMediaType {
			r.cborRefused.Add(1)
		}
		return response, nil
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }
