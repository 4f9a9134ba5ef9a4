package kinds_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/internal/kinds"
	"github.com/tabernetes/tabernetes/core/object/objecttest"
)

// The texts are those of real answers, cut where a form is explained.
func TestInvalidPods(t *testing.T) {
	for _, c := range []struct{ with, want string }{
		{`"volumes":[{"name":"a","hostPath":{"path":"/a/../b"}}]`,
			`spec.volumes[0].hostPath.path: Invalid value: "/a/../b": must not contain '..'`},
		{`"volumes":[{"name":"a","downwardAPI":{"items":[{"path":"x"}]}}]`,
			`spec.volumes[0].downwardAPI: Required value: one of fieldRef and resourceFieldRef is required`},
		{`"volumes":[{"name":"a","emptyDir":{},"downwardAPI":{}}]`,
			`spec.volumes[0].downwarAPI: Forbidden: may not specify more than 1 volume type`},
		{`"volumes":[{"name":"a","iscsi":{"targetPortal":"x","iqn":"iqn.2001-04.com.example:x"}},{"name":"b",
			"iscsi":{"targetPortal":"x","iqn":"naa.1"}}]`,
			`spec.volumes[1].iscsi.iqn: Invalid value: "naa.1": must be valid format`},
		{`"securityContext":{"seccompProfile":{"type":"RuntimeDefault","localhostProfile":"a"}}`,
			`spec.securityContext.seccompProfile.localhostProfile: Invalid value: ` +
				`{"Type":"RuntimeDefault","LocalhostProfile":"a"}: can only be set when seccomp type is Localhost`},
		{`"securityContext":{"sysctls":[{"name":"kernel.shm"},{"name":"a..b"}]}`,
			`spec.securityContext.sysctls[1].name: Invalid value: "a..b": must have at most 253 characters`},
		{`"os":{"name":"windows"},"hostPID":true`, `spec.hostPID: Forbidden: cannot be set for a windows pod`},
		{`"dnsPolicy":"None"`, "spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None"},
		{`"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[]}}}`,
			`spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: ` +
				`must have at least one node selector term`},
		{`"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"a","whenUnsatisfiable":"ScheduleAnyway","minDomains":2,
			"labelSelector":{}}]`,
			`spec.topologySpreadConstraints[0].minDomains: Invalid value: 2: can only use minDomains if ` +
				`whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway`},
		{`"resourceClaims":[{"name":"a"}]`,
			"spec.resourceClaims[0]: Invalid value: " +
				"{\"Name\":\"a\",\"ResourceClaimName\":null,\"ResourceClaimTemplateName\":null}: must specify one of: " +
				"`resourceClaimName`, `resourceClaimTemplateName`"},
		{`"containers":[{"name":"a","image":"b","resources":{"claims":[{"name":"x"}]}}]`,
			`spec.containers[0].resources.claims[0]: ` +
				`Not found: "x": must be one of the names in pod.spec.resourceClaims which is empty`},
		{`"overhead":{"hugepages-2Mi":"3Mi","cpu":"1"}`,
			`spec.overhead.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi`},
		{`"resources":{"requests":{"cpu":"1"}},"containers":[{"name":"a","image":"b",
			"resources":{"requests":{"cpu":"600m"}}},{"name":"c","image":"b","resources":{"requests":{"cpu":"700m"}}}]`,
			`spec.resources.requests[cpu]: ` +
				`Invalid value: "1": must be greater than or equal to aggregate container requests of 1300m`},
		{`"containers":[{"name":"a","image":"b","env":[{"name":"a","valueFrom":{"fieldRef":{"fieldPath":"spec.x"}}}]}]`,
			`spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: "spec.x": error converting fieldPath: ` +
				`field label not supported: spec.x`},
		{`"containers":[{"name":"a","image":"b","restartPolicyRules":[{"action":"Restart","exitCodes":{"operator":"In",
			"values":[1]}}]}]`,
			`spec.containers[0].restartPolicy: Required value: must specify restartPolicy when restart rules are used`},
	} {
		obj := podWith(t, c.with)
		errs := kinds.For("", "Pod").Validate(obj)
		if len(errs) != 1 || !strings.HasPrefix(errs.Message(), c.want) {
			t.Errorf("%s:\ngot  %s\nwant %s", c.with, errs.Message(), c.want)
		}
	}
	if errs := kinds.For("", "Pod").Validate(podWith(t, `"hostname":"a"`)); len(errs) > 0 {
		t.Errorf("a good pod: %s", errs.Message())
	}
}

// pod is a good pod with other fields in its spec, filled in.
func podWith(t *testing.T, with string) map[string]any {
	t.Helper()
	obj := objecttest.Parse(t, `{"metadata":{"name":"p","namespace":"n"},"spec":{"containers":[{"name":"a",
		"image":"b"}]}}`)
	maps.Copy(obj["spec"].(map[string]any), objecttest.Parse(t, "{"+with+"}"))
	kinds.For("", "Pod").Fill(obj)
	return obj
}

func TestJobStatusOnlyMoves(t *testing.T) {
	job := func(status string) map[string]any {
		var obj map[string]any
		if err := json.Unmarshal([]byte(`{"spec":{"completionMode":"NonIndexed"},"status":`+status+`}`), &obj); err != nil {
			t.Fatal(err)
		}
		return obj
	}
	for _, c := range []struct{ from, to, want string }{
		{`{}`, `{"conditions":[{"type":"Complete","status":"True"}]}`,
			"[status.completionTime: Required value: completionTime is required for Complete jobs, status.conditions: Invalid " +
				"value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition, status.startTime: " +
				"Required value: startTime is required for finished job]"},
		{`{"startTime":"2026-01-01T00:00:00Z"}`, `{"startTime":"2026-01-02T00:00:00Z"}`,
			`status.startTime: Invalid value: "2026-01-02T00:00:00Z": field is immutable for unsuspended job once set`},
		{`{"conditions":[{"type":"FailureTarget","status":"True"}]}`, `{}`,
			"status.conditions: Invalid value: cannot disable the terminal FailureTarget=True condition"},
		{`{}`, `{"completedIndexes":"1"}`,
			`status.completedIndexes: Invalid value: "1": ` +
				`cannot set non-empty completedIndexes when non-indexed completion mode`},
		{`{}`, `{"active":1}`, "[]"},
	} {
		if got := kinds.For("batch", "Job").ValidateStatus(job(c.to), job(c.from)).Message(); got != c.want {
			t.Errorf("%s to %s:\ngot  %s\nwant %s", c.from, c.to, got, c.want)
		}
	}
}
