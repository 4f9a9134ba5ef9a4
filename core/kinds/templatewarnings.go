package kinds

import (
	"maps"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/object"
)

// oldVolumes are kinds of volumes that are no more, in the order of their
// warnings.
var oldVolumes = []struct{ name, text string }{
	{"photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"},
	{"gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"},
	{"scaleIO", "deprecated in v1.16, non-functional in v1.22+"},
	{"flocker", "deprecated in v1.22, non-functional in v1.25+"},
	{"storageos", "deprecated in v1.22, non-functional in v1.25+"},
	{"quobyte", "deprecated in v1.22, non-functional in v1.25+"},
	{"glusterfs", "deprecated in v1.25, non-functional in v1.26+"},
	{"cephfs", "deprecated in v1.28, non-functional in v1.31+"},
	{"rbd", "deprecated in v1.28, non-functional in v1.31+"},
}

// A templateWarner warns about what a pod may be but should not: the real server's
// warnings about pods and templates of pods, in its words. Left out are those about
// volumes that have one path twice.
type templateWarner struct {
	warner
	at field.Path // of the pod or template; empty for a pod
}

// pod warns about a pod or template, without making paths if there is nothing to
// warn about.
func (w templateWarner) pod(pod map[string]any) {
	var heard Context
	if (templateWarner{warner{&heard}, field.Unnamed}).look(pod); len(heard.Warnings) > 0 {
		w.look(pod)
	}
}

func (w templateWarner) look(pod map[string]any) {
	spec, at := dict(pod, "spec"), w.at.Child("spec")
	w.scheduling(spec, at)
	annotations := dict(dict(pod, "metadata"), "annotations")
	w.annotation(w.at, annotations, "scheduler.alpha.kubernetes.io/critical-pod", `non-functional in v1.16+; use the "priorityClassName" field instead`)
	for _, key := range []string{"security.alpha.kubernetes.io/sysctls", "security.alpha.kubernetes.io/unsafe-sysctls"} {
		w.annotation(w.at, annotations, key, `non-functional in v1.11+; use the "sysctls" field instead`)
	}
	for i, volume := range entries(spec, "volumes") {
		for _, old := range oldVolumes {
			if volume[old.name] != nil {
				name := strings.Replace(old.name, "storageos", "storageOS", 1)
				w.say(at.Child("volumes").Index(i).Child(name), "%s", old.text)
			}
		}
		if claim := deep(volume, "ephemeral.volumeClaimTemplate"); claim != nil {
			w.claim(dict(claim, "spec"), at.Child("volumes").Index(i).Child("ephemeral", "volumeClaimTemplate", "spec"))
		}
	}
	w.twice(spec, at, "hostAliases", "ip")
	w.twice(spec, at, "imagePullSecrets", "name")
	for i, secret := range entries(spec, "imagePullSecrets") {
		if str(secret, "name") == "" {
			w.say(at.Child("imagePullSecrets").Index(i).Child("name"), `invalid empty name ""`)
		}
	}
	if overhead := dict(spec, "overhead"); overhead != nil {
		w.bytes(overhead, at.Child("overhead"))
	}
	all := placed(spec, at)
	w.containers(pod, all)
	w.ports(all)
	if n, ok := num(spec, "terminationGracePeriodSeconds"); ok && n < 0 {
		w.say(at.Child("terminationGracePeriodSeconds"), "must be >= 0; negative values are invalid and will be treated as 1")
	}
	for _, name := range []string{"podAffinity", "podAntiAffinity"} {
		if affinity := dict(dict(spec, "affinity"), name); affinity != nil {
			w.affinity(affinity, at.Child("affinity", name))
		}
	}
	for i, ip := range strs(dict(spec, "dnsConfig"), "nameservers") {
		w.ip(ip, at.Child("dnsConfig", "nameservers").Index(i))
	}
	for i, alias := range entries(spec, "hostAliases") {
		w.ip(str(alias, "ip"), at.Child("hostAliases").Index(i).Child("ip"))
	}
}

func (w templateWarner) scheduling(spec map[string]any, at field.Path) {
	for _, key := range slices.Sorted(maps.Keys(dict(spec, "nodeSelector"))) {
		if text, old := oldNodeLabels[key]; old {
			w.say(at.Child("nodeSelector").Key(key), "%s", text)
		}
	}
	if node := deep(spec, "affinity.nodeAffinity"); node != nil {
		const required, preferred = "requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution"
		p := at.Child("affinity", "nodeAffinity")
		for i, term := range entries(dict(node, required), "nodeSelectorTerms") {
			w.expressions(term, p.Child(required, "nodeSelectorTerms").Index(i))
		}
		for i, term := range entries(node, preferred) {
			w.expressions(dict(term, "preference"), p.Child(preferred).Index(i).Child("preference"))
		}
	}
	for i, constraint := range entries(spec, "topologySpreadConstraints") {
		p := at.Child("topologySpreadConstraints").Index(i)
		if text, old := oldNodeLabels[str(constraint, "topologyKey")]; old {
			w.say(p.Child("topologyKey"), "%s is %s", str(constraint, "topologyKey"), text)
		}
		if constraint["labelSelector"] == nil {
			w.say(p.Child("labelSelector"), "a null labelSelector results in matching no pod")
		}
	}
}

