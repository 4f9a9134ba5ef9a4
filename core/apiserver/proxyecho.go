package apiserver

import (
	"bytes"
	"encoding/json"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// echoAnnotation declares the server that runs in a pod or a node: "echo" answers every request
// with the request itself.
const echoAnnotation = wellknown.Group + "/proxy"

func echoes(obj map[string]any) bool {
	return object.GetString(obj, "metadata", "annotations", echoAnnotation) == "echo"
}

// echoed is the answer of an echo, in JSON.
type echoed struct {
	// Kind, Namespace and Name identify the pod or node that answers, Port its port.
	Kind      string      `json:"kind"`
	Namespace string      `json:"namespace,omitempty"`
	Name      string      `json:"name"`
	Port      string      `json:"port"`
	Method    string      `json:"method"`
	Path      string      `json:"path"`
	Query     url.Values  `json:"query,omitempty"`
	Headers   http.Header `json:"headers"`
	Body      string      `json:"body,omitempty"`
}

// hopByHop are the headers that are about one connection.
var hopByHop = []string{
	"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade",
}

// forwarded returns the headers of a forwarded request: without credentials, and those that are for this server only.
func forwarded(r *http.Request) http.Header {
	headers := maps.Clone(r.Header)
	for name := range headers {
		if strings.HasPrefix(name, "Impersonate-") {
			delete(headers, name)
		}
	}
	for _, name := range []string{
		"Authorization", wellknown.ReplicaHeader, wellknown.ExplainHeader, wellknown.EarlyHeader,
	} {
		headers.Del(name)
	}
	if ip, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		headers.Set("X-Forwarded-For", strings.Join(append(r.Header.Values("X-Forwarded-For"), ip), ", "))
	}
	return headers
}

// echo answers with the request as it would be forwarded.
func (b backend) echo(w *answer, r *http.Request, behind string) error {
	body, err := readWhole(r, wellknown.MaxBody, w.held.body, new(bytes.Buffer))
	if err != nil {
		return err
	}
	if behind == "" {
		behind = "/"
	}
	headers := forwarded(r)
	for _, values := range headers["Connection"] {
		for name := range strings.SplitSeq(values, ",") {
			headers.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range hopByHop {
		headers.Del(name)
	}
	headers.Set("X-Forwarded-Uri", r.URL.EscapedPath())
	answer, err := json.Marshal(echoed{
		Kind: object.Kind(b.object), Namespace: object.Namespace(b.object), Name: object.Name(b.object), Port: b.port,
		Method: r.Method, Path: behind, Query: r.URL.Query(), Headers: headers, Body: string(body),
	})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", string(mediaJSON))
	_, err = w.Write(append(answer, '\n'))
	return err
}
