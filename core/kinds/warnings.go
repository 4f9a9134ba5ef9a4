package kinds

import (
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/object"
)

// What the real server's strategies warn of. It is told if the object is valid.

// warnName warns about the name of an object that makes pods.
func warnName(c *Context, obj map[string]any) {
	if faults := syntax.Label(object.Name(obj)); len(faults) > 0 {
		c.warn("metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [" +
			strings.Join(faults, " ") + "]")
	}
}

// warnNewWorkload warns about a new object with a template in its spec.
func warnNewWorkload(c *Context, obj map[string]any) {
	warnName(c, obj)
	warnTemplate(c, obj)
}

func warnTemplate(c *Context, obj map[string]any) {
	dropUnknown(deep(obj, "spec.template.spec"))
	templateWarner{warner{c}, "spec.template"}.pod(dict(dict(obj, "spec"), "template"))
}

// warnChangedWorkload warns again once the spec changes.
func warnChangedWorkload(c *Context, obj, old map[string]any) {
	if !object.Equal(obj["spec"], old["spec"]) {
		warnTemplate(c, obj)
	}
}

// warnClaims warns about the claims that a StatefulSet makes.
func warnClaims(c *Context, obj map[string]any, child ...string) {
	spec := dict(obj, "spec")
	for i, claim := range entries(spec, "volumeClaimTemplates") {
		warner{c: c}.claim(dict(claim, "spec"), field.Path("spec.volumeClaimTemplates").Index(i).Child(child...))
	}
	if n, ok := num(spec, "revisionHistoryLimit"); ok && n < 0 {
		c.warn("spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended")
	}
}

// warnJob warns about the spec of a Job, which is there or in a CronJob.
func warnJob(c *Context, spec map[string]any, at field.Path) {
	const most, mostParallel = 100_000, 10_000
	if str(spec, "completionMode") == "Indexed" {
		completions, _ := num(spec, "completions")
		parallel, _ := num(spec, "parallelism")
		if completions > most && parallel > mostParallel {
			c.warn(at.String() + ": In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail")
		}
	}
	dropUnknown(deep(spec, "template.spec"))
	templateWarner{warner{c}, at.Child("template")}.pod(dict(spec, "template"))
}

const mountableSecrets = "kubernetes.io/enforce-mountable-secrets"

// warnServiceAccount warns when an annotation is new.
func warnServiceAccount(c *Context, obj, old map[string]any) {
	_, has := dict(object.Meta(obj), "annotations")[mountableSecrets]
	if _, had := dict(dict(old, "metadata"), "annotations")[mountableSecrets]; has && !had {
		c.warn("metadata.annotations[" + mountableSecrets + "]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets")
	}
}

// warnCSIDriver warns when the requests for tokens are new.
func warnCSIDriver(c *Context, obj, old map[string]any) {
	spec := dict(obj, "spec")
	if len(list(spec, "tokenRequests")) > 0 && spec["serviceAccountTokenInSecrets"] == nil &&
		!object.Equal(spec["tokenRequests"], dict(old, "spec")["tokenRequests"]) {
		c.warn("spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes")
	}
}

const oldStorageClass = "volume.beta.kubernetes.io/storage-class"

func warnVolume(c *Context, obj map[string]any) {
	w, spec := warner{c: c}, dict(obj, "spec")
	annotations := dict(object.Meta(obj), "annotations")
	w.annotation("", annotations, oldStorageClass, `deprecated since v1.8; use "storageClassName" attribute instead`)
	w.annotation("", annotations, "volume.beta.kubernetes.io/mount-options", `deprecated since v1.31; use "mountOptions" attribute instead`)
	if str(spec, "persistentVolumeReclaimPolicy") == "Recycle" {
		w.say("spec.persistentVolumeReclaimPolicy", "The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.")
	}
	for i, term := range entries(deep(spec, "nodeAffinity.required"), "nodeSelectorTerms") {
		w.expressions(term, field.Path("spec.nodeAffinity.required.nodeSelectorTerms").Index(i))
	}
	for _, name := range []string{"cephfs", "photonPersistentDisk", "scaleIO", "storageos", "glusterfs", "rbd"} {
		at := slices.IndexFunc(oldVolumes, func(v struct{ name, text string }) bool { return v.name == name })
		if spec[name] != nil {
			w.say(field.Path("spec").Child(strings.Replace(name, "storageos", "storageOS", 1)), "%s", oldVolumes[at].text)
		}
	}
}

func warnClaim(c *Context, obj map[string]any) {
	w := warner{c: c}
	w.annotation("", dict(object.Meta(obj), "annotations"), oldStorageClass, `deprecated since v1.8; use "storageClassName" attribute instead`)
	w.claim(dict(obj, "spec"), "spec")
}

