package apiserver

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/tabernetes/tabernetes/core/internal/selector"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/status"
)

// proxyService answers requests to the pods of a service: to one in its Endpoints, as in the real
// server. No controller maintains Endpoints here, so without them it is one that the service
// selects, if it declares an echo.
func (s *Server) proxyService(w *answer, r *http.Request, i *info) error {
	ctx := r.Context()
	b, err := s.endpoint(ctx, i)
	if err != nil {
		declared, ok := s.selected(ctx, i)
		if !ok {
			return err
		}
		b = declared
	}
	return b.serve(w, r, i)
}

// endpoint finds a pod of a service by its Endpoints.
func (s *Server) endpoint(ctx context.Context, i *info) (b backend, err error) {
	_, name, port, ok := splitPort(i.Name)
	if !ok {
		return b, status.NewBadRequest(fmt.Sprintf("invalid service request %q", i.Name))
	}
	if number, err := strconv.ParseInt(port, 10, 64); err == nil {
		service, err := s.object(ctx, "services", i.Namespace, name)
		if err != nil {
			return b, err
		}
		found := servicePort(service, func(p map[string]any) bool { return p["port"] == number })
		if found == nil {
			return b, unavailable(fmt.Sprintf("no service port %d found for service %q", number, name))
		}
		port = object.GetString(found, "name")
	}
	endpoints, err := s.object(ctx, "endpoints", i.Namespace, name)
	if err != nil {
		return b, err
	}
	subsets := object.GetList(endpoints, "subsets")
	if len(subsets) == 0 {
		return b, unavailable(fmt.Sprintf("no endpoints available for service %q", name))
	}
	for _, v := range subsets {
		subset, _ := v.(map[string]any)
		for _, v := range object.GetList(subset, "ports") {
			p, _ := v.(map[string]any)
			if object.GetString(p, "name") != port {
				continue
			}
			for _, v := range object.GetList(subset, "addresses") {
				address, _ := v.(map[string]any)
				if pod := s.podAt(ctx, i.Namespace, address); pod != nil {
					number, _ := object.GetInt(p, "port")
					return backend{object.GetString(address, "ip"), strconv.FormatInt(number, 10), pod}, nil
				}
			}
		}
	}
	return b, unavailable(fmt.Sprintf("no endpoints available for service %q", i.Name))
}

// podAt returns the pod that an address of Endpoints refers to and that has this address, or nil:
// requests are not forwarded to anything else.
func (s *Server) podAt(ctx context.Context, namespace string, address map[string]any) map[string]any {
	ref := object.GetMap(address, "targetRef")
	if ref == nil || object.GetString(ref, "namespace") != namespace {
		return nil
	}
	pod, err := s.object(ctx, "pods", namespace, object.GetString(ref, "name"))
	if err != nil {
		return nil
	}
	if !slices.ContainsFunc(object.GetList(pod, "status", "podIPs"), func(v any) bool {
		ip, _ := v.(map[string]any)
		return ip["ip"] == address["ip"]
	}) {
		return nil
	}
	return pod
}

// servicePort returns the first port of a service that matches, or nil.
func servicePort(service map[string]any, is func(map[string]any) bool) map[string]any {
	for _, v := range object.GetList(service, "spec", "ports") {
		if p, _ := v.(map[string]any); is(p) {
			return p
		}
	}
	return nil
}

// selected returns a pod that a service selects and that declares an echo, preferably one that is
// ready: the first by name.
func (s *Server) selected(ctx context.Context, i *info) (b backend, ok bool) {
	_, name, port, ok := splitPort(i.Name)
	if !ok {
		return b, false
	}
	service, err := s.object(ctx, "services", i.Namespace, name)
	if err != nil {
		return b, false
	}
	found := servicePort(service, func(p map[string]any) bool {
		number, _ := object.GetInt(p, "port")
		return object.GetString(p, "name") == port || strconv.FormatInt(number, 10) == port
	})
	wanted, _, err := selector.FromLabelSelector(map[string]any{"matchLabels": object.GetMap(service, "spec", "selector")})
	if found == nil || err != nil || wanted.Empty() {
		return b, false
	}
	row := s.Table.Resource("", "v1", "pods")
	list, err := s.Registry.List(ctx, registry.Target{Resource: row, Namespace: i.Namespace},
		registry.ListOptions{Selection: registry.Selection{Labels: wanted}})
	if err != nil {
		return b, false
	}
	var chosen map[string]any
	for _, item := range list.Items {
		if !bytes.Contains(item, []byte(echoAnnotation)) {
			continue
		}
		pod, _, err := object.Decode(item, row.Type())
		if err != nil || !echoes(pod) {
			continue
		}
		if isReady(pod) {
			chosen = pod
			break
		}
		if chosen == nil {
			chosen = pod
		}
	}
	return backend{object.GetString(chosen, "status", "podIP"), targetPort(found, chosen), chosen}, chosen != nil
}

func isReady(pod map[string]any) bool {
	return slices.ContainsFunc(object.GetList(pod, "status", "conditions"), func(v any) bool {
		c, _ := v.(map[string]any)
		return c["type"] == "Ready" && c["status"] == "True"
	})
}

// targetPort returns the port of a pod that a service's port leads to.
func targetPort(port, pod map[string]any) string {
	number, _ := object.GetInt(port, "port")
	switch target := port["targetPort"].(type) {
	case int64:
		number = target
	case string:
		for _, v := range object.GetList(pod, "spec", "containers") {
			container, _ := v.(map[string]any)
			for _, v := range object.GetList(container, "ports") {
				if p, _ := v.(map[string]any); p["name"] == target {
					number, _ = object.GetInt(p, "containerPort")
				}
			}
		}
	}
	return strconv.FormatInt(number, 10)
}
