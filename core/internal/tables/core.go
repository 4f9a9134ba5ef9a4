package tables

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/object"
)

// core are the kinds of the group without a name.
var core = []kind{
	{"", "ComponentStatus", "Name|Status|Message|Error", componentStatusCells},
	{"", "ConfigMap", "Name|Data|Age", func(v view) []any {
		return []any{v.name(), len(v.tree("data")) + len(v.tree("binaryData")), v.age()}
	}},
	{"", "Endpoints", "Name|Endpoints|Age", func(v view) []any { return []any{v.name(), endpoints(v), v.age()} }},
	{"", "Event", "Last Seen|Type|Reason|Object|Subobject*|Source*|Message|First Seen*|Count*|Name*", eventCells},
	{"", "Namespace", "Name|Status|Age",
		func(v view) []any { return []any{v.name(), v.text("status", "phase"), v.age()} }},
	{"", "Node", "Name|Status|Roles|Age|Version|Internal-IP*|External-IP*|OS-Image*|Kernel-Version*|Container-Runtime*",
		nodeCells},
	{"", "PersistentVolume", "Name|Capacity|Access Modes|Reclaim " +
		"Policy|Status|Claim|StorageClass|VolumeAttributesClass|Reason|Age|VolumeMode*", volumeCells},
	{"", "PersistentVolumeClaim", "Name|Status|Volume|Capacity|Access " +
		"Modes|StorageClass|VolumeAttributesClass|Age|VolumeMode*", claimCells},
	{"", "Pod", "Name|Ready|Status|Restarts|Age|IP*|Node*|Nominated Node*|Readiness Gates*", podCells},
	{"", "PodTemplate", "Name|Containers|Images|Pod Labels", func(v view) []any {
		return append(append([]any{v.name()}, v.containers("template", "spec")...),
			v.labels("template", "metadata", "labels"))
	}},
	{"", "ReplicationController", "Name|Desired:integer|Current:integer|Ready:integer|Age|Containers*|Images*|Selector*",
		func(v view) []any {
			return append(replicaCells(v), v.labels("spec", "selector"))
		}},
	{"", "ResourceQuota", "Name|Request|Limit|Age", quotaCells},
	{"", "Secret", "Name|Type|Data|Age", func(v view) []any {
		return []any{v.name(), v.text("type"), len(v.tree("data")), v.age()}
	}},
	{"", "Service", "Name|Type|Cluster-IP|External-IP|Port(s)|Age|Selector*", serviceCells},
	{"", "ServiceAccount", "Name|Age", nameAndAge},
}

// nameAndAge returns the cells of kinds with these two only.
func nameAndAge(v view) []any { return []any{v.name(), v.age()} }

func componentStatusCells(v view) []any {
	for c := range v.each("conditions") {
		if c["type"] != "Healthy" {
			continue
		}
		health := "Unhealthy"
		if c["status"] == "True" {
			health = "Healthy"
		}
		return []any{v.name(), health, object.GetString(c, "message"), object.GetString(c, "error")}
	}
	return []any{v.name(), "Unknown", "", ""}
}

// endpoints returns the ready addresses, each with each port.
func endpoints(v view) string {
	if len(v.list("subsets")) == 0 {
		return none
	}
	var all []string
	for subset := range v.each("subsets") {
		addresses := object.GetList(subset, "addresses")
		ports := object.GetList(subset, "ports")
		if len(ports) == 0 {
			for address := range trees(addresses) {
				all = append(all, object.GetString(address, "ip"))
			}
		}
		for port := range trees(ports) {
			number := value(port, "0", "port")
			for address := range trees(addresses) {
				all = append(all, hostPort(object.GetString(address, "ip"), number))
			}
		}
	}
	return some(all, shown, len(all), ",")
}

func hostPort(ip, port string) string {
	if strings.Contains(ip, ":") {
		ip = "[" + ip + "]"
	}
	return ip + ":" + port
}

func eventCells(v view) []any {
	first := v.since("firstTimestamp")
	if first == unknown {
		first = v.since("eventTime")
	}
	last := v.since("lastTimestamp")
	if last == unknown {
		last = first
	}
	count := v.number("count")
	switch {
	case v.has("series"):
		last, count = v.since("series", "lastObservedTime"), v.number("series", "count")
	case count == 0:
		count = 1 // an event that happened once has no count
	}
	target := strings.ToLower(v.text("involvedObject", "kind"))
	if name := v.text("involvedObject", "name"); name != "" {
		target += "/" + name
	}
	source := v.textOr(v.text("reportingComponent"), "source", "component")
	if instance := v.textOr(v.text("reportingInstance"), "source", "host"); instance != "" {
		source += ", " + instance
	}
	return []any{
		last, v.text("type"), v.text("reason"), target, v.text("involvedObject", "fieldPath"), source,
		strings.TrimSpace(v.text("message")), first, count, v.name(),
	}
}

func nodeCells(v view) []any {
	status := "Unknown"
	for c := range v.each("status", "conditions") {
		switch {
		case c["type"] != "Ready":
		case c["status"] == "True":
			status = "Ready"
		default:
			status = "NotReady"
		}
	}
	if v.is("spec", "unschedulable") {
		status += ",SchedulingDisabled"
	}
	kernel := v.textOr(unknown, "status", "nodeInfo", "kernelVersion")
	if architecture := v.text("status", "nodeInfo", "architecture"); architecture != "" {
		kernel += " (" + architecture + ")"
	}
	return []any{
		v.name(), status, or(nodeRoles(v), none), v.age(), v.text("status", "nodeInfo", "kubeletVersion"),
		nodeAddress(v, "InternalIP"), nodeAddress(v, "ExternalIP"), v.textOr(unknown, "status", "nodeInfo", "osImage"),
		kernel, v.textOr(unknown, "status", "nodeInfo", "containerRuntimeVersion"),
	}
}

