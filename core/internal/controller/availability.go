package controller

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/tabernetes/tabernetes/core/internal/customresource"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
)

// availabilityCheck is the time between two looks at what an APIService needs: its Service and the endpoints of that.
const availabilityCheck = time.Second

// available sets the condition Available of APIServices whose group version another server serves. None can be
// reached, so of those whose Service is complete it says that its discovery fails.
func available(r *registry.Registry) plan {
	a := availability{
		client:   client{r},
		services: registry.Target{Resource: r.Table.Resource("apiregistration.k8s.io", "v1", "apiservices")},
		slices:   registry.Target{Resource: r.Table.Resource("discovery.k8s.io", "v1", "endpointslices")},
	}
	return plan{
		buckets: func() []string { return []string{a.services.Resource.Bucket()} },
		notice: func(e *mvcc.Event, add add) {
			local := bytes.Contains(e.Value, []byte(`"reason":"Local"`)) && !bytes.Contains(e.Value, []byte(`"service":{`))
			if !e.Deleted && !local {
				add(e.Key, 0)
			}
		},
		reconcile: a.reconcile,
	}
}

type availability struct {
	client
	services, slices registry.Target
}

func (a availability) reconcile(ctx context.Context, name string) (time.Duration, error) {
	at := a.services
	at.Name = name
	service, err := a.get(ctx, at)
	if service == nil || err != nil {
		return 0, err
	}
	value, reason, message := "True", "Local", "Local APIServices are always available"
	to, again := object.GetMap(service, "spec", "service"), time.Duration(0)
	if to != nil {
		value, again = "False", availabilityCheck
		if reason, message, err = a.missing(ctx, service, to); err != nil {
			return 0, err
		}
	}
	is := customresource.Condition(service, "Available")
	if is["status"] == value && is["reason"] == reason && is["message"] == message {
		return again, nil
	}
	return again, a.changeStatus(ctx, at, object.UID(service), func(service map[string]any) bool {
		a.setCondition(service, "Available", value, reason, message)
		return true
	})
}

// missing returns what an APIService lacks, whose Service it refers to.
func (a availability) missing(ctx context.Context, from, to map[string]any) (reason, message string, err error) {
	namespace, name := object.GetString(to, "namespace"), object.GetString(to, "name")
	port, _ := object.GetInt(to, "port")
	is := fmt.Sprintf("service/%s in %q ", name, namespace)
	service := a.registry.Lookup("services", namespace, name)
	if service == nil {
		return "ServiceNotFound", is + "is not present", nil
	}
	host := object.GetString(service, "spec", "clusterIP")
	switch object.GetString(service, "spec", "type") {
	case "ExternalName":
		host = object.GetString(service, "spec", "externalName")
	case "ClusterIP":
		ports := object.GetList(service, "spec", "ports")
		i := slices.IndexFunc(ports, func(p any) bool { m, _ := p.(map[string]any); return m["port"] == port })
		if i < 0 {
			return "ServicePortError", fmt.Sprintf("%sis not listening on port %d", is, port), nil
		}
		at := object.GetString(ports[i].(map[string]any), "name")
		found, ready, err := a.endpoints(ctx, namespace, name, at)
		switch {
		case err != nil:
			return "", "", err
		case !found:
			return "EndpointsNotFound", "cannot find endpointslices for " + is[:len(is)-1], nil
		case !ready:
			return "MissingEndpoints",
				fmt.Sprintf("endpointslices for %shave no addresses with port name %q", is, at), nil
		}
	}
	host = net.JoinHostPort(host, strconv.FormatInt(port, 10))
	url := "https://" + host + "/apis/" + object.GetString(from, "spec", "group") + "/" +
		object.GetString(from, "spec", "version")
	return "FailedDiscoveryCheck", fmt.Sprintf("failing or missing response from %s: Get %q: dial tcp %s: "+
		"connect: connection refused", url, url, host), nil
}

// endpoints reports whether a Service has EndpointSlices, and one of them a ready endpoint and a port of a name.
func (a availability) endpoints(ctx context.Context, namespace, name, port string) (found, ready bool, err error) {
	at := a.slices
	at.Namespace = namespace
	list, err := a.registry.List(ctx, at, registry.ListOptions{})
	if err != nil {
		return false, false, err
	}
	for _, value := range list.Items {
		slice, err := decode(at, value)
		if err != nil {
			return false, false, err
		}
		if object.GetString(slice, "metadata", "labels", "kubernetes.io/service-name") != name {
			continue
		}
		found = true
		ready = ready || slices.ContainsFunc(object.GetList(slice, "endpoints"), func(e any) bool {
			m, _ := e.(map[string]any)
			return object.GetMap(m, "conditions")["ready"] != false
		}) && slices.ContainsFunc(object.GetList(slice, "ports"), func(p any) bool {
			m, _ := p.(map[string]any)
			return m["name"] == port && m["port"] != nil
		})
	}
	return found, ready, nil
}
