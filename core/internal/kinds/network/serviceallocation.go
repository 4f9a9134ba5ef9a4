package network

import (
	"slices"
	"strconv"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
)

func allocateService(c *strategy.Context, obj, old map[string]any) (func(), field.ErrorList) {
	spec, was := tree.Object(obj, "spec"), tree.Object(old, "spec")
	ips, errs := takeAddresses(c, spec, addresses(was))
	ports, more := takePorts(c, spec, nodePorts(was))
	errs.Add(more...)
	undo := func() {
		free(c.ClusterIPs, ips)
		free(c.NodePorts, ports)
	}
	if len(errs) > 0 {
		undo()
		return nil, errs
	}
	return undo, nil
}

// takeAddresses allocates the address that the service requests and did not have before, or any for
// one that needs it and has none.
func takeAddresses(c *strategy.Context, spec map[string]any, had []string) (taken []string, errs field.ErrorList) {
	if c.ClusterIPs == nil || !hasClusterIP(spec) || tree.Text(spec, "clusterIP") == "None" {
		return nil, nil
	}
	at := field.Path("spec.clusterIPs")
	if tree.Text(spec, "clusterIP") == "" {
		ip, err := c.ClusterIPs.Next()
		if err != nil {
			return nil, field.ErrorList{field.Internal(at, err)}
		}
		spec["clusterIP"], spec["clusterIPs"] = ip, []any{ip}
		return []string{ip}, nil
	}
	for _, ip := range without(addresses(spec), had) {
		if err := c.ClusterIPs.Take(ip); err != nil {
			errs.Add(field.Invalid(at, tree.Texts(spec, "clusterIPs"), "failed to allocate IP "+ip+": "+err.Error()))
			continue
		}
		taken = append(taken, ip)
	}
	return taken, errs
}

func takePorts(c *strategy.Context, spec map[string]any, had []string) (taken []string, errs field.ErrorList) {
	if c.NodePorts == nil || !usesNodePorts(spec) {
		return nil, nil
	}
	take := func(m map[string]any, name string, at field.Path) {
		n, _ := tree.Int(m, name)
		port, err := strconv.FormatInt(n, 10), error(nil)
		switch {
		case n == 0:
			port, err = c.NodePorts.Next()
		case slices.Contains(had, port) || slices.Contains(taken, port):
			return
		default:
			err = c.NodePorts.Take(port)
		}
		if err != nil {
			errs.Add(field.Invalid(at.Child(name), n, err.Error()))
			return
		}
		taken = append(taken, port)
		m[name], _ = strconv.ParseInt(port, 10, 64)
	}
	wanted := tree.Text(spec, "type") == "NodePort" || tree.Bool(spec, "allocateLoadBalancerNodePorts")
	for i, port := range tree.Objects(spec, "ports") {
		if n, _ := tree.Int(port, "nodePort"); n != 0 || wanted {
			take(port, "nodePort", field.Path("spec.ports").Index(i))
		}
	}
	if usesHealthPort(spec) {
		take(spec, "healthCheckNodePort", "spec")
	}
	return taken, errs
}

func addresses(spec map[string]any) []string {
	return slices.DeleteFunc(tree.Texts(spec, "clusterIPs"), func(ip string) bool { return ip == "None" || ip == "" })
}

// nodePorts returns all node ports of a service, as texts.
func nodePorts(spec map[string]any) []string {
	var ports []string
	for _, port := range tree.Objects(spec, "ports") {
		if n, _ := tree.Int(port, "nodePort"); n != 0 {
			ports = append(ports, strconv.FormatInt(n, 10))
		}
	}
	if n, _ := tree.Int(spec, "healthCheckNodePort"); n != 0 {
		ports = append(ports, strconv.FormatInt(n, 10))
	}
	return ports
}

func without(values, others []string) []string {
	present := map[string]bool{}
	for _, v := range others {
		present[v] = true
	}
	return slices.DeleteFunc(values, func(v string) bool { return present[v] })
}

func free(a strategy.Allocator, values []string) {
	if a == nil {
		return
	}
	for _, v := range values {
		a.Free(v)
	}
}