func warnStorageClass(c *Context, obj map[string]any) {
	for i, term := range entries(obj, "allowedTopologies") {
		for j, e := range entries(term, "matchLabelExpressions") {
			if text, old := oldNodeLabels[str(e, "key")]; old {
				warner{c: c}.say(field.Path("allowedTopologies").Index(i).Child("matchLabelExpressions").Index(j).Child("key"), "%s", text)
			}
		}
	}
}

func warnCapacity(c *Context, obj map[string]any) {
	w, topology := warner{c: c}, dict(obj, "nodeTopology")
	w.expressions(topology, "nodeTopology")
	for _, key := range sortedKeys(dict(topology, "matchLabels")) {
		if text, old := oldNodeLabels[key]; old {
			w.say(field.Path("nodeTopology.matchLabels").Child(key), "%s", text)
		}
	}
}

func warnRuntimeClass(c *Context, obj map[string]any) {
	for _, key := range sortedKeys(deep(obj, "scheduling.nodeSelector")) {
		if text, old := oldNodeLabels[key]; old {
			c.warn("scheduling.nodeSelector: " + text)
		}
	}
}

func warnNode(c *Context, obj map[string]any) {
	spec := dict(obj, "spec")
	if spec["configSource"] != nil {
		c.warn("spec.configSource: the feature is removed")
	}
	if str(spec, "externalID") != "" {
		c.warn("spec.externalID: this field is deprecated, and is unused by Kubernetes")
	}
	for i, cidr := range strs(spec, "podCIDRs") {
		warner{c: c}.cidr(cidr, field.Path("spec.podCIDRs").Index(i))
	}
}

func warnNetworkPolicy(c *Context, obj map[string]any) {
	for _, way := range [][2]string{{"ingress", "from"}, {"egress", "to"}} {
		for i, rule := range entries(dict(obj, "spec"), way[0]) {
			for j, peer := range entries(rule, way[1]) {
				block, at := dict(peer, "ipBlock"), field.Path("spec").Child(way[0]).Index(i).Child(way[1]).Index(j).Child("ipBlock")
				warner{c: c}.cidr(str(block, "cidr"), at.Child("cidr"))
				for k, except := range strs(block, "except") {
					warner{c: c}.cidr(except, at.Child("except").Index(k))
				}
			}
		}
	}
}

func warnEndpointSlice(c *Context, obj map[string]any) {
	switch str(dict(object.Meta(obj), "labels"), "endpointslice.kubernetes.io/managed-by") {
	case "endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io":
		return
	}
	for i, endpoint := range entries(obj, "endpoints") {
		for j, address := range strs(endpoint, "addresses") {
			warner{c: c}.ip(address, field.Path("endpoints").Index(i).Child("addresses").Index(j))
		}
	}
}

// warnSecret warns about certificates and keys that are none by their form. The
// real server parses them too and wants them to belong together; the code for that
// would be a great part of what the browser loads.
func warnSecret(c *Context, obj map[string]any) {
	if str(obj, "type") != "kubernetes.io/tls" {
		return
	}
	blocks := func(key string) (types []string) {
		text, _ := base64.StdEncoding.DecodeString(str(dict(obj, "data"), key)) // checked when it was read
		for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
			types = append(types, block.Type)
		}
		return types
	}
	isKey := func(t string) bool { return strings.HasSuffix(t, "PRIVATE KEY") }
	certificates, keys := blocks("tls.crt"), blocks("tls.key")
	switch {
	case len(certificates) == 0:
		c.warn("tls: failed to find any PEM data in certificate input")
	case slices.Contains(certificates, "CERTIFICATE"):
		switch {
		case len(keys) == 0:
			c.warn("tls: failed to find any PEM data in key input")
		case slices.ContainsFunc(keys, isKey):
		case len(keys) == 1 && keys[0] == "CERTIFICATE":
			c.warn("tls: found a certificate rather than a key in the PEM for the private key")
		default:
			c.warn(fmt.Sprintf(`tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: %v`, keys))
		}
	case len(certificates) == 1 && isKey(certificates[0]):
		c.warn("tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched")
	default:
		c.warn(fmt.Sprintf(`tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: %v`, certificates))
	}
}

// warnQuota warns about requests that are allowed more than limits are.
func warnQuota(c *Context, obj map[string]any) {
	hard := dict(dict(obj, "spec"), "hard")
	for _, name := range []string{"cpu", "memory", "storage", "ephemeral-storage"} {
		request, limit := "requests."+name, "limits."+name
		if hard[request] == nil && (name == "cpu" || name == "memory") {
			request = name
		}
		if moreThan(hard[request], hard[limit]) {
			c.warn("ResourceQuota " + request + " (" + str(hard, request) + ") should be less than " + limit + " (" + str(hard, limit) + ")")
		}
	}
}
