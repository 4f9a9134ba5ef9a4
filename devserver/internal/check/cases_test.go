package check

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// tested returns what is printed of tests.
func tested(t *testing.T, o TestOptions) string {
	t.Helper()
	r, err := Test(t.Context(), o)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	var out strings.Builder
	if err := text(&out, r); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

const (
	limited = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: few}
spec:
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints:
    resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: ["*"], resources: [deployments]}]
  matchConditions: [{name: people, expression: "request.userInfo.username != 'bot'"}]
  variables: [{name: most, expression: "int(params.data.most)"}]
  validations:
  - expression: >
      request.operation == 'DELETE' || object.spec.replicas <= variables.most
    messageExpression: "'at most ' + string(variables.most)"
  - expression: >
      request.operation != 'DELETE' || !(oldObject.metadata.?labels.keep.orValue('') == 'yes')
    message: it is kept
    reason: Forbidden
  - expression: >
      object == null || object.spec.template.spec.containers.all(c, c.image.startsWith('ok/') || c.name == 'x')
  auditAnnotations: [{key: asked, valueExpression: "request.operation"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: few}
spec:
  policyName: few
  validationActions: [Deny, Audit]
  paramRef: {name: most, namespace: default, parameterNotFoundAction: Deny}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: label}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]
  reinvocationPolicy: Never
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration: {expression: "Object{metadata: Object.metadata{labels: {'by': request.userInfo.username}}}"}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: label}
spec: {policyName: label}
`
	given1 = `given:
  files: [policies]
  objects:
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: most}, data: {most: "5"}}
  - apiVersion: apps/v1
    kind: Deployment
    metadata: {name: there, labels: {keep: "yes"}}
    spec: &spec
      replicas: 9
      selector: {matchLabels: {app: web}}
      template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: ok/i}]}}
  object: {apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {<<: *spec, replicas: 5}}
  as: {user: jane, groups: [dev], uid: "7", extra: {team: [shop]}}
tests:
`
	passing = given1 + `- name: five are enough
  when: {create: {}}
  then:
    allowed: true
    object: {metadata: {labels: {by: jane}, annotations: null}, spec: {replicas: 5}}
    audit: {few/asked: CREATE, few/other: null}
- name: six are too many
  when: {create: {spec: {replicas: 6}}}
  then: {refused: at most 5}
- name: six are too many, all of it
  when: {apply: {spec: {replicas: 6}}}
  then:
    refused: {message: "Policy 'few' with binding", code: 422, reason: Invalid}
    audit: {validation.policy.admission.k8s.io/validation_failure: at most 5}
- name: bots may
  when: {create: {spec: {replicas: 6}}, as: {user: bot}}
  then: {allowed: true, warnings: []}
- name: what is there is no example
  when: {patch: {metadata: {name: there}, spec: {paused: true}}}
  then: {refused: at most}
- name: fewer
  when: {patch: {metadata: {name: there}, spec: {replicas: 1}}}
  then: {allowed: true, object: {spec: {replicas: 1, selector: {matchLabels: {app: web}}}}}
- name: an update is one of what is stored
  when: {update: {metadata: {name: there}, spec: {selector: {matchLabels: {app: other}}}}}
  then: {refused: field is immutable}
- name: kept
  when: {delete: {metadata: {name: there}}}
  then: {refused: {message: it is kept, code: 403, reason: Forbidden}}
- name: not kept
  given: {objects: [{apiVersion: apps/v1, kind: Deployment, metadata: {name: other}, spec: *spec}]}
  when: {delete: {metadata: {name: other}}}
  then: {allowed: true}
- name: deleted
  given: {files: [web.yaml]}
  when: {delete: web.yaml, as: {user: bot}}
  then: {allowed: true}
- name: status
  when: {patch: {metadata: {name: there}, status: {replicas: 3}}, subresource: status}
  then: {allowed: true, object: {status: {replicas: 3}}}
