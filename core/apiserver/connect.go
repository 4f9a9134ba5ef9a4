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

// Requests that the real server forwards to the node of a pod. There is no network behind this API
// server, so they end as they do there when nobody listens; up to that point they are handled in
// the same way.

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
	if !upgrades(r) {
		return status.NewBadRequest("Upgrade request required")
	}
	return notDialed(host, port)
}

// upgrades reports whether a request asks for another protocol.
func upgrades(r *http.Request) bool {
	return slices.ContainsFunc(r.Header.Values("Connection"), func(v string) bool {
		return strings.Contains(strings.ToLower(v), "upgrade")
	})
}

// notDialed returns the error of a stream to an address where nobody listens.
func notDialed(host, port string) error {
	return fmt.Errorf("error dialing backend: %w", unreachable(host, port))
}

// addressTypes are the types of node addresses, by the API server's order of preference.
var addressTypes = []string{"Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"}

// kubeletPort is the default port of a kubelet.
const kubeletPort = "10250"

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

// unreachable returns Go's error text for an address where nobody listens.
func unreachable(host, port string) error {
	if _, err := netip.ParseAddr(host); err != nil {
		return errors.New("dial tcp: lookup " + host + ": no such host")
	}
	return errors.New("dial tcp " + net.JoinHostPort(host, port) + ": connect: connection refused")
}
