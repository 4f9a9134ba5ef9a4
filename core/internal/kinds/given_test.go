package kinds

import (
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

const podTemplate = `"template":{"metadata":{"labels":{}},"spec":{"containers":[{"name":"c","image":"i"}]}}`

// An empty list or map is not a missing one, nor is an empty text where the struct has a pointer: for
// defaults, for violations, and in their texts. Each case has a part of what is reported.
var givens = []struct{ group, plural, old, object, want string }{
	{"apps", "deployments", "", `{"spec":{"selector":{"matchLabels":{"a":"b"}},` + podTemplate + `}}`,
		"spec.template.metadata.labels: Invalid value: {}: `selector` does not match template `labels`"},
	{"apps", "deployments", "", `{"spec":{"selector":{"matchLabels":{"a":"b"}},` +
		strings.Replace(podTemplate, `{"labels":{}}`, "{}", 1) + `}}`,
		"spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`"},
	{"apps", "daemonsets", "", `{"spec":{"selector":{"matchLabels":{}},` + podTemplate + `}}`,
		"Invalid value: {}: empty selector is invalid for daemonset"},
	{"", "replicationcontrollers", "", `{"spec":{"selector":{"a":"b"},` + podTemplate + `}}`,
		"spec.template.metadata.labels: Invalid value: {}: `selector` does not match template `labels`"},
	{"", "persistentvolumes", "", `{"spec":{"capacity":{}}}`,
		`spec.capacity: Unsupported value: {}: supported values: "storage"`},
	{"", "persistentvolumes", "", `{"spec":{}}`, `spec.capacity: Unsupported value: null: supported values: "storage"`},
	{"", "persistentvolumeclaims", `{"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1"}}}}`,
		`{"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{}}}}`, "+  \"Requests\": {}\n"},
	{"", "persistentvolumeclaims", `{"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1"}}}}`,
		`{"spec":{"storageClassName":"a"}}`, "  \"VolumeName\": \"\",\n  \"StorageClassName\": null,\n"},
	{"autoscaling", "horizontalpodautoscalers", "",
		`{"spec":{"maxReplicas":1,"scaleTargetRef":{"kind":"Deployment","name":"a",` +
			`"apiVersion":"apps/v1"},"behavior":{"scaleDown":{"policies":[]}}}}`,
		"spec.behavior.scaleDown.policies: Required value: must specify at least one Policy"},
	{"storage.k8s.io", "storageclasses", `{"provisioner":"a","parameters":{"a":"b"}}`,
		`{"provisioner":"a","parameters":{}}`,
		"parameters: Invalid value: {}: field is immutable"},
	{"storage.k8s.io", "storageclasses", `{"provisioner":"a"}`, `{"provisioner":"a","reclaimPolicy":""}`,
		`reclaimPolicy: Invalid value: "": field is immutable`},
	{"scheduling.k8s.io", "priorityclasses", `{"value":1}`, `{"value":1,"preemptionPolicy":""}`,
		`preemptionPolicy: Invalid value: "": field is immutable`},
	{"networking.k8s.io", "ingressclasses", "",
		`{"spec":{"controller":"a.b/c","parameters":{"kind":"k","name":"n","scope":""}}}`,
		`spec.parameters.scope: Unsupported value: "": supported values: "Cluster", "Namespace"`},
	{"networking.k8s.io", "servicecidrs", `{"spec":{"cidrs":["10.1.0.0/16"]}}`, `{"spec":{"cidrs":[]}}`,
		"spec.cidrs: Invalid value: []: field is immutable"},
	{"policy", "poddisruptionbudgets", "", `{"spec":{"unhealthyPodEvictionPolicy":""}}`,
		`spec.unhealthyPodEvictionPolicy: Unsupported value: "": supported values: "AlwaysAllow", "IfHealthyBudget"`},
	{"certificates.k8s.io", "certificatesigningrequests", "", `{}`, "spec.request: Invalid value: null: PEM block"},
	{"apps", "controllerrevisions", `{"data":{}}`, `{"data":{"b":1,"a":{"d":2,"c":3}}}`,
		`data: Invalid value: {"b":1,"a":{"d":2,"c":3}}: field is immutable`},
	{"resource.k8s.io", "resourceclaims", `{"spec":{"devices":{"requests":[]}}}`,
		`{"spec":{"devices":{"config":[{"requests":[],"opaque":{"driver":"d","parameters":{"b":1,"a":2}}}]}}}`,
		`"Config":[{"Requests":[],"Opaque":{"Driver":"d","Parameters":{"b":1,"a":2}}}]`},
	{"batch", "jobs", `{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}`,
		`{"spec":{"template":{"spec":{"restartPolicy":"Never","volumes":[],"containers":[{"name":"c","image":"j"}]}}}}`,
		`spec.template: Invalid value: {"Spec":{"Volumes":[],"InitContainers":null,"Containers":[{"Name":"c","Image":"j",`},
	{"networking.k8s.io", "ingresses", "", `{"spec":{"rules":[]}}`, "spec: Invalid value: []: either"},
	{"networking.k8s.io", "ingresses", "", `{"spec":{}}`, "spec: Invalid value: null: either"},
	{"", "configmaps", `{"immutable":true}`, `{"immutable":true,"data":{},"binaryData":{}}`,
		"binaryData: Forbidden: field is immutable when `immutable` is set"},
	{"", "secrets", `{"immutable":true}`, `{"immutable":true,"data":{}}`,
		"data: Forbidden: field is immutable when `immutable` is set"},
	{"apiextensions.k8s.io", "customresourcedefinitions", "", `{"spec":{"versions":[{"name":"v1","schema":` +
		`{"openAPIV3Schema":{"allOf":[],"patternProperties":{},"x-kubernetes-validations":[]}}},{"name":"v2"}]}}`,
		`"AllOf":[],"OneOf":null,"AnyOf":null,"Not":null,"Properties":null,"AdditionalProperties":null,` +
			`"PatternProperties":{},`},
	{"apiextensions.k8s.io", "customresourcedefinitions", "", `{"spec":{"versions":[{"name":"v1","schema":` +
		`{"openAPIV3Schema":{"title":"","items":{"title":"t"},"properties":{"a":{"items":[{"title":"u"}]}}}}},` +
		`{"name":"v2"}]}}`,
		`"Dependencies":null,"AdditionalItems":null,"Definitions":null,"ExternalDocs":null,"Example":null,` +
			`"XPreserveUnknownFields":null,"XEmbeddedResource":false,"XIntOrString":false,"XListMapKeys":null,` +
			`"XListType":null,"XMapType":null,"XValidations":null},"JSONSchemas":null},"AllOf":null,`},
	{"", "pods", "", `{"metadata":{"annotations":{"seccomp.security.alpha.kubernetes.io/pod":"unconfined",
		"container.seccomp.security.alpha.kubernetes.io/a":"localhost/p",
		"container.seccomp.security.alpha.kubernetes.io/b":"docker/default",
		"container.apparmor.security.beta.kubernetes.io/a":"unconfined",
		"container.apparmor.security.beta.kubernetes.io/b":"localhost/q"}},"spec":{"hostUsers":false,"hostIPC":true,
		"securityContext":{"seccompProfile":{"type":"RuntimeDefault"},"appArmorProfile":{"type":"RuntimeDefault"}},
		"containers":[{"name":"a","image":"i","securityContext":{"seccompProfile":{"type":"Localhost",
		"localhostProfile":"o"},"appArmorProfile":{"type":"RuntimeDefault"}}},
		{"name":"b","image":"i","securityContext":{"seccompProfile":{"type":"RuntimeDefault"},"appArmorProfile":
		{"type":"Localhost","localhostProfile":"q"}}}]}}`,
		"spec.HostIPC: Forbidden: when `hostUsers` is false\n" +
			"spec.securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must match\n" +
			"spec.containers[0].securityContext.seccompProfile.localhostProfile: Forbidden: seccomp profile in annotation " +
			"and field must match\n" +
			"spec.containers[0].securityContext.appArmorProfile.type: Forbidden: apparmor type in annotation and field " +
			"must match"},
	{"", "pods", `{"spec":{"containers":[{"name":"c","image":"i"}]}}`,
		`{"spec":{"hostname":"h","initContainers":[],"containers":[{"name":"c","image":"i"}]}}`,
		"negative)\n@@ -64,7 +64,7 @@\n"},
	{"", "pods", `{"spec":{"containers":[{"name":"c","image":"i"}]}}`,
		`{"spec":{"hostname":"h","nodeSelector":{},"containers":[{"name":"c","image":"i"}]}}`,
		"- \"Hostname\": \"\",\n+ \"Hostname\": \"h\",\n"},
}

func TestGivenValues(t *testing.T) {
	for _, test := range givens {
		version := "v1"
		if test.group == "autoscaling" {
			version = "v2"
		}
		res := schema.Builtin().Resource(test.group, version, test.plural)
		if res == nil {
			t.Fatal("there are no", test.plural)
		}
		c := &strategy.Context{Now: func() time.Time { return time.Unix(0, 0) }, NewUID: func() string { return "u" }}
		kind, given := For(res.Group, res.Kind), &object.Given{}
		read := func(text string) map[string]any {
			obj, _, err := object.DecodeGiven([]byte(text), res.Type(), given)
			if err != nil {
				t.Fatal(err)
			}
			object.SetTypeMeta(obj, res.APIVersion(), res.Kind)
			meta := object.Meta(obj)
			if meta["name"], meta["uid"], meta["resourceVersion"] = "a", "u", "1"; res.Namespaced {
				meta["namespace"] = "a"
			}
			return obj
		}
		var old map[string]any
		if test.old != "" {
			old = read(test.old)
			kind.Fill(old)
		}
		obj := read(test.object)
		given.Put(obj)
		kind.Fill(obj)
		var texts []string
		if old == nil {
			texts = kind.Create(c, res, obj).Texts()
		} else {
			texts = kind.Update(c, res, obj, old).Texts()
		}
		if all := strings.Join(texts, "\n"); !strings.Contains(all, test.want) {
			t.Errorf("%s %s\n got %s\nwant %s", test.plural, test.object, all, test.want)
		}
	}
}
