package pod

import (
	"maps"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/storage"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// WarnTemplate warns about a pod template at a path, or about a pod: its path is empty.
func WarnTemplate(c *strategy.Context, template map[string]any, at field.Path) {
	templateWarner{valid.Warner{Context: c}, at}.pod(template)
}

// A templateWarner has the real server's warnings about valid but discouraged fields of pods and
// pod templates, with its texts.
type templateWarner struct {
	valid.Warner
	at field.Path // of the pod or template; empty for a pod
}

// pod warns about a pod or template, without making paths if there is nothing to
// warn about.
func (w templateWarner) pod(pod map[string]any) {
	first := strategy.Context{Any: true}
	if (templateWarner{valid.Warner{Context: &first}, field.Unnamed}).look(pod); len(first.Warnings) > 0 {
		w.look(pod)
	}
}

func (w templateWarner) look(pod map[string]any) {
	spec, at := tree.Object(pod, "spec"), w.at.Child("spec")
	w.scheduling(spec, at)
	annotations := tree.Object(tree.Object(pod, "metadata"), "annotations")
	w.Annotation(w.at, annotations, "scheduler.alpha.kubernetes.io/critical-pod",
		`non-functional in v1.16+; use the "priorityClassName" field instead`)
	for _, key := range []string{"security.alpha.kubernetes.io/sysctls", "security.alpha.kubernetes.io/unsafe-sysctls"} {
		w.Annotation(w.at, annotations, key, `non-functional in v1.11+; use the "sysctls" field instead`)
	}
	for i, volume := range tree.Objects(spec, "volumes") {
		for _, old := range storage.OldVolumes {
			if volume[old.Name] != nil {
				name := strings.Replace(old.Name, "storageos", "storageOS", 1)
				w.Warnf(at.Child("volumes").Index(i).Child(name), "%s", old.Text)
			}
		}
		if claim := tree.At(volume, "ephemeral.volumeClaimTemplate"); claim != nil {
			at := at.Child("volumes").Index(i).Child("ephemeral", "volumeClaimTemplate", "spec")
			w.Claim(tree.Object(claim, "spec"), at)
		}
	}
	for _, volume := range tree.Objects(spec, "volumes") {
		w.volumePaths(volume)
	}
	w.twice(spec, at, "hostAliases", "ip")
	w.twice(spec, at, "imagePullSecrets", "name")
	for i, secret := range tree.Objects(spec, "imagePullSecrets") {
		if tree.Text(secret, "name") == "" {
			w.Warnf(at.Child("imagePullSecrets").Index(i).Child("name"), `invalid empty name ""`)
		}
	}
	if overhead := tree.Object(spec, "overhead"); overhead != nil {
		w.Bytes(overhead, at.Child("overhead"))
	}
	all := placed(spec, at)
	w.containers(pod, all)
	w.ports(all)
	if n, ok := tree.Int(spec, "terminationGracePeriodSeconds"); ok && n < 0 {
		w.Warnf(at.Child("terminationGracePeriodSeconds"),
			"must be >= 0; negative values are invalid and will be treated as 1")
	}
	for _, name := range []string{"podAffinity", "podAntiAffinity"} {
		if affinity := tree.Object(tree.Object(spec, "affinity"), name); affinity != nil {
			w.affinity(affinity, at.Child("affinity", name))
		}
	}
	for i, ip := range tree.Texts(tree.Object(spec, "dnsConfig"), "nameservers") {
		w.IP(ip, at.Child("dnsConfig", "nameservers").Index(i))
	}
	for i, alias := range tree.Objects(spec, "hostAliases") {
		w.IP(tree.Text(alias, "ip"), at.Child("hostAliases").Index(i).Child("ip"))
	}
}

func (w templateWarner) scheduling(spec map[string]any, at field.Path) {
	for _, key := range slices.Sorted(maps.Keys(tree.Object(spec, "nodeSelector"))) {
		if text, old := valid.OldNodeLabels[key]; old {
			w.Warnf(at.Child("nodeSelector").Key(key), "%s", text)
		}
	}
	if node := tree.At(spec, "affinity.nodeAffinity"); node != nil {
		p := at.Child("affinity", "nodeAffinity")
		for i, term := range tree.Objects(tree.Object(node, valid.RequiredTerms), "nodeSelectorTerms") {
			w.Expressions(term, p.Child(valid.RequiredTerms, "nodeSelectorTerms").Index(i))
		}
		for i, term := range tree.Objects(node, preferredTerms) {
			w.Expressions(tree.Object(term, "preference"), p.Child(preferredTerms).Index(i).Child("preference"))
		}
	}
	for i, constraint := range tree.Objects(spec, "topologySpreadConstraints") {
		p := at.Child("topologySpreadConstraints").Index(i)
		if text, old := valid.OldNodeLabels[tree.Text(constraint, "topologyKey")]; old {
			w.Warnf(p.Child("topologyKey"), "%s is %s", tree.Text(constraint, "topologyKey"), text)
		}
		if constraint["labelSelector"] == nil {
			w.Warnf(p.Child("labelSelector"), matchesNoPod)
		}
	}
}

// matchesNoPod is the warning about a term without a selector.
const matchesNoPod = "a null labelSelector results in matching no pod"

func (w templateWarner) affinity(affinity map[string]any, at field.Path) {
	for i, term := range tree.Objects(affinity, valid.RequiredTerms) {
		if term["labelSelector"] == nil {
			w.Warnf(at.Child(valid.RequiredTerms).Index(i).Child("labelSelector"), matchesNoPod)
		}
	}
	for i, term := range tree.Objects(affinity, preferredTerms) {
		if tree.Object(term, "podAffinityTerm")["labelSelector"] == nil {
			w.Warnf(at.Child(preferredTerms).Index(i).Child("podAffinityTerm", "labelSelector"), matchesNoPod)
		}
	}
}

// twice warns about duplicate values of a field in the entries of a list.
func (w templateWarner) twice(spec map[string]any, at field.Path, name, key string) {
	if len(tree.List(spec, name)) < 2 {
		return
	}
	seen := map[string]bool{}
	for i, entry := range tree.Objects(spec, name) {
		value := tree.Text(entry, key)
		if seen[value] {
			w.Warnf(at.Child(name).Index(i).Child(key), "duplicate %s %q", key, value)
		}
		seen[value] = true
	}
}

// A placedContainer is a container and its path.
type placedContainer struct {
	c  map[string]any
	at field.Path
}

// placed returns the containers of a pod with their paths.
func placed(spec map[string]any, at field.Path) []placedContainer {
	all := make([]placedContainer, 0, countContainers(spec))
	for _, name := range containerLists {
		for i, c := range tree.Objects(spec, name) {
			all = append(all, placedContainer{c, at.Child(name).Index(i)})
		}
	}
	return all
}

func (w templateWarner) containers(pod map[string]any, all []placedContainer) {
	const seccomp = `non-functional in v1.27+; use the "seccompProfile" field instead`
	spec, annotations := tree.Object(pod, "spec"), tree.Object(tree.Object(pod, "metadata"), "annotations")
	if tree.Object(spec, "securityContext")["seccompProfile"] == nil {
		w.Annotation(w.at, annotations, "seccomp.security.alpha.kubernetes.io/pod", seccomp)
	}
	profiled := hasProfiles(annotations)
	for _, container := range all {
		c, at := container.c, container.at
		if profiled && tree.Object(c, "securityContext")["seccompProfile"] == nil {
			w.Annotation(w.at, annotations, "container.seccomp.security.alpha.kubernetes.io/"+tree.Text(c, "name"), seccomp)
		}
		if profiled && w.at != "" && tree.Object(c, "securityContext")["appArmorProfile"] == nil {
			key := appArmorAnnotations + tree.Text(c, "name")
			whole := tree.Object(tree.Object(spec, "securityContext"), "appArmorProfile")
			text, ok := annotations[key].(string)
			if ok && (whole == nil || !object.Equal(whole, appArmorProfile(text))) {
				w.Annotation(w.at, annotations, key, appArmorReplaced)
			}
		}
		resources := tree.Object(c, "resources")
		for _, name := range valid.WholeBytes {
			for _, key := range []string{"limits", "requests"} {
				w.Amount(tree.Object(resources, key)[name], func() field.Path { return at.Child("resources", key).Key(name) })
			}
		}
		if len(tree.List(c, "env")) < 2 {
			continue // no one can hide another
		}
		defined := map[string]bool{}
		for i, env := range tree.Objects(c, "env") {
			name, value := tree.Text(env, "name"), tree.Text(env, "value")
			ref := "$(" + name + ")"
			if defined[name] && (env["valueFrom"] != nil || value == ref || !strings.Contains(value, ref)) {
				w.Warnf(at.Child("env").Index(i), "hides previous definition of %q, which may be dropped when using apply", name)
			}
			defined[name] = true
		}
	}
}

// ports warns about ports of a pod that are equal or overlap.
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
		n += len(tree.List(container.c, "ports"))
	}
	taken, named := map[target][]place{}, map[string]field.Path{}
	for _, container := range all {
		c, at := container.c, container.at
		for i, port := range tree.Objects(c, "ports") {
			number, _ := tree.Int(port, "containerPort")
			hostPort, _ := tree.Int(port, "hostPort")
			this := place{at.Child("ports").Index(i), tree.Text(port, "hostIP"), hostPort}
			if this.ip != "" && hostPort == 0 {
				w.Warnf(this.at, "hostIP set without hostPort: {Name:%s HostPort:0 ContainerPort:%d Protocol:%s HostIP:%s}",
					tree.Text(port, "name"), number, tree.Text(port, "protocol"), this.ip)
			}
			key := target{number, tree.Text(port, "protocol")}
			for _, other := range taken[key] {
				switch {
				case this.ip == other.ip && hostPort == other.hostPort:
					w.Warnf(this.at, "duplicate port definition with %s", other.at)
				case hostPort == 0 || other.hostPort == 0:
					w.Warnf(this.at, "overlapping port definition with %s", other.at)
				case hostPort == other.hostPort && (this.ip == "") != (other.ip == ""):
					w.Warnf(this.at, "dangerously ambiguous port definition with %s", other.at)
				}
			}
			if n == 1 {
				return // there is no other
			}
			if len(taken[key]) < maxCompared {
				taken[key] = append(taken[key], this)
			}
		}
	}
	for _, container := range all {
		for i, port := range tree.Objects(container.c, "ports") {
			name := tree.Text(port, "name")
			if name == "" {
				continue
			}
			at := container.at.Child("ports").Index(i)
			if other, ok := named[name]; ok {
				w.Warnf(at, "duplicate port name %q with %s, "+
					"services and probes that select ports by name will use %s", name, other, other)
			} else {
				named[name] = at
			}
		}
	}
}
