package apiserver

import (
	"cmp"
	"fmt"
	"net/http"
	"net/netip"
	"path"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/status"
)

// Requests that the real server forwards to a pod, to one of a service, or to a node. There is no
// network behind this one: pods and nodes that declare it by an annotation answer with the request
// itself (see echo), others as if nobody listened. Up to there the requests and errors are handled
// as in the real server.

// A backend is the target that a request is forwarded to.
type backend struct {
	host, port string
	// object is the pod or the node of the address; nil if it is not known.
	object map[string]any
}

// proxyPod answers requests to a pod's own server.
func (s *Server) proxyPod(w *answer, r *http.Request, i *info) error {
	scheme, name, port, ok := splitPort(i.Name)
	if !ok {
		return status.NewBadRequest(fmt.Sprintf("invalid pod request %q", i.Name))
	}
	pod, err := s.object(r.Context(), "pods", i.Namespace, name)
	if err != nil {
		return err
	}
	if port == "" {
		port = firstPort(pod, scheme)
	}
	ip := object.GetString(pod, "status", "podIP")
	if !echoes(pod) && !globalUnicast(ip) {
		return status.NewBadRequest("address not allowed")
	}
	return backend{ip, port, pod}.serve(w, r, i)
}

// firstPort returns the first port of a pod's containers; that of the scheme if none exists.
func firstPort(pod map[string]any, scheme string) string {
	for _, v := range object.GetList(pod, "spec", "containers") {
		container, _ := v.(map[string]any)
		for _, p := range object.GetList(container, "ports") {
			port, _ := p.(map[string]any)
			n, _ := object.GetInt(port, "containerPort")
			return strconv.FormatInt(n, 10)
		}
	}
	if scheme == "https" {
		return "443"
	}
	return "80"
}

func globalUnicast(text string) bool {
	ip, err := netip.ParseAddr(text)
	return err == nil && ip.IsGlobalUnicast()
}

// proxyNode answers requests to a node's kubelet or to another server on it.
func (s *Server) proxyNode(w *answer, r *http.Request, i *info) error {
	_, name, asked, ok := splitPort(i.Name)
	if !ok {
		return status.NewBadRequest(fmt.Sprintf("invalid node request %q", i.Name))
	}
	node, err := s.object(r.Context(), "nodes", "", name)
	if err != nil {
		return err
	}
	host, port, err := s.kubelet(r.Context(), name)
	port = cmp.Or(asked, port, kubeletPort)
	if !echoes(node) {
		if err != nil {
			return err
		}
		ip, err := netip.ParseAddr(host)
		switch {
		case err != nil:
			return status.NewBadRequest(fmt.Sprintf("lookup %s: no such host", host))
		case !ip.IsGlobalUnicast():
			return status.NewBadRequest("address not allowed")
		}
	}
	return backend{host, port, node}.serve(w, r, i)
}

// splitPort splits the name of a proxied object: NAME, NAME:PORT or SCHEME:NAME:PORT.
func splitPort(id string) (scheme, name, port string, ok bool) {
	parts := strings.Split(id, ":")
	switch len(parts) {
	case 1:
		name = parts[0]
	case 2:
		name, port = parts[0], parts[1]
	case 3:
		scheme, name, port = parts[0], parts[1], parts[2]
	}
	return scheme, name, port, name != "" && (scheme == "" || scheme == "http" || scheme == "https")
}

// serve forwards a request.
func (b backend) serve(w *answer, r *http.Request, i *info) error {
	behind := proxiedPath(r, i)
	echo := echoes(b.object)
	switch {
	case upgrades(r) && echo:
		return fmt.Errorf("invalid upgrade response: status code %d", http.StatusOK)
	case upgrades(r):
		return notDialed(unreachable(b.host, b.port))
	case behind == "" && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		to := r.URL.Path + "/" // so that relative links work
		if r.URL.RawQuery != "" {
			to += "?" + r.URL.RawQuery
		}
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusMovedPermanently)
		return nil
	case echo:
		return b.echo(w, r, behind)
	}
	return unavailable("error trying to reach service: " + unreachable(b.host, b.port).Error())
}

// behindProxy returns the part of a request's path after the proxy.
func behindProxy(r *http.Request, i *info) string {
	_, after, _ := strings.Cut(r.URL.Path, "/"+i.Name+"/proxy")
	return after
}

// proxiedPath returns the path of the forwarded request.
func proxiedPath(r *http.Request, i *info) string {
	after := behindProxy(r, i)
	if after == "" {
		return ""
	}
	clean := path.Clean(after)
	if strings.HasSuffix(after, "/") && clean != "/" {
		clean += "/"
	}
	return clean
}

func unavailable(message string) error {
	return status.New(http.StatusServiceUnavailable, status.ServiceUnavailable, message, nil)
}
