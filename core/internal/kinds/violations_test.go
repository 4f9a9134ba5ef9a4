package kinds

import (
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/object/objecttest"
)

// wrongObjects are objects with the violations that the real server reports: the fields, or whole
// errors where their texts matter.
var wrongObjects = []struct{ kind, object, want string }{
	{"resource.k8s.io/ResourceClaim",
		`{"spec":{"devices":{"requests":[{"name":"a"},{"name":"a","exactly":{"allocationMode":"All","count":1}}],
		"constraints":[{"requests":["a","b/c/d","a/x"],"matchAttribute":"x/1"},{}],"config":[{"opaque":{"driver":"A.b"}}]}}}`,
		"spec.devices.requests[0] spec.devices.requests[1].exactly.deviceClassName spec.devices.requests[1].exactly.count " +
			"spec.devices.requests[1] " +
			"spec.devices.constraints[0].requests[1] spec.devices.constraints[0].requests[2] " +
			"spec.devices.constraints[0].matchAttribute spec.devices.constraints[1] spec.devices.config[0].opaque.parameters"},
	{"resource.k8s.io/ResourceClaimTemplate", `{"spec":{"metadata":{"labels":{"a":"b c"},"uid":"x"}}}`,
		"spec.metadata.labels spec.metadata.uID"},
	{"resource.k8s.io/DeviceClass", `{"spec":{"extendedResourceName":"cpu","config":[{}]}}`,
		"spec.config[0].opaque spec.extendedResourceName"},
	{"resource.k8s.io/ResourceSlice",
		`{"spec":{"driver":"d","pool":{"name":"p/"},"devices":[{"name":"a","attributes":{"x":{"version":"1.02.0"},"a/b":{}},
			"capacity":{"c":{"value":"4","requestPolicy":{}}},
		"consumesCounters":[{"counterSet":"s"}],"allNodes":true}]}}`,
		"spec.pool.name spec.pool.resourceSliceCount spec spec.devices[0].attributes[a/b] " +
			"spec.devices[0].attributes[x].version spec.devices[0].capacity[c].requestPolicy " +
			"spec.devices[0].consumesCounters[0].counters spec.devices[0]"},
	{"flowcontrol.apiserver.k8s.io/FlowSchema",
		`{"metadata":{"name":"x"},"spec":{"matchingPrecedence":1,"distinguisherMethod":{"type":"ByMoon"},
			"rules":[{"subjects":[{"kind":"User","group":{}}],
		"resourceRules":[{"verbs":["eat"],"apiGroups":["*","a"],"resources":["r"],"namespaces":["N"]}],
			"nonResourceRules":[{"verbs":["*"],"nonResourceURLs":["/a*"]}]}]}}`,
		"spec.matchingPrecedence spec.distinguisherMethod.type spec.priorityLevelConfiguration.name " +
			"spec.rules[0].subjects[0].user spec.rules[0].subjects[0].group " +
			"spec.rules[0].resourceRules[0].verbs spec.rules[0].resourceRules[0].apiGroups " +
			"spec.rules[0].resourceRules[0].namespaces[0] spec.rules[0].nonResourceRules[0].nonResourceURLs[0]"},
	{"flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration",
		`{"spec":{"type":"Limited","exempt":{},"limited":{"lendablePercent":101,"limitResponse":{"type":"Queue",
			"queuing":{"queues":65536,"handSize":8}}}}}`,
		"spec.exempt spec.limited.limitResponse.queuing.queueLengthLimit spec.limited.limitResponse.queuing.handSize " +
			"spec.limited.lendablePercent"},
	{"autoscaling/HorizontalPodAutoscaler",
		`{"apiVersion":"autoscaling/v2","spec":{"minReplicas":0,"maxReplicas":-1,"scaleTargetRef":{"kind":"Deployment",
			"name":"a/b"},
		"metrics":[{"type":"Pods","pods":{"metric":{},"target":{"type":"Value","value":"0"}}},{"type":"Resource",
			"resource":{"name":"cpu","target":{"type":"Utilization"}},"pods":{}}],
		"behavior":{"scaleUp":{"stabilizationWindowSeconds":3601,"selectPolicy":"x","policies":[{"type":"Pods","value":1,
			"periodSeconds":1801}]},"scaleDown":{"tolerance":"-1"}}}}`,
		"spec.minReplicas spec.maxReplicas spec.maxReplicas spec.scaleTargetRef.name spec.scaleTargetRef.apiVersion " +
			"spec.metrics[0].pods.metric.name spec.metrics[0].pods.target.value " +
			"spec.metrics[0].pods.target.averageValue spec.metrics[1].pods.metric.name spec.metrics[1].pods.target.type " +
			"spec.metrics[1].pods.target.type spec.metrics[1].pods.target.averageValue " +
			"spec.metrics[1].pods spec.metrics spec.behavior.scaleUp.stabilizationWindowSeconds " +
			"spec.behavior.scaleUp.selectPolicy spec.behavior.scaleUp.policies[0].periodSeconds " +
			"spec.behavior.scaleDown.policies spec.behavior.scaleDown.tolerance"},
	{"autoscaling/HorizontalPodAutoscaler",
		`{"apiVersion":"autoscaling/v1","spec":{"maxReplicas":1,"scaleTargetRef":{"kind":"ReplicationController","name":"a"},
			"targetCPUUtilizationPercentage":0}}`,
		"spec.metrics[0].resource.target.averageUtilization"},
	{"admissionregistration.k8s.io/ValidatingWebhookConfiguration",
		`{"webhooks":[{"name":"a.b","rules":[{"operations":["*","X"],"apiVersions":[""],"resources":["*","pods","*/x","a/x"],
			"scope":"x"}],"failurePolicy":"",
		"timeoutSeconds":31,"clientConfig":{"service":{"name":"s","path":"a//b"}},"admissionReviewVersions":["v2","v2"]}]}`,
		"webhooks[0].name webhooks[0].rules[0].operations webhooks[0].rules[0].operations[1] " +
			"webhooks[0].rules[0].apiGroups webhooks[0].rules[0].apiVersions[0] webhooks[0].rules[0].resources[3] " +
			"webhooks[0].rules[0].resources webhooks[0].rules[0].scope webhooks[0].failurePolicy webhooks[0].sideEffects " +
			"webhooks[0].timeoutSeconds webhooks[0].clientConfig.service.name " +
			"webhooks[0].clientConfig.service.port webhooks[0].clientConfig.service.path " +
			"webhooks[0].clientConfig.service.path webhooks[0].clientConfig.service.path " +
			"webhooks[0].admissionReviewVersions[1] webhooks[0].admissionReviewVersions"},
	{"admissionregistration.k8s.io/ValidatingAdmissionPolicy",
		`{"metadata":{"name":"p"},"spec":{"paramKind":{"apiVersion":"a/b/c","kind":"X ` +
			`y"},"variables":[{"name":"in","expression":"1"}],"auditAnnotations":[{"key":"a b","valueExpression":"'x'"}]}}`,
		"spec.failurePolicy spec.paramKind.apiVersion spec.paramKind.kind spec.matchConstraints spec.variables[0].name " +
			"spec.auditAnnotations[0].key"},
	{"admissionregistration.k8s.io/ValidatingAdmissionPolicy", // a wrong variable is there, of any type
		`{"metadata":{},"spec":{"failurePolicy":"Fail","matchConstraints":{"resourceRules":[{"operations":["*"],
			"apiGroups":["*"],"apiVersions":["*"],"resources":["*"]}],"matchPolicy":"Exact","namespaceSelector":{},
			"objectSelector":{}},"variables":[{"name":"v","expression":"*"},{"name":"w"}],
			"validations":[{"expression":"variables.v > 1"},{"expression":"variables.w > 1"}],
			"auditAnnotations":[{"key":"a","valueExpression":"'a'"}]}}`,
		"spec.variables[0].expression spec.variables[1].expression spec.validations[1].expression " +
			"spec.auditAnnotations[0].key"},
	{"admissionregistration.k8s.io/MutatingAdmissionPolicy",
		`{"spec":{"failurePolicy":"Fail","matchConstraints":{"matchPolicy":"x","namespaceSelector":{},"objectSelector":{},
		"resourceRules":[{"operations":["DELETE"],"apiGroups":["a"],"apiVersions":["v"],"resources":["r"],
			"resourceNames":["a/b"]}]},
		"mutations":[{"patchType":"JSONPatch","jsonPatch":{"expression":"[]"},"applyConfiguration":{}}],
			"reinvocationPolicy":"Ever"}}`,
		"spec.matchConstraints.matchPolicy spec.matchConstraints.resourceRules[0].resourceNames[0] " +
			"spec.matchConstraints.resourceRules.operations spec.mutations[0].applyConfiguration spec.reinvocationPolicy"},
	{"admissionregistration.k8s.io/MutatingAdmissionPolicyBinding",
		`{"spec":{"policyName":"P","paramRef":{"name":"a/b","selector":{}},"matchResources":{}}}`,
		"spec.policyName spec.paramRef.name spec.paramRef.name spec.paramRef.selector " +
			"spec.paramRef.parameterNotFoundAction spec.matchResources.matchPolicy " +
			"spec.matchResources.namespaceSelector spec.matchResources.objectSelector"},
}

