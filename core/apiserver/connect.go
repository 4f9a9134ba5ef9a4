package apiserver

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/status"
)

// Requests that the real server forwards to the node of a pod. Without a host that reaches kubelets they end as they do
// there when nobody listens; up to that point they are handled in the same way.

// kubeletParams are the parameters of a kubelet's streams, by the API's.
var kubeletParams = map[string]string{"stdin": "input", "stdout": "output", "stderr": "error", "tty": "tty"}

// stream answers exec, attach and portforward. A kubelet's refusal goes to the client as it is; what the client and it
// would say after an upgrade needs the connection, which this server does not have.
func (s *Server) stream(w *answer, r *http.Request, i *info) error {
	if err := s.needsCreate(r, i); err != nil {
		return err
	}
	pod, err := s.object(r.Context(), "pods", i.Namespace, i.Name)
	if err != nil {
		return err
	}
	q, params := r.URL.Query(), url.Values{}
	path := "/portForward/" + i.Namespace + "/" + i.Name
	if i.Subresource == "portforward" {
		if ports, _ := portsOf(q); len(ports) > 0 { // which connected has checked
			params.Set("port", strings.Join(ports, ","))
		}
	} else {
		container, err := containerOf(pod, q.Get("container"))
		if err != nil {
			return err
		}
		path = "/" + i.Subresource + "/" + i.Namespace + "/" + i.Name + "/" + container
		for name, kubelets := range kubeletParams {
			if boolParam(q, name) {
				params.Set(kubelets, "1")
			}
		}
		if i.Subresource == "exec" && q.Has("command") {
			params["command"] = q["command"]
		}
	}
	node := object.GetString(pod, "spec", "nodeName")
	if node == "" {
		return status.NewBadRequest(fmt.Sprintf("pod %s does not have a host assigned", i.Name))
	}
	location, err := s.kubeletURL(r.Context(), node, path, params)
	if err != nil {
		return err
	}
	if !upgrades(r) {
		return status.NewBadRequest("Upgrade request required")
	}
	asked := &http.Request{Method: r.Method, URL: location, Host: r.Host, Header: forwarded(r)}
	answer, end, err := s.ask(r.Context(), asked)
	if err != nil {
		return notDialed(err)
	}
	defer end()
	switch {
	case answer.StatusCode == http.StatusSwitchingProtocols:
		return fmt.Errorf("request connection cannot be hijacked: %T", w.ResponseWriter)
	case answer.StatusCode < http.StatusBadRequest:
		return fmt.Errorf("invalid upgrade response: status code %d", answer.StatusCode)
	}
	header := w.Header()
	clear(header)
	maps.Copy(header, answer.Header)
	w.WriteHeader(answer.StatusCode)
	pass(w, answer.Body, false)
	return nil
}

// upgrades reports whether a request asks for another protocol.
func upgrades(r *http.Request) bool {
	return slices.ContainsFunc(r.Header.Values("Connection"), func(v string) bool {
		return strings.Contains(strings.ToLower(v), "upgrade")
	})
}

// notDialed returns the error of a stream whose other end cannot be reached.
func notDialed(err error) error { return fmt.Errorf("error dialing backend: %w", err) }

// unreachable returns Go's error text for an address where nobody listens.
func unreachable(host, port string) error {
	if _, err := netip.ParseAddr(host); err != nil {
		return errors.New("dial tcp: lookup " + host + ": no such host")
	}
	return errors.New("dial tcp " + net.JoinHostPort(host, port) + ": connect: connection refused")
}
