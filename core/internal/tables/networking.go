package tables

import (
	"strings"

	"github.com/tabernetes/tabernetes/core/object"
)

// networking are the kinds of networking.k8s.io and discovery.k8s.io.
var networking = []kind{
	{"discovery.k8s.io", "EndpointSlice", "Name|AddressType|Ports|Endpoints|Age", func(v view) []any {
		return []any{v.name(), v.text("addressType"), slicePorts(v), sliceEndpoints(v), v.age()}
	}},
	{"networking.k8s.io", "IPAddress", "Name|ParentRef", func(v view) []any {
		// There are more cells than columns, as in the real server.
		return []any{v.name(), parentRef(v), v.age()}
	}},
	{"networking.k8s.io", "Ingress", "Name|Class|Hosts|Address|Ports|Age", func(v view) []any {
		ports := "80"
		if len(v.list("spec", "tls")) > 0 {
			ports = "80, 443"
		}
		return []any{v.name(), v.value(none, "spec", "ingressClassName"), hosts(v), loadBalancer(v), ports, v.age()}
	}},
	{"networking.k8s.io", "IngressClass", "Name|Controller|Parameters|Age", func(v view) []any {
		name := v.name()
		if v.annotated("ingressclass.kubernetes.io/is-default-class") {
			name += " (default)"
		}
		return []any{name, v.text("spec", "controller"), classParameters(v), v.age()}
	}},
	{"networking.k8s.io", "NetworkPolicy", "Name|Pod-Selector|Age", func(v view) []any {
		return []any{v.name(), v.selector("spec", "podSelector"), v.age()}
	}},
	{"networking.k8s.io", "ServiceCIDR", "Name|CIDRs|Age", func(v view) []any {
		return []any{v.name(), strings.Join(v.texts("spec", "cidrs"), ","), v.age()}
	}},
}

// slicePorts returns the numbers of the ports, or the names of those without.
func slicePorts(v view) string {
	var ports []string
	for port := range v.each("ports") {
		ports = append(ports, value(port, value(port, "*", "name"), "port"))
	}
	return or(some(ports, shown, len(ports), ","), unset)
}

func sliceEndpoints(v view) string {
	var addresses []string
	for endpoint := range v.each("endpoints") {
		addresses = append(addresses, object.GetStrings(endpoint, "addresses")...)
	}
	return or(some(addresses, shown, len(addresses), ","), unset)
}

func parentRef(v view) string {
	if !v.has("spec", "parentRef") {
		return none
	}
	text := v.text("spec", "parentRef", "resource")
	if group := v.text("spec", "parentRef", "group"); group != "" {
		text += "." + group
	}
	text = strings.ToLower(text)
	if namespace := v.text("spec", "parentRef", "namespace"); namespace != "" {
		text += "/" + namespace
	}
	return text + "/" + v.text("spec", "parentRef", "name")
}

// hosts returns the hosts of the rules. Rules without one are left out, but count when there are
// more hosts than are shown.
func hosts(v view) string {
	var all []string
	more := false
	for rule := range v.each("spec", "rules") {
		more = more || len(all) == shown
		if host := object.GetString(rule, "host"); host != "" && !more {
			all = append(all, host)
		}
	}
	count := len(all)
	if more {
		count = len(v.list("spec", "rules"))
	}
	return or(some(all, shown, count, ","), "*")
}

func classParameters(v view) string {
	if !v.has("spec", "parameters") {
		return none
	}
	kind := v.text("spec", "parameters", "kind")
	if v.has("spec", "parameters", "apiGroup") {
		kind += "." + v.text("spec", "parameters", "apiGroup")
	}
	return kind + "/" + v.text("spec", "parameters", "name")
}
