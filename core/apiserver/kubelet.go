package apiserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/status"
)

// addressTypes are the types of node addresses, by the API server's order of preference.
var addressTypes = []string{"Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"}

// kubeletPort is the default port of a kubelet.
const kubeletPort = "10250"

// ErrNoKubelet is the error of Server.Kubelets for an address where nobody listens.
var ErrNoKubelet = errors.New("no kubelet listens there")

// kubelet returns the address of a node's kubelet.
func (s *Server) kubelet(ctx context.Context, node string) (host, port string, err error) {
	obj, err := s.object(ctx, "nodes", "", node)
	if err != nil {
		return "", "", err
	}
	port = kubeletPort
	if n, _ := object.GetInt(obj, "status", "daemonEndpoints", "kubeletEndpoint", "Port"); n > 0 {
		port = strconv.FormatInt(n, 10)
	}
	addresses := object.GetList(obj, "status", "addresses")
	for _, t := range addressTypes {
		for _, v := range addresses {
			if a, _ := v.(map[string]any); object.GetString(a, "type") == t {
				return object.GetString(a, "address"), port, nil
			}
		}
	}
	known := make([]string, len(addresses))
	for i, v := range addresses {
		a, _ := v.(map[string]any)
		known[i] = fmt.Sprintf("{%s %s}", object.GetString(a, "type"), object.GetString(a, "address"))
	}
	return "", "", fmt.Errorf("no preferred addresses found; known addresses: %v", known)
}

// kubeletURL returns the URL of a request to the kubelet of a node.
func (s *Server) kubeletURL(ctx context.Context, node, path string, query url.Values) (*url.URL, error) {
	host, port, err := s.kubelet(ctx, node)
	if err != nil {
		return nil, err
	}
	return &url.URL{Scheme: "https", Host: net.JoinHostPort(host, port), Path: path, RawQuery: query.Encode()}, nil
}

// ask makes a request to a kubelet, which ends with the context, or with the cluster. The caller closes the body of
// the answer and calls end.
func (s *Server) ask(ctx context.Context, r *http.Request) (_ *http.Response, end func(), err error) {
	if s.Kubelets == nil {
		return nil, nil, unreachable(r.URL.Hostname(), r.URL.Port())
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		select {
		case <-s.Registry.Closing:
		case <-ctx.Done():
		}
	}()
	answer, err := s.Kubelets.RoundTrip(r.WithContext(ctx))
	if err != nil {
		cancel()
		if errors.Is(err, ErrNoKubelet) {
			err = unreachable(r.URL.Hostname(), r.URL.Port())
		}
		return nil, nil, err
	}
	return answer, func() { cancel(); _ = answer.Body.Close() }, nil
}

// pass writes the body of a kubelet's answer to the client, until one of them ends it; if it is followed, at once.
// io.Copy would link what every reader and writer has for it.
func pass(w http.ResponseWriter, body io.Reader, follow bool) {
	control, b := http.NewResponseController(w), make([]byte, 8<<10)
	for {
		n, end := body.Read(b)
		if _, err := w.Write(b[:n]); err != nil || follow && control.Flush() != nil || end != nil {
			return
		}
	}
}

// mostSaid is how many bytes of a kubelet's error are passed on.
const mostSaid = 50000

// refusedLog returns the error for a kubelet's answer to a request for a log; nil if it has one.
func refusedLog(answer *http.Response, pod string) error {
	code := answer.StatusCode
	if code >= http.StatusOK && code <= http.StatusPartialContent {
		return nil
	}
	if to := answer.Header.Get("Location"); to != "" && code/100 == 3 {
		return &url.Error{Op: "Get", URL: to, Err: errRedirect}
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, mostSaid))
	switch said := string(body); {
	case err != nil:
		return status.NewInternal(err)
	case code == http.StatusInternalServerError:
		return status.NewInternal(errors.New(said))
	case code == http.StatusBadRequest:
		return status.NewBadRequest(said)
	default:
		return status.NewServerResponse(code, status.GroupResource{Resource: "pods/log"}, pod, said)
	}
}

var errRedirect = errors.New("redirects forbidden")
