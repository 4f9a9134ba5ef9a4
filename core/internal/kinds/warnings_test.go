package kinds_test

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/internal/kinds"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/object/objecttest"
	"github.com/tabernetes/tabernetes/core/schema"
)

// parse reads an object in JSON.
var parse = objecttest.Parse

// warningsOf are the warnings about a new object, or a changed one.
func warningsOf(t *testing.T, group, plural string, obj, old map[string]any) []string {
	t.Helper()
	for _, res := range schema.Builtin().Resources() {
		if res.Group != group || res.Plural != plural {
			continue
		}
		c := &strategy.Context{Now: func() time.Time { return time.Unix(0, 0) }, NewUID: func() string { return "uid" }}
		strat := kinds.For(group, res.Kind)
		if old == nil {
			strat.Create(c, res, obj)
		} else {
			strat.Update(c, res, obj, old)
		}
		return c.Warnings
	}
	t.Fatalf("no %s", plural)
	return nil
}

// pair is a secret with PEM blocks of two types.
func pair(certificate, key string) string {
	block := func(kind string) string {
		if kind == "" {
			return ""
		}
		return base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: []byte("x")}))
	}
	return fmt.Sprintf(`{"type":"kubernetes.io/tls","data":{"tls.crt":%q,"tls.key":%q}}`, block(certificate), block(key))
}