// wrongSmall are objects with one or two violations each, of kinds with few rules.
var wrongSmall = []struct{ kind, object, want string }{
	{"scheduling.k8s.io/PriorityClass", `{"metadata":{"name":"system-x"},"value":2000000000,"preemptionPolicy":"x"}`,
		"metadata.name preemptionPolicy"},
	{"scheduling.k8s.io/PriorityClass", `{"metadata":{"name":"system-node-critical"},"value":2000001000,` +
		`"preemptionPolicy":"Never","globalDefault":true}`, "metadata.name"},
	{"scheduling.k8s.io/PriorityClass", `{"metadata":{"name":"x"},"value":1000000001,"preemptionPolicy":""}`,
		"value preemptionPolicy"},
	{"/Service", `{"spec":{"type":"ClusterIP","clusterIPs":["None"],"sessionAffinity":"None",
		"externalIPs":["127.0.0.1","::","169.254.0.1","ff02::1","1.2.3","8.8.8.8"]}}`,
		"spec.externalIPs[0] spec.externalIPs[1] spec.externalIPs[2] spec.externalIPs[3] spec.externalIPs[4] " +
			"spec.externalTrafficPolicy spec.internalTrafficPolicy"},
	{"batch/CronJob", `{"spec":{"schedule":"TZ=UTC 0 0 * *","concurrencyPolicy":"Allow","jobTemplate":{"spec":{
		"template":{"spec":{"restartPolicy":"Never","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst",
		"containers":[{"name":"c","image":"i","imagePullPolicy":"Always","terminationMessagePolicy":"File"}]}}}}}}`,
		"spec.schedule spec.schedule"},
	{"/Node", `{"spec":{"podCIDRs":["10.0.0.0/8","x"]}}`, "spec.podCIDRs[1] spec.podCIDRs spec.podCIDRs"},
	{"/Pod", `{"metadata":{"namespace":"n"},"spec":{"restartPolicy":"Never","terminationGracePeriodSeconds":30,
		"dnsPolicy":"ClusterFirst","containers":[{"name":"c","image":"i","imagePullPolicy":"Always",
		"terminationMessagePolicy":"File"}],"initContainers":[{"name":"d","image":"i","imagePullPolicy":"Always",
		"terminationMessagePolicy":"File","restartPolicyRules":[{"action":"x"}]}],
		"ephemeralContainers":[{"name":"e","image":"i","imagePullPolicy":"Always","terminationMessagePolicy":"File",
		"lifecycle":{},"resources":{}}]}}`,
		"spec.initContainers[0].restartPolicy spec.ephemeralContainers[0].lifecycle spec.ephemeralContainers"},
}

