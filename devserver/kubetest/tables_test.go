package kubetest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tabernetes/tabernetes/devserver/kubetest"
)

// TestTables runs tests with a server that has what they need, and sees that each has a copy of it.
func TestTables(t *testing.T) {
	s := kubetest.New(t, kubetest.RBAC())
	s.ApplyText(t, `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: small}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  validations: [{expression: "!has(object.data)", message: no data}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: small}
spec: {policyName: small, validationActions: [Deny]}
`)
	file := filepath.Join(t.TempDir(), "small.test.yaml")
	if err := os.WriteFile(file, []byte(`given:
  authorization: RBAC
  object: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
tests:
- {name: small, when: {create: {}}, then: {allowed: true}}
- {name: again, when: {create: {}}, then: {allowed: true}}
- {name: large, when: {create: {data: {a: b}}}, then: {refused: no data}}
- {name: not everybody, when: {create: {}, as: {user: jane}}, then: {refused: {reason: Forbidden}}}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Tables(t, file)
	if code, body, err := s.Do("GET", "/api/v1/namespaces/default/configmaps/a", ""); err != nil || code != 404 {
		t.Errorf("the server itself has what a test has made: %d %s %v", code, body, err)
	}
}
