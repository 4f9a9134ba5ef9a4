package apiserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/status"
)

// Requests that the real server hands on: to the node of a pod, to a pod, to a
// service or to a node. Here is no network behind the API server, so they end as
// they do there when nobody answers; up to that point they go the same way.

// stream answers exec, attach and portforward.
func (s *Server) stream(_ *answer, r *http.Request, i *info) error {
	if err := s.needsCreate(r, i); err != nil {
		return err
	}
	pod, err := s.object(r.Context(), "pods", i.Namespace, i.Name)
	if err != nil {
		return err
	}
	if i.Subresource != "portforward" {
		if _, err := containerOf(pod, r.URL.Query().Get("container")); err != nil {
			return err
		}
	}
	node := object.GetString(pod, "spec", "nodeName")
	if node == "" {
		return status.NewBadRequest(fmt.Sprintf("pod %s does not have a host assigned", i.Name))
	}
	host, port, err := s.kubelet(r.Context(), node)
	if err != nil {
		return err
	}
	if !strings.Contains(strings.ToLower(r.Header.Get("Connection")), "upgrade") {
		return status.NewBadRequest("Upgrade request required")
	}
	return fmt.Errorf("error dialing backend: %w", unreachable(host, port))
}

// proxyPod answers requests to a pod's own server.
func (s *Server) proxyPod(_ *answer, r *http.Request, i *info) error {
	name, port, ok := splitPort(i.Name)
	if !ok {
		return status.NewBadRequest(fmt.Sprintf("invalid pod request %q", i.Name))
	}
	pod, err := s.object(r.Context(), "pods", i.Namespace, name)
	if err != nil {
		return err
	}
	ip, err := netip.ParseAddr(object.GetString(pod, "status", "podIP"))
	if err != nil || !ip.IsGlobalUnicast() {
		return status.NewBadRequest("address not allowed")
	}
	if port == "" {
		port = firstPort(pod)
	}
	return noService(ip.String(), port)
}

// firstPort is the first port that a container of a pod names; HTTP's if none
// does.
func firstPort(pod map[string]any) string {
	for _, v := range object.GetList(pod, "spec", "containers") {
		container, _ := v.(map[string]any)
		for _, p := range object.GetList(container, "ports") {
			port, _ := p.(map[string]any)
			n, _ := object.GetInt(port, "containerPort")
			return strconv.FormatInt(n, 10)
		}
	}
	return "80"
}

// proxyService answers requests to the pods of a service.
func (s *Server) proxyService(_ *answer, r *http.Request, i *info) error {
	name, port, ok := splitPort(i.Name)
	if !ok {
		return status.NewBadRequest(fmt.Sprintf("invalid service request %q", i.Name))
	}
	if number, err := strconv.ParseInt(port, 10, 64); err == nil {
		service, err := s.object(r.Context(), "services", i.Namespace, name)
		if err != nil {
			return err
		}
		ports := object.GetList(service, "spec", "ports")
		at := slices.IndexFunc(ports, func(v any) bool {
			m, _ := v.(map[string]any)
			return m["port"] == number
		})
		if at < 0 {
			return unavailable(fmt.Sprintf("no service port %d found for service %q", number, name))
		}
		port = object.GetString(ports[at].(map[string]any), "name")
	}
	endpoints, err := s.object(r.Context(), "endpoints", i.Namespace, name)
	if err != nil {
		return err
	}
	for _, v := range object.GetList(endpoints, "subsets") {
		subset, _ := v.(map[string]any)
		addresses := object.GetList(subset, "addresses")
		for _, v := range object.GetList(subset, "ports") {
			if p, _ := v.(map[string]any); len(addresses) > 0 && object.GetString(p, "name") == port {
				first, _ := addresses[0].(map[string]any)
				number, _ := object.GetInt(p, "port")
				return noService(object.GetString(first, "ip"), strconv.FormatInt(number, 10))
			}
		}
	}
	if len(object.GetList(endpoints, "subsets")) == 0 {
		return unavailable(fmt.Sprintf("no endpoints available for service %q", name))
	}
	return unavailable(fmt.Sprintf("no endpoints available for service %q", i.Name))
}

// proxyNode answers requests to a node's kubelet or to another server on it.
func (s *Server) proxyNode(_ *answer, r *http.Request, i *info) error {
	name, asked, ok := splitPort(i.Name)
	if !ok {
		return status.NewBadRequest(fmt.Sprintf("invalid node request %q", i.Name))
	}
	host, port, err := s.kubelet(r.Context(), name)
	if err != nil {
		return err
	}
	if asked != "" {
		port = asked
	}
	ip, err := netip.ParseAddr(host)
	switch {
	case err != nil:
		return status.NewBadRequest(fmt.Sprintf("lookup %s: no such host", host))
	case !ip.IsGlobalUnicast():
		return status.NewBadRequest("address not allowed")
	}
	return noService(host, port)
}

// splitPort reads the name of what is proxied to: NAME, NAME:PORT or
// SCHEME:NAME:PORT.
func splitPort(id string) (name, port string, ok bool) {
	parts := strings.Split(id, ":")
	switch len(parts) {
	case 1:
		name = parts[0]
	case 2:
		name, port = parts[0], parts[1]
	case 3:
		name, port = parts[1], parts[2]
		if scheme := parts[0]; scheme != "" && scheme != "http" && scheme != "https" {
			return "", "", false
		}
	}
	return name, port, name != ""
}

// addressTypes are the addresses of nodes in the order in which the API server
// would use them.
var addressTypes = []string{"Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"}

// kubelet is where the kubelet of a node listens.
func (s *Server) kubelet(ctx context.Context, node string) (host, port string, err error) {
	obj, err := s.object(ctx, "nodes", "", node)
	if err != nil {
		return "", "", err
	}
	port = "10250"
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

// unreachable says in Go's words that nobody listens.
func unreachable(host, port string) error {
	if _, err := netip.ParseAddr(host); err != nil {
		return errors.New("dial tcp: lookup " + host + ": no such host")
	}
	return errors.New("dial tcp " + net.JoinHostPort(host, port) + ": connect: connection refused")
}

func noService(host, port string) error {
	return unavailable("error trying to reach service: " + unreachable(host, port).Error())
}

func unavailable(message string) error {
	return status.New(http.StatusServiceUnavailable, status.ServiceUnavailable, message, nil)
}
