// Command client moves bytes between itself and a pod of go-agent, through a server, with the library that kubectl 1.27
// uses. It reads what to do in lines of JSON, and answers each with another.
package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/apimachinery/pkg/util/httpstream/spdy"
)

// order says what to move, and through which server.
type order struct {
	URL, CA, Cert, Key, Token string
	// Pod is the path of the pod.
	Pod string
	// Kind is exec, portforward or log.
	Kind string
	// ToPod tells that the bytes go to the pod.
	ToPod     bool
	Mebibytes int
}

type answer struct {
	// Seconds from the open stream to the last byte.
	Seconds float64 `json:"seconds"`
	Error   string  `json:"error,omitempty"`
}

func main() {
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var order order
		var answer answer
		if err = json.Unmarshal(line, &order); err == nil {
			answer.Seconds, err = order.move()
		}
		if err != nil {
			answer.Error = err.Error()
		}
		json.NewEncoder(os.Stdout).Encode(answer)
	}
}

func (o order) move() (float64, error) {
	config, err := o.tls()
	if err != nil {
		return 0, err
	}
	if o.Kind == "log" {
		return o.log(config)
	}
	conn, err := o.dial(config)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	to, from, err := o.streams(conn)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	if o.ToPod {
		err = o.send(to, from)
	} else {
		err = o.receive(to, from)
	}
	return time.Since(began).Seconds(), err
}

func (o order) tls() (*tls.Config, error) {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(o.CA))
	config := &tls.Config{RootCAs: roots}
	if o.Cert != "" {
		pair, err := tls.X509KeyPair([]byte(o.Cert), []byte(o.Key))
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

func (o order) request(method, query string) (*http.Request, error) {
	req, err := http.NewRequest(method, o.URL+o.Pod+"/"+o.Kind+query, nil)
	if err == nil && o.Token != "" {
		req.Header.Set("Authorization", "Bearer "+o.Token)
	}
	return req, err
}

func (o order) dial(config *tls.Config) (httpstream.Connection, error) {
	query, protocol := "?stdin=true&stdout=true&command="+o.program(), "v4.channel.k8s.io"
	if o.Kind == "portforward" {
		query, protocol = "", "portforward.k8s.io"
	}
	req, err := o.request("POST", query)
	if err != nil {
		return nil, err
	}
	req.Header.Add(httpstream.HeaderProtocolVersion, protocol)
	upgrader := spdy.NewRoundTripper(config)
	resp, err := (&http.Client{Transport: upgrader}).Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return upgrader.NewConnection(resp)
}

func (o order) program() string {
	if o.ToPod {
		return "sink"
	}
	return "source"
}

// streams opens those of a command, or of a connection to a port, and returns the two that carry its bytes.
func (o order) streams(conn httpstream.Connection) (to io.WriteCloser, from io.Reader, err error) {
	headers := http.Header{}
	open := func(kind string) (stream httpstream.Stream) {
		if err == nil {
			headers.Set("streamType", kind)
			stream, err = conn.CreateStream(headers)
		}
		return stream
	}
	if o.Kind == "exec" {
		open("error")
		to, from = open("stdin"), open("stdout")
		return to, from, err
	}
	headers.Set("requestID", "0")
	headers.Set("port", map[bool]string{true: "9", false: "19"}[o.ToPod])
	open("error")
	data := open("data")
	return data, data, err
}

func (o order) send(to io.WriteCloser, from io.Reader) error {
	piece := bytes.Repeat([]byte("x"), 32<<10)
	for sent := 0; sent < o.Mebibytes<<20; sent += len(piece) {
		if _, err := to.Write(piece); err != nil {
			return err
		}
	}
	to.Close()
	var arrived int
	if _, err := fmt.Fscanln(from, &arrived); err != nil {
		return err
	}
	return o.compare(arrived)
}

func (o order) receive(to io.WriteCloser, from io.Reader) error {
	fmt.Fprintln(to, o.Mebibytes)
	to.Close()
	arrived, err := io.Copy(io.Discard, from)
	if err != nil {
		return err
	}
	return o.compare(int(arrived))
}

func (o order) log(config *tls.Config) (float64, error) {
	transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	req, err := o.request("GET", fmt.Sprintf("?limitBytes=%d", o.Mebibytes<<20))
	if err != nil {
		return 0, err
	}
	began := time.Now()
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	arrived, err := io.Copy(io.Discard, resp.Body)
	if err == nil {
		err = o.compare(int(arrived))
	}
	return time.Since(began).Seconds(), err
}

func (o order) compare(arrived int) error {
	if arrived != o.Mebibytes<<20 {
		return fmt.Errorf("%d bytes of %d MiB arrived", arrived, o.Mebibytes)
	}
	return nil
}
