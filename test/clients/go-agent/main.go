// Command go-agent serves exec and port-forward over SPDY/3.1 with the library that agents of release 1.27 use, and logs.
// The command `sink` and port 9 take bytes and answer with their number, the command `source` and port 19 read a number of
// MiB and send so many, and with others whatever goes in comes back; a log has as many bytes as its request limits it to.
// It prints its port.
package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/apimachinery/pkg/util/httpstream/spdy"
)

const success = `{"metadata":{},"status":"Success"}`

func main() {
	listener, err := net.Listen("tcp", net.JoinHostPort(os.Args[1], "0"))
	check(err)
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	config := &tls.Config{Certificates: []tls.Certificate{certificate()}}
	server := &http.Server{Handler: http.HandlerFunc(serve), TLSConfig: config}
	check(server.ServeTLS(listener, "", ""))
}

func serve(w http.ResponseWriter, req *http.Request) {
	if strings.HasPrefix(req.URL.Path, "/containerLogs/") {
		size, _ := strconv.Atoi(req.URL.Query().Get("limitBytes"))
		send(w, size)
		return
	}
	if strings.HasPrefix(req.URL.Path, "/portForward/") {
		upgrade(w, req, "portforward.k8s.io", func(conn httpstream.Connection, streams chan httpstream.Stream) {
			for {
				select {
				case stream := <-streams:
					if stream.Headers().Get("streamType") == "data" {
						go work(stream.Headers().Get("port"), stream, stream)
					} else {
						stream.Close()
					}
				case <-conn.CloseChan():
					return
				}
			}
		})
		return
	}
	upgrade(w, req, "v4.channel.k8s.io", func(conn httpstream.Connection, streams chan httpstream.Stream) {
		named := map[string]httpstream.Stream{}
		// Streams come in any order, that of errors of the command among them.
		for named["error"] == nil || named["stdin"] == nil || named["stdout"] == nil {
			select {
			case stream := <-streams:
				named[stream.Headers().Get("streamType")] = stream
			case <-time.After(10 * time.Second):
				return
			}
		}
		work(req.URL.Query().Get("command"), named["stdout"], named["stdin"])
		io.WriteString(named["error"], success)
	})
}

// upgrade switches to SPDY and runs a session, whose end is that of the connection.
func upgrade(w http.ResponseWriter, req *http.Request, protocol string, session func(httpstream.Connection, chan httpstream.Stream)) {
	if _, err := httpstream.Handshake(req, w, []string{protocol}); err != nil {
		return
	}
	streams := make(chan httpstream.Stream, 100)
	conn := spdy.NewResponseUpgrader().UpgradeResponse(w, req, func(stream httpstream.Stream, replySent <-chan struct{}) error {
		streams <- stream
		return nil
	})
	if conn == nil {
		return
	}
	defer conn.Close()
	session(conn, streams)
}

// work does what a command or a port does with its bytes.
func work(what string, to io.WriteCloser, from io.Reader) {
	switch what {
	case "sink", "9":
		size, _ := io.Copy(io.Discard, from)
		fmt.Fprintln(to, size)
	case "source", "19":
		var mebibytes int
		fmt.Fscanln(from, &mebibytes)
		send(to, mebibytes<<20)
	default:
		io.Copy(to, from)
	}
	to.Close()
}

// send writes so many bytes, in the pieces in which programs of Go copy.
func send(to io.Writer, size int) {
	piece := bytes.Repeat([]byte("a line of a log that is long\n"), 1130)[:32<<10]
	for ; size > 0; size -= len(piece) {
		if _, err := to.Write(piece[:min(size, len(piece))]); err != nil {
			return
		}
	}
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}

func certificate() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	check(err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
