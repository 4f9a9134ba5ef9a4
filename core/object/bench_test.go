package object

import (
	"encoding/json"
	"testing"
)

// aPod is a pod as a cluster keeps it, about 2 KB.
const aPod = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-5d4c9b7b6-x2x7k",` +
	`"generateName":"web-5d4c9b7b6-","namespace":"default","uid":"5e0c8f0e-7f6e-4d5b-9f5e-0b1c2d3e4f50",` +
	`"resourceVersion":"1287","generation":1,"creationTimestamp":"2026-11-20T23:00:00Z","labels":{"app":"web",` +
	`"pod-template-hash":"5d4c9b7b6","tier":"frontend"},"annotations":{"kubernetes.io/change-cause":"first"},` +
	`"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-5d4c9b7b6",` +
	`"uid":"0f0c8f0e-7f6e-4d5b-9f5e-0b1c2d3e4f51","controller":true,"blockOwnerDeletion":true}]},` +
	`"spec":{"volumes":[{"name":"config","configMap":{"name":"web","defaultMode":420}},{"name":"tmp","emptyDir":{}}],` +
	`"containers":[{"name":"web","image":"nginx:1.29","ports":[{"name":"http","containerPort":80,"protocol":"TCP"}],` +
	`"env":[{"name":"MODE","value":"production"},{"name":"NODE","valueFrom":{"fieldRef":{"apiVersion":"v1",` +
	`"fieldPath":"spec.nodeName"}}}],"resources":{"limits":{"cpu":"500m","memory":"128Mi"},"requests":{"cpu":"250m",` +
	`"memory":"64Mi"}},"volumeMounts":[{"name":"config","mountPath":"/etc/nginx/conf.d"},{"name":"tmp",` +
	`"mountPath":"/tmp"}],"livenessProbe":{"httpGet":{"path":"/healthz","port":"http","scheme":"HTTP"},` +
	`"initialDelaySeconds":3,"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3},` +
	`"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File",` +
	`"imagePullPolicy":"IfNotPresent"}],"restartPolicy":"Always","terminationGracePeriodSeconds":30,` +
	`"dnsPolicy":"ClusterFirst","serviceAccountName":"default","serviceAccount":"default","securityContext":{},` +
	`"schedulerName":"default-scheduler","tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists",` +
	`"effect":"NoExecute","tolerationSeconds":300}],"priority":0,"enableServiceLinks":true,` +
	`"preemptionPolicy":"PreemptLowerPriority"},"status":{"phase":"Pending","qosClass":"Burstable"}}`

func BenchmarkDecodePod(b *testing.B) {
	typ := typeOf(b, "/v1/Pod")
	benchmarkDecode(b, func(text []byte) error {
		_, _, err := Decode(text, typ)
		return err
	})
}

func BenchmarkDecodePodUntyped(b *testing.B) {
	benchmarkDecode(b, func(text []byte) error {
		_, _, err := Decode(text, nil)
		return err
	})
}

// BenchmarkDecodePodStandard is encoding/json, for comparison.
func BenchmarkDecodePodStandard(b *testing.B) {
	benchmarkDecode(b, func(text []byte) error {
		var m map[string]any
		return json.Unmarshal(text, &m)
	})
}

func benchmarkDecode(b *testing.B, decode func(text []byte) error) {
	b.SetBytes(int64(len(aPod)))
	b.ReportAllocs()
	for b.Loop() {
		if err := decode([]byte(aPod)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTypeMeta(b *testing.B) {
	for b.Loop() {
		if _, _, err := TypeMeta([]byte(aPod)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodePod(b *testing.B) {
	typ := typeOf(b, "/v1/Pod")
	obj, _, err := Decode([]byte(aPod), typ)
	if err != nil {
		b.Fatal(err)
	}
	var buf []byte
	b.SetBytes(int64(len(aPod)))
	b.ReportAllocs()
	for b.Loop() {
		buf = Encode(buf[:0], obj, typ)
	}
	if string(buf) != aPod {
		b.Fatalf("%s", buf)
	}
}

// BenchmarkEncodePodStandard is encoding/json, for comparison.
func BenchmarkEncodePodStandard(b *testing.B) {
	obj, err := DecodeAny([]byte(aPod))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(aPod)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := json.Marshal(obj); err != nil {
			b.Fatal(err)
		}
	}
}