`
)

// TestTables runs tests, and looks at what is printed.
func TestTables(t *testing.T) {
	write(t, "policies/few.yaml", limited, "web.yaml", deployment)
	more(t, "few.test.yaml", passing)
	want := strings.ReplaceAll(`RULE: never false: `+
		`object.spec.template.spec.containers.all(c, c.image.startsWith("ok/") || c.name == "x")
RULE: never false: c.image.startsWith("ok/")
RULE: never evaluated: c.name == "x"
note: policies/few.yaml:39: spec.mutations[0].applyConfiguration.expression of MutatingAdmissionPolicy label costs `+
		`most, 113 units of at most 1000000
11 tests: 11 passed, 0 failed; 6 of 9 conditions covered
`, "RULE", "policies/few.yaml:18: note: ValidatingAdmissionPolicy few: spec.validations[2].expression")
	if got := tested(t, TestOptions{Paths: []string{"."}}); got != want {
		t.Errorf("%s\nnot\n%s", got, want)
	}
}

// TestExample runs the tables that the package for npm shows.
func TestExample(t *testing.T) {
	r, err := Test(t.Context(), TestOptions{Paths: []string{"../../../web/npm/example"}, Covered: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		t.Error(f)
	}
}

// TestFailures checks how a test fails: it is the only one of a table.
func TestFailures(t *testing.T) {
	write(t, "policies/few.yaml", limited)
	first := strings.Count(given1, "\n") + 1
	for _, c := range []struct {
		test string
		line int // from the test's first
		want string
	}{
		{"  when: {create: {}}\n  then: {refused: at most}", 2, "it is allowed"},
		{"  when: {create: {spec: {replicas: 6}}}\n  then:\n    allowed: true\n    object: {}", 3,
			`it is refused with 422 Invalid: deployments.apps "web" is forbidden: ValidatingAdmissionPolicy 'few' with ` +
				"binding 'few' denied request: at most 5"},
		{"  when: {create: {spec: {replicas: 6}}}\n  then: {refused: at most 6}", 2,
			`it is refused with 422 Invalid: deployments.apps "web" is forbidden: ValidatingAdmissionPolicy 'few' with ` +
				`binding 'few' denied request: at most 5; not with "at most 6"`},
		{"  when: {create: {spec: {replicas: 6}}}\n  then: {refused: {code: 403, reason: Invalid}}", 2,
			`it is refused with 422 Invalid: deployments.apps "web" is forbidden: ValidatingAdmissionPolicy 'few' with ` +
				"binding 'few' denied request: at most 5; not with 403 Invalid"},
		{"  when: {create: {}}\n  then:\n    allowed: true\n    object:\n      spec:\n        replicas: 4", 6,
			"spec.replicas: it is 5, not 4"},
		{"  when: {create: {}}\n  then:\n    allowed: true\n    object: {spec: {template: {spec: {containers: []}}}}", 4,
			`spec.template.spec.containers: it is [{"image":`},
		{"  when: {create: {}}\n  then:\n    allowed: true\n    warnings: [old]", 4, `the warnings are [], not ["old"]`},
		{"  when: {create: {}}\n  then:\n    allowed: true\n    audit:\n      few/asked: UPDATE\n      few/b: c\n", 5,
			`the audit annotation few/asked is "CREATE", not "UPDATE"`},
		{"  when: {create: {}}\n  then:\n    allowed: true\n    audit: {few/asked: null}\n", 4,
			`the audit annotation few/asked is "CREATE", and not absent`},
	} {
		more(t, "a.test.yaml", given1+"- name: this\n"+c.test+"\n")
		got := tested(t, TestOptions{Paths: []string{"a.test.yaml"}})
		if want := fmt.Sprintf("a.test.yaml:%d: error: this: %s", first+c.line, c.want); !strings.HasPrefix(got, want) ||
			!strings.Contains(got, "\n1 test: 0 passed, 1 failed") {
			t.Errorf("%s\n%s\nnot\n%s", c.test, got, want)
		}
	}
}

// TestUnusable checks what is said of tables that cannot be run: one sentence.
func TestUnusable(t *testing.T) {
	const good = `- name: a
  when: {create: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}}
  then: {allowed: true}
`
	write(t, "a.yaml", "kind: [", "two.yaml", config+"---\n"+config, "charts/x.yaml", "a: {{ .b }}\n",
		"policies/wrong.yaml", strings.Replace(limited, "paramKind", "paramsKind", 1))
	for _, c := range []struct{ text, want string }{
		{"tests:\n" + good, ""},
		{"a: b\n", "a.test.yaml:1: a: there is no such field here"},
		{"tests: []\n", "a.test.yaml:1: it has no tests"},
		{"tests:\n- name: a\n   b: c\n", "a.test.yaml:3: it is not YAML: mapping values are not allowed in this context"},
		{"tests:\n- name: a\n  name: b\n", `a.test.yaml:3: it is not YAML: mapping key "name" already defined at line 2`},
		{"given: {authorization: ABAC}\ntests:\n" + good,
			`a.test.yaml:1: given.authorization: "ABAC" is neither AlwaysAllow nor RBAC`},
		{"given:\n  files: [none.yaml]\ntests:\n" + good, "a.test.yaml:2: given.files: none.yaml: no such file or directory"},
		{"given:\n  files: [a.yaml]\ntests:\n" + good,
			"a.test.yaml:2: given.files: a.yaml:1: it is not YAML: did not find expected node content"},
		{"given:\n  files: [policies]\ntests:\n" + good,
			"policies/wrong.yaml:5: ValidatingAdmissionPolicy few: spec.paramsKind: unknown field"},
		{"given:\n  objects:\n  - a: b\ntests:\n" + good, "a.test.yaml:3: apiVersion is missing"},
		{"given: 3\ntests:\n" + good, "a.test.yaml:1: given: a number cannot be here"},
		{"tests:\n" + strings.Replace(good, "create", "creat", 1),
			"a.test.yaml:3: tests[0].when.creat: there is no such field here"},
		{"tests:\n" + strings.Replace(good, "create:", "apply: {}, create:", 1),
			"a.test.yaml:3: tests[0].when: it has to have one of create, update, patch, apply, delete and evaluate"},
		{"tests:\n" + strings.Replace(good, "allowed: true", "allowed: yes please", 1),
			"a.test.yaml:4: tests[0].then.allowed: a string cannot be here"},
		{"tests:\n" + strings.Replace(good, "allowed: true", "allowed: false", 1),
			"a.test.yaml:4: tests[0].then: it has to say either allowed: true or refused"},
		{"tests:\n" + strings.Replace(good, "name: a\n", "name: ''\n", 1), "a.test.yaml:2: tests[0]: name is missing"},
		{"tests:\n" + strings.Replace(good, "when: {", "when: {as: {groups: [a]}, ", 1),
			"a.test.yaml:2: tests[0]: as: user is missing"},
		{"tests:\n" + strings.Replace(good, "kind: ConfigMap", "kind: ConfigMaps", 1),
			`a.test.yaml:3: tests[0].when.create: no matches for kind "ConfigMaps" in version "v1"`},
		{"tests:\n- name: a\n  when: {create: two.yaml}\n  then: {allowed: true}\n",
			"a.test.yaml:3: tests[0].when.create: two.yaml has 2 objects, not one"},
		{"tests:\n- name: a\n  given: {as: {user: b}}\n  when: {create: two.yaml}\n  then: {allowed: true}\n",
			"a.test.yaml:3: tests[0].given: a test is given files and objects; the rest is the table's"},
	} {
		more(t, "a.test.yaml", c.text)
		got := tested(t, TestOptions{Paths: []string{"a.test.yaml"}})
		if c.want == "" && !strings.HasPrefix(got, "1 test: 1 passed") || c.want != "" && got != "error: "+c.want+"\n" {
			t.Errorf("%s\n%s\nnot\n%s", c.text, got, c.want)
		}
	}
	if got := tested(t, TestOptions{Paths: []string{"charts"}}); got != "error: no tests are there\n" {
		t.Error(got)
	}
}

// TestFormatsOfTests checks what is printed in each format.
func TestFormatsOfTests(t *testing.T) {
	dir, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	write(t, "policies/few.yaml", limited, "a.test.yaml", given1+
		"- name: five\n  when: {create: {}}\n  then: {refused: at all}\n"+
		"- name: six\n  when: {create: {spec: {replicas: 6}}}\n  then: {refused: at most}\n")
	r, err := Test(t.Context(), TestOptions{Paths: []string{"."}, Covered: true})
	if err != nil {
		t.Fatal(err)
	}
	inFormats(t, r, dir, "test-")
}

// FuzzTables checks that no text makes reading it fail in another way than by an error with a line.
func FuzzTables(f *testing.F) {
	f.Add(passing)
	f.Add("tests: [{name: a, when: {create: {a: *b}}, then: {refused: {cod: 1}}}]")
	f.Fuzz(func(t *testing.T, text string) {
		tables, err := readTables([]source{{name: "a", text: []byte(text)}})
		if err != nil && !strings.HasPrefix(err.Error(), "a:") {
			t.Error(err)
		}
		for _, table := range tables {
			for n := range table.Tests {
				if c, err := table.test(n); err == nil {
					_, _, _, _ = table.request(t.Context(), c)
				}
			}
		}
	})
}

// TestEvaluate runs tests of an expression alone.
func TestEvaluate(t *testing.T) {
	table := `given:
  authorization: RBAC
  object: {limits: {most: 3}}
  objects:
  - {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: reads}, rules: [{apiGroups: [""],
     resources: [pods], verbs: [list]}]}
  - {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: reads},
     roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: reads}, subjects: [{kind: User, name: joe,
     apiGroup: rbac.authorization.k8s.io}]}