func (w templateWarner) affinity(affinity map[string]any, at field.Path) {
	const nobody = "a null labelSelector results in matching no pod"
	for i, term := range entries(affinity, "requiredDuringSchedulingIgnoredDuringExecution") {
		if term["labelSelector"] == nil {
			w.say(at.Child("requiredDuringSchedulingIgnoredDuringExecution").Index(i).Child("labelSelector"), nobody)
		}
	}
	for i, term := range entries(affinity, "preferredDuringSchedulingIgnoredDuringExecution") {
		if dict(term, "podAffinityTerm")["labelSelector"] == nil {
			w.say(at.Child("preferredDuringSchedulingIgnoredDuringExecution").Index(i).Child("podAffinityTerm", "labelSelector"), nobody)
		}
	}
}

// twice warns about entries of a list with the same value in a field.
func (w templateWarner) twice(spec map[string]any, at field.Path, name, key string) {
	if len(list(spec, name)) < 2 {
		return
	}
	seen := map[string]bool{}
	for i, entry := range entries(spec, name) {
		value := str(entry, key)
		if seen[value] {
			w.say(at.Child(name).Index(i).Child(key), "duplicate %s %q", key, value)
		}
		seen[value] = true
	}
}

// A container and its path.
type placedContainer struct {
	c  map[string]any
	at field.Path
}

// placed are the containers of a pod.
func placed(spec map[string]any, at field.Path) (all []placedContainer) {
	for _, name := range containerLists {
		for i, c := range entries(spec, name) {
			all = append(all, placedContainer{c, at.Child(name).Index(i)})
		}
	}
	return all
}

func (w templateWarner) containers(pod map[string]any, all []placedContainer) {
	const seccomp = `non-functional in v1.27+; use the "seccompProfile" field instead`
	spec, annotations := dict(pod, "spec"), dict(dict(pod, "metadata"), "annotations")
	if dict(spec, "securityContext")["seccompProfile"] == nil {
		w.annotation(w.at, annotations, "seccomp.security.alpha.kubernetes.io/pod", seccomp)
	}
	for _, container := range all {
		c, at := container.c, container.at
		if len(annotations) > 0 && dict(c, "securityContext")["seccompProfile"] == nil {
			w.annotation(w.at, annotations, "container.seccomp.security.alpha.kubernetes.io/"+str(c, "name"), seccomp)
		}
		if text, ok := annotations[armorAnnotations+str(c, "name")].(string); ok && w.at != "" && dict(c, "securityContext")["appArmorProfile"] == nil {
			if whole := dict(dict(spec, "securityContext"), "appArmorProfile"); whole == nil || !object.Equal(whole, armorOf(text)) {
				w.annotation(w.at, annotations, armorAnnotations+str(c, "name"), oldArmor)
			}
		}
		resources := dict(c, "resources")
		for _, name := range wholeBytes {
			for _, of := range []string{"limits", "requests"} {
				w.amount(dict(resources, of)[name], func() field.Path { return at.Child("resources", of).Key(name) })
			}
		}
		if len(list(c, "env")) < 2 {
			continue // there is nothing to hide
		}
		defined := map[string]bool{}
		for i, env := range entries(c, "env") {
			name, value := str(env, "name"), str(env, "value")
			ref := "$(" + name + ")"
			if defined[name] && (env["valueFrom"] != nil || value == ref || !strings.Contains(value, ref)) {
				w.say(at.Child("env").Index(i), "hides previous definition of %q, which may be dropped when using apply", name)
			}
			defined[name] = true
		}
	}
}

// ports warns about ports of a pod that get in each other's way.
func (w templateWarner) ports(all []placedContainer) {
	type place struct {
		at       field.Path
		ip       string
		hostPort int64
	}
	type target struct {
		port     int64
		protocol string
	}
	n := 0
	for _, container := range all {
		n += len(list(container.c, "ports"))
	}
	taken, named := map[target][]place{}, map[string]field.Path{}
	for _, container := range all {
		c, at := container.c, container.at
		for i, port := range entries(c, "ports") {
			number, _ := num(port, "containerPort")
			hostPort, _ := num(port, "hostPort")
			this := place{at.Child("ports").Index(i), str(port, "hostIP"), hostPort}
			if this.ip != "" && hostPort == 0 {
				w.say(this.at, "hostIP set without hostPort: {Name:%s HostPort:0 ContainerPort:%d Protocol:%s HostIP:%s}",
					str(port, "name"), number, str(port, "protocol"), this.ip)
			}
			key := target{number, str(port, "protocol")}
			for _, other := range taken[key] {
				switch {
				case this.ip == other.ip && hostPort == other.hostPort:
					w.say(this.at, "duplicate port definition with %s", other.at)
				case hostPort == 0 || other.hostPort == 0:
					w.say(this.at, "overlapping port definition with %s", other.at)
				case hostPort == other.hostPort && (this.ip == "") != (other.ip == ""):
					w.say(this.at, "dangerously ambiguous port definition with %s", other.at)
				}
			}
			if n == 1 {
				return // it is in nobody's way
			}
			taken[key] = append(taken[key], this)
		}
	}
	for _, container := range all {
		for i, port := range entries(container.c, "ports") {
			name := str(port, "name")
			if name == "" {
				continue
			}
			at := container.at.Child("ports").Index(i)
			if other, ok := named[name]; ok {
				w.say(at, "duplicate port name %q with %s, services and probes that select ports by name will use %s", name, other, other)
			} else {
				named[name] = at
			}
		}
	}
}
