package pod

import (
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/kinds/storage"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
)

// DefaultTemplate sets the defaults of a pod template.
func DefaultTemplate(template map[string]any) {
	if template != nil {
		spec := tree.Make(template, "spec")
		defaultPodSpec(spec)
		roundAmounts(spec)
	}
}

// roundAmounts rounds the amounts in the spec of a pod or template, which the real server does after all other
// defaults: those of the pod as a whole are sums of what containers ask for.
func roundAmounts(spec map[string]any) {
	tree.RoundUp(spec, "overhead")
	roundResources(spec)
	for _, c := range containers(spec) {
		roundResources(c)
	}
	for _, v := range tree.Objects(spec, "volumes") {
		roundResources(tree.At(v, "ephemeral.volumeClaimTemplate.spec"))
	}
}

func roundResources(m map[string]any) {
	tree.RoundUp(tree.Object(m, "resources"), "limits", "requests")
}

// defaultPodSpec sets the defaults that pods and pod templates have in common.
func defaultPodSpec(spec map[string]any) {
	tree.Default(spec, "dnsPolicy", "ClusterFirst")
	tree.Default(spec, "restartPolicy", "Always")
	tree.Default(spec, "schedulerName", "default-scheduler")
	tree.Default(spec, "terminationGracePeriodSeconds", int64(30))
	if spec["securityContext"] == nil {
		spec["securityContext"] = map[string]any{}
	}
	// serviceAccount is the older name of serviceAccountName and always its copy.
	if name := tree.Text(spec, "serviceAccount"); name != "" {
		tree.Default(spec, "serviceAccountName", name)
	}
	if name := tree.Text(spec, "serviceAccountName"); name != "" {
		spec["serviceAccount"] = name
	}
	for _, c := range containers(spec) {
		defaultContainer(c)
	}
	for _, v := range tree.Objects(spec, "volumes") {
		defaultVolume(v)
	}
}

// containers returns the containers of all three lists of a pod.
func containers(spec map[string]any) []map[string]any {
	all := make([]map[string]any, 0, countContainers(spec))
	for _, name := range containerLists {
		for _, v := range tree.List(spec, name) {
			if c := tree.Map(v); c != nil {
				all = append(all, c)
			}
		}
	}
	return all
}

// countContainers returns how many entries the three lists have.
func countContainers(spec map[string]any) (n int) {
	for _, name := range containerLists {
		n += len(tree.List(spec, name))
	}
	return n
}

// containerLists are the lists of a pod's containers.
var containerLists = [...]string{"initContainers", "containers", "ephemeralContainers"}

func defaultContainer(c map[string]any) {
	if tree.Text(c, "imagePullPolicy") == "" {
		pull := "IfNotPresent"
		if imageTag(tree.Text(c, "image")) == "latest" {
			pull = "Always"
		}
		c["imagePullPolicy"] = pull
	}
	tree.Default(c, "terminationMessagePath", "/dev/termination-log")
	tree.Default(c, "terminationMessagePolicy", "File")
	for _, port := range tree.Objects(c, "ports") {
		tree.Default(port, "protocol", "TCP")
	}
	for _, env := range tree.Objects(c, "env") {
		defaultFieldRef(tree.Object(env, "valueFrom"))
		if file := tree.Object(tree.Object(env, "valueFrom"), "fileKeyRef"); file != nil {
			tree.Default(file, "optional", false)
		}
	}
	for _, name := range []string{"livenessProbe", "readinessProbe", "startupProbe"} {
		defaultProbe(tree.Object(c, name))
	}
	for _, name := range []string{"postStart", "preStop"} {
		defaultHTTPGet(tree.Object(tree.Object(c, "lifecycle"), name))
	}
}