expression: |
  what == "sum" ? dyn(limits.most + 1) : what == "list" ? dyn(["a", string(limits.most)]) : what == "time"
  ? dyn(duration("90s")) : dyn(authorizer.group("").resource("pods").check("list").allowed())
tests:
`
	rows := []string{
		"- {name: a, when: {evaluate: {what: sum}}, then: {value: 4}}",
		"- {name: b, when: {evaluate: {what: sum, limits: {most: 1}}}, then: {value: 2}}",
		`- {name: c, when: {evaluate: {what: list}}, then: {value: [a, "3"]}}`,
		"- {name: d, when: {evaluate: {what: time}}, then: {value: 'duration(\"1m30s\")'}}",
		"- {name: e, when: {evaluate: {what: sum, limits: {most: x}}}, then: {error: no such overload}}",
		"- {name: f, when: {evaluate: {what: sum, limits: {most: x}}}, then: {value: 3}}",
		"- {name: g, when: {evaluate: {what: sum}}, then: {error: x}}",
		"- {name: h, when: {evaluate: {what: 1, limits: null}}, then: {error: undeclared reference}}",
	}
	want := `evaluate.yaml:19: error: f: it has no value: no such overload
evaluate.yaml:20: error: g: it is 4
8 tests: 6 passed, 2 failed
`
	write(t, "evaluate.yaml", table+strings.Join(rows, "\n"))
	if got := tested(t, TestOptions{Paths: []string{"evaluate.yaml"}}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for then, want := range map[string]string{
		"evaluate: {}}, then: {allowed: true}": "it has to say either value or error",
		"create: {}}, then: {value: 1}":        "value and error are those of evaluate",
		"evaluate: [1]}, then: {value: 1}":     "variables: it is no object",
	} {
		write(t, "e.yaml", "expression: '1'\ntests:\n- {name: a, when: {"+then+"}")
		if got := tested(t, TestOptions{Paths: []string{"e.yaml"}}); !strings.Contains(got, want) {
			t.Errorf("%s: %s", then, got)
		}
	}
}