func TestViolations(t *testing.T) {
	for _, c := range append(wrongObjects, wrongSmall...) {
		group, kind, _ := strings.Cut(c.kind, "/")
		if got := fieldsOf(For(group, kind).Validate(objecttest.Parse(t, c.object))); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.object, got, c.want)
		}
	}
}

// wrongUpdates are objects, changed ones, and the violations that the real server reports: the
// fields.
var wrongUpdates = []struct{ kind, old, object, want string }{
	{"scheduling.k8s.io/PriorityClass", `{"value":1,"preemptionPolicy":"Never"}`,
		`{"value":2,"preemptionPolicy":"PreemptLowerPriority"}`, "value preemptionPolicy"},
	{"/Service", `{"spec":{"type":"ClusterIP","clusterIP":"None","clusterIPs":["None"],"ipFamilyPolicy":"SingleStack",
		"sessionAffinity":"None","internalTrafficPolicy":"Cluster"}}`,
		`{"spec":{"type":"x","clusterIP":"None","clusterIPs":["None"],"ipFamilyPolicy":"SingleStack",
		"sessionAffinity":"None"}}`,
		"spec.type"},
	{"storage.k8s.io/CSIStorageCapacity", `{"storageClassName":"a"}`, `{"storageClassName":"b","nodeTopology":{}}`,
		"nodeTopology storageClassName"},
	{"events.k8s.io/Event", `{"type":"Normal"}`, `{"type":"Normal","related":{}}`, "related"},
	{"/Node", `{"spec":{"podCIDRs":["10.0.0.0/8","::/0"]}}`, `{"spec":{"podCIDRs":["11.0.0.0/8","::/1"]}}`,
		"spec.podCIDRs spec.podCIDRs"},
	{"networking.k8s.io/ServiceCIDR", `{"spec":{"cidrs":["10.1.0.0/16"]}}`, `{"spec":{"cidrs":["10.2.0.0/16"]}}`,
		"spec.cidrs[0]"},
	{"storage.k8s.io/VolumeAttachment",
		`{"spec":{"attacher":"a","nodeName":"n","source":{"persistentVolumeName":"v"}}}`,
		`{"spec":{"attacher":"a","nodeName":"o","source":{"persistentVolumeName":"v"}}}`, "spec"},
}

func TestUpdateViolations(t *testing.T) {
	for _, c := range wrongUpdates {
		group, kind, _ := strings.Cut(c.kind, "/")
		update := For(group, kind).ValidateUpdate
		if errs := update(objecttest.Parse(t, c.old), objecttest.Parse(t, c.old)); len(errs) > 0 {
			t.Errorf("%s is not changed, and wrong: %v", c.old, errs)
		}
		if got := fieldsOf(update(objecttest.Parse(t, c.object), objecttest.Parse(t, c.old))); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.object, got, c.want)
		}
	}
}

// fieldsOf returns the fields of violations, in order.
func fieldsOf(errs field.ErrorList) string {
	var fields []string
	for _, e := range errs {
		fields = append(fields, e.Field)
	}
	return strings.Join(fields, " ")
}