// imageTag returns the tag of an image: "latest" unless it has one or a digest; empty for an
// invalid name.
func imageTag(image string) string {
	if len(image) == 64 && strings.Trim(image, "0123456789abcdef") == "" {
		return "" // the id of one
	}
	name, _, digest := strings.Cut(image, "@")
	tag := "latest"
	if digest {
		tag = ""
	}
	if i := strings.LastIndex(name, ":"); i > strings.LastIndex(name, "/") {
		name, tag = name[:i], name[i+1:]
	}
	host, path, more := strings.Cut(name, "/")
	switch {
	case !more:
		path = "library/" + name
	case !strings.ContainsAny(host, ".:") && host != "localhost" && strings.ToLower(host) == host:
		path = name // in the default registry
	case !isRegistry(host):
		return ""
	}
	if len(path) > 255 {
		return ""
	}
	for part := range strings.SplitSeq(path, "/") {
		if !isRepository(part) {
			return ""
		}
	}
	return tag
}

// isRegistry reports whether a text is the host of a registry, which may have a port.
func isRegistry(host string) bool {
	name, port, hasPort := strings.Cut(host, ":")
	for part := range strings.SplitSeq(name, ".") {
		if part == "" || part[0] == '-' || part[len(part)-1] == '-' {
			return false
		}
		for i := range len(part) {
			if c := part[i]; c != '-' && !isWord(c) && (c < 'A' || c > 'Z') {
				return false
			}
		}
	}
	return !hasPort || valid.Digits(port)
}

// isRepository reports whether a text can be a part of the path of a repository: words with a dot, one or
// two underscores, or dashes between them.
func isRepository(part string) bool {
	for {
		end := 0
		for end < len(part) && isWord(part[end]) {
			end++
		}
		if end == 0 {
			return false
		}
		rest := part[end:]
		if rest == "" {
			return true
		}
		part = strings.TrimLeft(rest, "._-")
		between := rest[:len(rest)-len(part)]
		if between != "." && between != "_" && between != "__" && (between == "" || strings.Trim(between, "-") != "") {
			return false
		}
	}
}

// isWord reports whether a byte is a small letter or a digit.
func isWord(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }

// defaultFieldRef sets the defaults of a fieldRef of an environment variable or of a file of the
// downward API.
func defaultFieldRef(m map[string]any) {
	if ref := tree.Object(m, "fieldRef"); ref != nil {
		tree.Default(ref, "apiVersion", "v1")
	}
}

func defaultHTTPGet(m map[string]any) {
	if get := tree.Object(m, "httpGet"); get != nil {
		tree.Default(get, "path", "/")
		tree.Default(get, "scheme", "HTTP")
	}
}

var probeDefaults = map[string]int64{
	"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3,
}

func defaultProbe(probe map[string]any) {
	if probe == nil {
		return
	}
	for name, value := range probeDefaults {
		if n, _ := tree.Int(probe, name); n == 0 {
			probe[name] = value
		}
	}
	defaultHTTPGet(probe)
	if grpc := tree.Object(probe, "grpc"); grpc != nil && grpc["service"] == nil {
		grpc["service"] = ""
	}
}

// defaultMode is rw-r--r--, in decimal as JSON has it.
const defaultMode = int64(0o644)

func defaultVolume(v map[string]any) {
	if len(v) <= 1 { // a name only
		v["emptyDir"] = map[string]any{}
	}
	for _, source := range []string{"secret", "configMap", "downwardAPI", "projected"} {
		if s := tree.Object(v, source); s != nil {
			tree.Default(s, "defaultMode", defaultMode)
		}
	}
	for _, item := range tree.Objects(tree.Object(v, "downwardAPI"), "items") {
		defaultFieldRef(item)
	}
	for _, source := range tree.Objects(tree.Object(v, "projected"), "sources") {
		for _, item := range tree.Objects(tree.Object(source, "downwardAPI"), "items") {
			defaultFieldRef(item)
		}
		if token := tree.Object(source, "serviceAccountToken"); token != nil {
			tree.Default(token, "expirationSeconds", int64(3600))
		}
	}
	storage.DefaultVolumeSource(v)
	if claim := tree.At(v, "ephemeral.volumeClaimTemplate.spec"); claim != nil {
		tree.DefaultNil(claim, "volumeMode", "Filesystem")
	}
	if image := tree.Object(v, "image"); image != nil {
		pull := "IfNotPresent"
		if imageTag(tree.Text(image, "reference")) == "latest" {
			pull = "Always"
		}
		tree.Default(image, "pullPolicy", pull)
	}
}
