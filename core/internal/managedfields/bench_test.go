package managedfields

import (
	"testing"

	"github.com/tabernetes/tabernetes/core/object"
)

// podText is a pod of 2 KB as the server has it after defaults.
const podText = `{"apiVersion":"v1","kind":"Pod",
"metadata":{"name":"web-7c5ddbdf54-abcde","generateName":"web-7c5ddbdf54-","namespace":"default",
"uid":"0b1f3f5e-0000-4000-8000-000000000001","creationTimestamp":"2026-01-01T00:00:00Z",
"labels":{"app":"web","pod-template-hash":"7c5ddbdf54","tier":"front"},"annotations":{"example.com/note":"hello"},
"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-7c5ddbdf54",
"uid":"0b1f3f5e-0000-4000-8000-000000000002","controller":true,"blockOwnerDeletion":true}]},
"spec":{"containers":[{"name":"web","image":"nginx:1.27","imagePullPolicy":"IfNotPresent",
"ports":[{"name":"http","containerPort":80,"protocol":"TCP"},{"name":"metrics","containerPort":9090,"protocol":"TCP"}],
"env":[{"name":"A","value":"1"},{"name":"B","value":"2"},
{"name":"NODE","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"spec.nodeName"}}}],
"resources":{"requests":{"cpu":"100m","memory":"64Mi"},"limits":{"memory":"128Mi"}},
"livenessProbe":{"httpGet":{"path":"/healthz","port":"http","scheme":"HTTP"},
"periodSeconds":10,"timeoutSeconds":1,"successThreshold":1,"failureThreshold":3},
"readinessProbe":{"httpGet":{"path":"/ready","port":80,"scheme":"HTTP"},
"periodSeconds":10,"timeoutSeconds":1,"successThreshold":1,"failureThreshold":3},
"volumeMounts":[{"name":"cfg","mountPath":"/etc/web"},
{"name":"token","mountPath":"/var/run/secrets/kubernetes.io/serviceaccount","readOnly":true}],
"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}],
"volumes":[{"name":"cfg","configMap":{"name":"web","defaultMode":420}},
{"name":"token","secret":{"secretName":"t","defaultMode":420}}],
"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","securityContext":{},
"schedulerName":"default-scheduler","serviceAccountName":"default","serviceAccount":"default",
"enableServiceLinks":true,"preemptionPolicy":"PreemptLowerPriority","priority":0,
"tolerations":[
{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},
{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}]},
"status":{"phase":"Pending","qosClass":"Burstable"}}`

// managedPod returns the pod after a create, a write to its status, and an apply.
func managedPod(b *testing.B) map[string]any {
	b.Helper()
	obj := decode(b, pods, podText)
	write(pods, "controller").Update(nil, obj)
	seen := object.DeepCopy(obj)
	object.SetNested(seen, "10.0.0.1", "status", "podIP")
	object.SetNested(seen, []any{map[string]any{"type": "Ready", "status": "True", "lastProbeTime": nil,
		"lastTransitionTime": nil}}, "status", "conditions")
	w := write(pods, "kubelet")
	w.Subresource = "status"
	w.Update(obj, seen)
	obj, err := write(pods, "me").Apply(seen, decode(b, nil, podConfig), true)
	if err != nil {
		b.Fatal(err)
	}
	return obj
}

const podConfig = `{"apiVersion":"v1","kind":"Pod",
"metadata":{"name":"web-7c5ddbdf54-abcde","namespace":"default","labels":{"mine":"x"}},
"spec":{"containers":[{"name":"web","image":"nginx:1.27"}]}}`

// BenchmarkUpdateCreate is a pod's first entry.
func BenchmarkUpdateCreate(b *testing.B) {
	obj := decode(b, pods, podText)
	w := write(pods, "controller")
	b.ReportAllocs()
	for b.Loop() {
		delete(object.Meta(obj), "managedFields")
		w.Update(nil, obj)
	}
}

// BenchmarkUpdateChange changes one label of a pod with three managers.
func BenchmarkUpdateChange(b *testing.B) {
	benchmarkUpdate(b, func(obj map[string]any) { object.SetNested(obj, "y", "metadata", "labels", "app") })
}

// BenchmarkUpdateNoop writes what is there.
func BenchmarkUpdateNoop(b *testing.B) { benchmarkUpdate(b, func(map[string]any) {}) }

func benchmarkUpdate(b *testing.B, change func(obj map[string]any)) {
	live := managedPod(b)
	entries := object.Meta(live)["managedFields"]
	obj := object.DeepCopy(live)
	change(obj)
	w := write(pods, "someone")
	b.ReportAllocs()
	for b.Loop() {
		object.Meta(obj)["managedFields"] = entries
		w.Update(live, obj)
	}
}

// BenchmarkApplyNoop applies what has been applied.
func BenchmarkApplyNoop(b *testing.B) { benchmarkApply(b, func(map[string]any) {}) }

// BenchmarkApplyChange applies another label.
func BenchmarkApplyChange(b *testing.B) {
	benchmarkApply(b, func(config map[string]any) { object.SetNested(config, "y", "metadata", "labels", "other") })
}

func benchmarkApply(b *testing.B, change func(config map[string]any)) {
	live, config, w := managedPod(b), decode(b, nil, podConfig), write(pods, "me")
	change(config)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.Apply(live, config, false); err != nil {
			b.Fatal(err)
		}
	}
}
