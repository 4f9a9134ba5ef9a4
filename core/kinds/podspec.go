package kinds

import "strings"

// defaultTemplate fills in what the pod template of a workload leaves out.
func defaultTemplate(template map[string]any) {
	if template != nil {
		defaultPodSpec(sub(template, "spec"))
	}
}

// defaultPodSpec fills in what pods and pod templates have in common.
func defaultPodSpec(spec map[string]any) {
	def(spec, "dnsPolicy", "ClusterFirst")
	def(spec, "restartPolicy", "Always")
	def(spec, "schedulerName", "default-scheduler")
	def(spec, "terminationGracePeriodSeconds", int64(30))
	if spec["securityContext"] == nil {
		spec["securityContext"] = map[string]any{}
	}
	// serviceAccount is the older name of serviceAccountName and always its copy.
	if name := str(spec, "serviceAccount"); name != "" {
		def(spec, "serviceAccountName", name)
	}
	if name := str(spec, "serviceAccountName"); name != "" {
		spec["serviceAccount"] = name
	}
	for _, c := range containers(spec) {
		defaultContainer(c)
	}
	for _, v := range entries(spec, "volumes") {
		defaultVolume(v)
	}
}

// containers are those of all three lists of a pod.
func containers(spec map[string]any) []map[string]any {
	var all []map[string]any
	for _, name := range containerLists {
		all = append(all, entries(spec, name)...)
	}
	return all
}

// containerLists are the lists of a pod's containers.
var containerLists = [...]string{"initContainers", "containers", "ephemeralContainers"}

func defaultContainer(c map[string]any) {
	var pull any = "IfNotPresent"
	if imageTag(str(c, "image")) == "latest" {
		pull = "Always"
	}
	def(c, "imagePullPolicy", pull)
	def(c, "terminationMessagePath", "/dev/termination-log")
	def(c, "terminationMessagePolicy", "File")
	for _, port := range entries(c, "ports") {
		def(port, "protocol", "TCP")
	}
	for _, env := range entries(c, "env") {
		defaultFieldRef(dict(env, "valueFrom"))
		if file := dict(dict(env, "valueFrom"), "fileKeyRef"); file != nil {
			def(file, "optional", false)
		}
	}
	for _, name := range []string{"livenessProbe", "readinessProbe", "startupProbe"} {
		defaultProbe(dict(c, name))
	}
	for _, name := range []string{"postStart", "preStop"} {
		defaultHTTPGet(dict(dict(c, "lifecycle"), name))
	}
}

// imageTag is the tag of an image: "latest" unless it has one or a digest. Of a
// name that no image can have it is empty.
func imageTag(image string) string {
	name, _, digest := strings.Cut(image, "@")
	tag := "latest"
	if digest {
		tag = ""
	}
	if i := strings.LastIndex(name, ":"); i > strings.LastIndex(name, "/") {
		name, tag = name[:i], name[i+1:]
	}
	if name == "" {
		return ""
	}
	first, rest, more := strings.Cut(name, "/")
	if more && (strings.ContainsAny(first, ".:") || first == "localhost") {
		name = rest // the registry's host may have capitals
	}
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789._-/") != "" || strings.Trim(name, "._-/") != name {
		return ""
	}
	return tag
}

// defaultFieldRef does so for whatever may have a fieldRef: environment
// variables and files of the downward API.
func defaultFieldRef(m map[string]any) {
	if ref := dict(m, "fieldRef"); ref != nil {
		def(ref, "apiVersion", "v1")
	}
}

func defaultHTTPGet(m map[string]any) {
	if get := dict(m, "httpGet"); get != nil {
		def(get, "path", "/")
		def(get, "scheme", "HTTP")
	}
}

func defaultProbe(probe map[string]any) {
	if probe == nil {
		return
	}
	for name, value := range map[string]int64{"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3} {
		if n, _ := num(probe, name); n == 0 {
			probe[name] = value
		}
	}
	defaultHTTPGet(probe)
	if grpc := dict(probe, "grpc"); grpc != nil && grpc["service"] == nil {
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
		if s := dict(v, source); s != nil {
			def(s, "defaultMode", defaultMode)
		}
	}
	for _, item := range entries(dict(v, "downwardAPI"), "items") {
		defaultFieldRef(item)
	}
	for _, source := range entries(dict(v, "projected"), "sources") {
		for _, item := range entries(dict(source, "downwardAPI"), "items") {
			defaultFieldRef(item)
		}
		if token := dict(source, "serviceAccountToken"); token != nil {
			def(token, "expirationSeconds", int64(3600))
		}
	}
	defaultVolumeSource(v)
	if claim := deep(v, "ephemeral.volumeClaimTemplate.spec"); claim != nil {
		def(claim, "volumeMode", "Filesystem")
	}
	if image := dict(v, "image"); image != nil {
		pull := "IfNotPresent"
		if imageTag(str(image, "reference")) == "latest" {
			pull = "Always"
		}
		def(image, "pullPolicy", pull)
	}
}

// defaultVolumeSource fills in sources that pods and PersistentVolumes share.
func defaultVolumeSource(v map[string]any) {
	for source, values := range volumeDefaults {
		if s := dict(v, source); s != nil {
			for name, value := range values {
				if s[name] == nil {
					s[name] = value
				}
			}
		}
	}
}

var volumeDefaults = map[string]map[string]any{
	"hostPath":  {"type": ""},
	"iscsi":     {"iscsiInterface": "default"},
	"rbd":       {"pool": "rbd", "user": "admin", "keyring": "/etc/ceph/keyring"},
	"azureDisk": {"cachingMode": "ReadWrite", "kind": "Shared", "fsType": "ext4", "readOnly": false},
	"scaleIO":   {"storageMode": "ThinProvisioned", "fsType": "xfs"},
}