func TestWarnings(t *testing.T) {
	for _, test := range []struct {
		group, plural, obj string
		want               []string
	}{
		{"", "serviceaccounts", `{"metadata":{"annotations":{"kubernetes.io/enforce-mountable-secrets":"true"}}}`, []string{
			"metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate namespaces " +
				"to isolate access to mounted secrets"}},
		{"storage.k8s.io", "csidrivers", `{"spec":{"tokenRequests":[{"audience":"a"}]}}`, []string{
			"spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible " +
				"logging of tokens in volume attributes"}},
		{"storage.k8s.io", "storageclasses",
			`{"allowedTopologies":[{"matchLabelExpressions":[{"key":"beta.kubernetes.io/os"}]}]}`, []string{
				`allowedTopologies[0].matchLabelExpressions[0].key: deprecated since v1.14; use "kubernetes.io/os" instead`}},
		{"node.k8s.io", "runtimeclasses", `{"handler":"x","scheduling":{"nodeSelector":{"beta.kubernetes.io/os":"x"}}}`,
			[]string{
				`scheduling.nodeSelector: deprecated since v1.14; use "kubernetes.io/os" instead`}},
		{"", "persistentvolumes", `{"spec":{"persistentVolumeReclaimPolicy":"Recycle","storageos":{}}}`, []string{
			"spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach " +
				"is to use dynamic provisioning.",
			"spec.storageOS: deprecated in v1.22, non-functional in v1.25+"}},
		{"", "persistentvolumeclaims",
			`{"metadata":{"annotations":{"volume.beta.kubernetes.io/storage-class":"x"}},
				"spec":{"resources":{"requests":{"storage":"500m"}}}}`, []string{
				`metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; ` +
					`use "storageClassName" attribute instead`,
				`spec.resources.requests[storage]: fractional byte value "500m" is invalid, must be an integer`}},
		{"", "resourcequotas", `{"spec":{"hard":{"cpu":"2","limits.cpu":"1"}}}`,
			[]string{"ResourceQuota cpu (2) should be less than limits.cpu (1)"}},
		{"", "nodes", `{"spec":{"externalID":"x","podCIDRs":["10.0.0.1/24"]}}`, []string{
			"spec.externalID: this field is deprecated, and is unused by Kubernetes",
			`spec.podCIDRs[0]: CIDR value "10.0.0.1/24" is ambiguous in this context ` +
				`(should be "10.0.0.0/24" or "10.0.0.1/32"?)`}},
		{"networking.k8s.io", "networkpolicies", `{"spec":{"egress":[{"to":[{"ipBlock":{"cidr":"FD00::/8"}}]}]}}`, []string{
			`spec.egress[0].to[0].ipBlock.cidr: ` +
				`IPv6 CIDR value "FD00::/8" should be in RFC 5952 canonical format ("fd00::/8")`}},
		{"discovery.k8s.io", "endpointslices", `{"addressType":"FQDN","endpoints":[{"addresses":["::0"]}]}`, []string{
			"spec.addressType: FQDN endpoints are deprecated",
			`endpoints[0].addresses[0]: IPv6 address "::0" should be in RFC 5952 canonical format ("::")`}},
		{"", "services",
			`{"metadata":{"annotations":{"service.kubernetes.io/topology-aware-hints":"auto"}},"spec":{"type":"LoadBalancer",
				"sessionAffinity":"None",
			"externalIPs":["FD00::1"],"loadBalancerIP":"::ffff:10.0.0.1","loadBalancerSourceRanges":["10.0.0.1/8"]}}`, []string{
				"annotation service.kubernetes.io/topology-aware-hints is deprecated, please use " +
					"service.kubernetes.io/topology-mode instead",
				`spec.externalIPs[0]: IPv6 address "FD00::1" should be in RFC 5952 canonical format ("fd00::1")`,
				"spec.externalIPs is deprecated and may no longer be implemented in some clusters",
				`spec.loadBalancerIP: non-standard IP address "::ffff:10.0.0.1" is invalid: use "10.0.0.1"`,
				`spec.loadBalancerSourceRanges[0]: ` +
					`CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)`}},
		{"", "secrets", `{"type":"kubernetes.io/tls","data":{"tls.crt":"eA==","tls.key":"eA=="}}`, []string{
			"tls: failed to find any PEM data in certificate input"}},
		{"", "secrets", pair("CERTIFICATE", ""), []string{"tls: failed to find any PEM data in key input"}},
		{"", "secrets", pair("CERTIFICATE", "CERTIFICATE"),
			[]string{"tls: found a certificate rather than a key in the PEM for the private key"}},
		{"", "secrets", pair("CERTIFICATE", "X"), []string{
			`tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the ` +
				`following types: [X]`}},
		{"", "secrets", pair("EC PRIVATE KEY", "CERTIFICATE"), []string{
			"tls: failed to find certificate PEM data in certificate input, but did find a private key; " +
				"PEM inputs may have been switched"}},
		{"", "secrets", pair("X", "X"), []string{
			`tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following ` +
				`types: [X]`}},
		{"", "secrets", pair("CERTIFICATE", "PRIVATE KEY"), nil},
		{"apps", "deployments", `{"metadata":{"name":"a.b"},"spec":{"template":{"spec":{"containers":[{"name":"c"}]}}}}`,
			[]string{
				"metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is " +
					"recommended: [must not contain dots]"}},
		{"batch", "jobs",
			`{"metadata":{"name":"a"},"spec":{"completionMode":"Indexed","completions":100001,"parallelism":10001,
				"template":{}}}`, []string{
				"spec: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, " +
					"Kubernetes might not be able to track completedIndexes when a big number of indexes fail"}},
		{"apps", "daemonsets", `{"metadata":{"name":"a"},"spec":{"template":{
			"metadata":{"annotations":{"scheduler.alpha.kubernetes.io/critical-pod":"",
			"seccomp.security.alpha.kubernetes.io/pod":"x"}},
			"spec":{
				"nodeSelector":{"beta.kubernetes.io/arch":"x"},
				"topologySpreadConstraints":[{"topologyKey":"failure-domain.beta.kubernetes.io/zone"}],
				"volumes":[{"name":"v","gitRepo":{}}],
				"hostAliases":[{"ip":"10.0.0.1"},{"ip":"10.0.0.1"}],
				"imagePullSecrets":[{"name":""}],
				"terminationGracePeriodSeconds":-1,
				"affinity":{"podAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"podAffinityTerm":{}}]}},
				"containers":[
					{"name":"c","env":[{"name":"A","value":"1"},{"name":"A","value":"2"},{"name":"A","value":"$(A)3"}],
			"resources":{"limits":{"memory":"100m"}},
						"ports":[{"containerPort":80,"protocol":"TCP","name":"web"},{"containerPort":80,"protocol":"TCP",
			"hostPort":8080}]},
					{"name":"d","ports":[{"containerPort":81,"protocol":"TCP","name":"web","hostIP":"10.0.0.1"}]}]}}}}`, []string{
			`spec.template.spec.nodeSelector[beta.kubernetes.io/arch]: deprecated since v1.14; use "kubernetes.io/arch" instead`,
			`spec.template.spec.topologySpreadConstraints[0].topologyKey: failure-domain.beta.kubernetes.io/zone is ` +
				`deprecated since v1.17; use "topology.kubernetes.io/zone" instead`,
			"spec.template.spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod",
			`spec.template.metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: non-functional in v1.16+; use ` +
				`the "priorityClassName" field instead`,
			"spec.template.spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+",
			`spec.template.spec.hostAliases[1].ip: duplicate ip "10.0.0.1"`,
			`spec.template.spec.imagePullSecrets[0].name: invalid empty name ""`,
			`spec.template.metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: non-functional in v1.27+; use the ` +
				`"seccompProfile" field instead`,
			`spec.template.spec.containers[0].resources.limits[memory]: ` +
				`fractional byte value "100m" is invalid, must be an integer`,
			`spec.template.spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply`,
			"spec.template.spec.containers[0].ports[1]: overlapping port definition with " +
				"spec.template.spec.containers[0].ports[0]",
			"spec.template.spec.containers[1].ports[0]: hostIP set without hostPort: {Name:web HostPort:0 ContainerPort:81 " +
				"Protocol:TCP HostIP:10.0.0.1}",
			`spec.template.spec.containers[1].ports[0]: duplicate port name "web" with ` +
				`spec.template.spec.containers[0].ports[0], services and probes that select ports by name will use ` +
				`spec.template.spec.containers[0].ports[0]`,
			"spec.template.spec.terminationGracePeriodSeconds: must be >= 0; " +
				"negative values are invalid and will be treated as 1",
			"spec.template.spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]" +
				".podAffinityTerm.labelSelector: a null labelSelector results in matching no pod",
		}},
		{"", "pods", `{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c"}],"volumes":[
			{"name":"v","configMap":{"name":"c","items":[{"key":"a","path":"a"},{"key":"b","path":"a/b"},
				{"key":"c","path":"ab"}]}},
			{"name":"w","secret":{"secretName":"s","items":[{"key":"a","path":"x/"},{"key":"b","path":"x"}]}},
			{"name":"x","downwardAPI":{"items":[{"path":"q"},{"path":"q/r"}]}},
			{"name":"y","projected":{"sources":[
				{"configMap":{"name":"c","items":[{"key":"a","path":"token/x"},{"key":"b","path":"a"}]}},
				{"serviceAccountToken":{"path":"token"}},{"secret":{"name":"all"}},{},
				{"downwardAPI":{"items":[{"path":"a/q"}]}}]}}]}}`, []string{
			`volume "v" (ConfigMap "c"): overlapping paths: "a/b" with "a"`,
			`volume "w" (Secret "s"): overlapping paths: "x" with "x"`,
			`volume "x" (DownwardAPI): overlapping paths: "q/r" with "q"`,
			`volume "y" (Projected): overlapping paths: "token" (ServiceAccountToken) with "token/x" (ConfigMap "c")`,
			`volume "y" (Projected) has no sources provided`,
			`volume "y" (Projected): overlapping paths: "a/q" (DownwardAPI) with "a" (ConfigMap "c")`,
		}},
	} {
		got := warningsOf(t, test.group, test.plural, parse(t, test.obj), nil)
		if !slices.Equal(got, test.want) {
			a, _ := json.MarshalIndent(got, "", " ")
			b, _ := json.MarshalIndent(test.want, "", " ")
			t.Errorf("%s\n got %s\nwant %s", test.plural, a, b)
		}
	}
}

// There are no warnings about fields that did not change.
func TestWarningsOfChanges(t *testing.T) {
	for _, test := range []struct{ group, plural, obj string }{
		{"", "serviceaccounts", `{"metadata":{"annotations":{"kubernetes.io/enforce-mountable-secrets":"true"}}}`},
		{"storage.k8s.io", "csidrivers", `{"spec":{"tokenRequests":[{"audience":"a"}]}}`},
		{"apps", "deployments", `{"metadata":{"name":"a.b"},"spec":{"template":{"spec":{"imagePullSecrets":[{}]}}}}`},
	} {
		if got := warningsOf(t, test.group, test.plural, parse(t, test.obj), parse(t, test.obj)); len(got) > 0 {
			t.Errorf("%s: %q", test.plural, got)
		}
	}
	changed := parse(t, `{"metadata":{"name":"a"},"spec":{"replicas":2,"template":{"spec":{"imagePullSecrets":[{}]}}}}`)
	if got := warningsOf(t, "apps", "deployments", changed,
		parse(t, `{"metadata":{"name":"a"},"spec":{"replicas":1}}`)); len(got) != 1 {
		t.Errorf("%q", got)
	}
}