// nodeRoles returns the roles in a node's labels, including those in the older label.
func nodeRoles(v view) string {
	roles := map[string]bool{}
	for label, value := range v.tree("metadata", "labels") {
		if role, ok := strings.CutPrefix(label, "node-role.kubernetes.io/"); ok {
			roles[role] = true
		} else if text, _ := value.(string); label == "kubernetes.io/role" {
			roles[text] = true
		}
	}
	delete(roles, "")
	return strings.Join(slices.Sorted(maps.Keys(roles)), ",")
}

func nodeAddress(v view, kind string) string {
	for address := range v.each("status", "addresses") {
		if address["type"] == kind {
			return object.GetString(address, "address")
		}
	}
	return none
}

func volumeCells(v view) []any {
	claim := ""
	if v.has("spec", "claimRef") {
		claim = v.text("spec", "claimRef", "namespace") + "/" + v.text("spec", "claimRef", "name")
	}
	return []any{
		v.name(), v.value("0", "spec", "capacity", "storage"), accessModes(v.texts("spec", "accessModes")),
		v.text("spec", "persistentVolumeReclaimPolicy"), phase(v), claim, storageClass(v),
		v.value(unset, "spec", "volumeAttributesClassName"), v.text("status", "reason"), v.age(),
		v.value(unset, "spec", "volumeMode"),
	}
}

func claimCells(v view) []any {
	capacity, modes, volume := "", "", v.text("spec", "volumeName")
	if volume != "" {
		capacity, modes = v.value("0", "status", "capacity", "storage"), accessModes(v.texts("status", "accessModes"))
	}
	return []any{
		v.name(), phase(v), volume, capacity, modes, storageClass(v), v.value(unset, "spec", "volumeAttributesClassName"),
		v.age(), v.value(unset, "spec", "volumeMode"),
	}
}

// phase returns the phase of a volume or a claim.
func phase(v view) string {
	if v.deleted() {
		return "Terminating"
	}
	return v.text("status", "phase")
}

// storageClass returns the class of a volume or a claim; the older annotation takes precedence.
func storageClass(v view) string {
	if class, ok := object.Get(v.obj, "metadata", "annotations", "volume.beta.kubernetes.io/storage-class"); ok {
		return fmt.Sprint(class)
	}
	return v.text("spec", "storageClassName")
}

// modeNames are the access modes in the order of cells.
var modeNames = [][2]string{{"ReadWriteOnce", "RWO"}, {"ReadOnlyMany", "ROX"}, {"ReadWriteMany", "RWX"},
	{"ReadWriteOncePod", "RWOP"}}

func accessModes(modes []string) string {
	var short []string
	for _, m := range modeNames {
		if slices.Contains(modes, m[0]) {
			short = append(short, m[1])
		}
	}
	return strings.Join(short, ",")
}

// replicaCells returns the cells of kinds with replicas, except for the selector.
func replicaCells(v view) []any {
	return append([]any{
		v.name(), v.number("spec", "replicas"), v.number("status", "replicas"), v.number("status", "readyReplicas"), v.age(),
	}, v.containers("spec", "template", "spec")...)
}

func quotaCells(v view) []any {
	var requests, limits []string
	hard := v.tree("status", "hard")
	for _, resource := range slices.Sorted(maps.Keys(hard)) {
		text := resource + ": " + v.value("0", "status", "used", resource) + "/" + value(hard, "0", resource)
		if strings.HasPrefix(resource, "limits.") {
			limits = append(limits, text)
		} else {
			requests = append(requests, text)
		}
	}
	return []any{v.name(), strings.Join(requests, ", "), strings.Join(limits, ", "), v.age()}
}

func serviceCells(v view) []any {
	ip := none
	if ips := v.texts("spec", "clusterIPs"); len(ips) > 0 {
		ip = ips[0]
	}
	var ports []string
	for port := range v.each("spec", "ports") {
		text := value(port, "0", "port")
		if n, _ := object.GetInt(port, "nodePort"); n > 0 {
			text += ":" + strconv.FormatInt(n, 10)
		}
		ports = append(ports, text+"/"+object.GetString(port, "protocol"))
	}
	return []any{
		v.name(), v.text("spec", "type"), ip, externalIP(v), or(strings.Join(ports, ","), none), v.age(),
		v.labels("spec", "selector"),
	}
}

func externalIP(v view) string {
	ips, absent := v.texts("spec", "externalIPs"), none
	switch v.text("spec", "type") {
	case "ClusterIP", "NodePort":
	case "LoadBalancer":
		absent = "<pending>"
		if balancer := loadBalancer(v); balancer != "" {
			ips = append([]string{balancer}, ips...)
		}
	case "ExternalName":
		return v.text("spec", "externalName")
	default:
		return unknown
	}
	if len(ips) == 0 {
		return absent
	}
	return strings.Join(ips, ",")
}

// loadBalancer returns the addresses in the status of a Service or an Ingress, sorted.
func loadBalancer(v view) string {
	addresses := map[string]bool{}
	for ingress := range v.each("status", "loadBalancer", "ingress") {
		addresses[or(object.GetString(ingress, "ip"), object.GetString(ingress, "hostname"))] = true
	}
	delete(addresses, "")
	return strings.Join(slices.Sorted(maps.Keys(addresses)), ",")
}
