package policies_test

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/internal/plugins/policies"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/source"
)

const configMaps = "POST /api/v1/namespaces/default/configmaps "

// create creates a policy for ConfigMaps, and its binding.
func create(t testing.TB, server http.Handler, kind, name, spec string) {
	t.Helper()
	body := `{"metadata":{"name":"` + name + `"},"spec":` + strings.Replace(spec, "{", `{`+
		on("", "v1", "configmaps", `"CREATE","UPDATE"`)+",", 1) + `}`
	binding := `{"metadata":{"name":"` + name + `"},"spec":{"policyName":"` + name + `"`
	if kind == "validating" {
		binding += `,"validationActions":["Deny"]`
	}
	for _, request := range []string{"policies " + body, "policybindings " + binding + "}}"} {
		if a := send(server, "POST "+base+kind+"admission"+request, false); a.Code != http.StatusCreated {
			t.Fatal(request, asText(a))
		}
	}
}

// TestNothingToDo checks that writes cost nothing while there are no policies.
func TestNothingToDo(t *testing.T) {
	table := schema.Builtin()
	p := &policies.Plugin{Store: mvcc.New(nil), Table: table, CEL: expression.None{}}
	p.Enable()
	a := &admission.Attributes{Resource: table.Resource("", "v1", "pods"), Operation: admission.Create}
	pass := func() {
		if p.Mutate(context.Background(), a) != nil || p.Validate(context.Background(), a) != nil {
			t.Error("refused")
		}
	}
	pass()
	if n := testing.AllocsPerRun(100, pass); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestEffectAtOnce checks that a policy counts as soon as it and its binding are written, and no longer than they are
// there.
func TestEffectAtOnce(t *testing.T) {
	c := newCluster(t)
	create(t, c, "validating", "p", `{"validations":[{"expression":"false"}]}`)
	if a := send(c, configMaps+`{"metadata":{"name":"a"}}`, false); a.Code != http.StatusUnprocessableEntity {
		t.Error(asText(a))
	}
	body := `{"spec":{"validations":[{"expression":"true"}]}}`
	if a := send(c, "PATCH "+base+"validatingadmissionpolicies/p "+body, false); a.Code != http.StatusOK {
		t.Error(asText(a))
	}
	if a := send(c, configMaps+`{"metadata":{"name":"a"}}`, false); a.Code != http.StatusCreated {
		t.Error(asText(a))
	}
	send(c, "PATCH "+base+`validatingadmissionpolicies/p {"spec":{"validations":[{"expression":"false"}]}}`, false)
	send(c, "DELETE "+base+"validatingadmissionpolicybindings/p ", false)
	if a := send(c, configMaps+`{"metadata":{"name":"b"}}`, false); a.Code != http.StatusCreated {
		t.Error(asText(a))
	}
}

// TestDefinitionGone checks that a policy whose parameters' definition is deleted finds no parameters; one that has
// never seen the definition is wrong itself.
func TestDefinitionGone(t *testing.T) { synctest.Test(t, testDefinitionGone) }

func testDefinitionGone(t *testing.T) {
	const (
		definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
		params      = `"paramRef":{"name":"a","namespace":"default","parameterNotFoundAction":"Deny"}`
		missing     = "ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource " +
			"referenced by paramKind: 'x.io/v1, Kind=Limit'"
		without = "ValidatingAdmissionPolicy 'p' with binding 'p' denied request: failed to configure binding: " +
			"no params found for policy binding with `Deny` parameterNotFoundAction"
	)
	c := newCluster(t)
	create(t, c, "validating", "p", `{"paramKind":{"apiVersion":"x.io/v1","kind":"Limit"},`+
		`"validations":[{"expression":"params.most > 1"}]}`)
	wants := func(want string) {
		t.Helper()
		synctest.Wait()
		if a := send(c, configMaps+`{"metadata":{"name":"m"}}`, false); !strings.HasSuffix(a.Message, want) {
			t.Errorf("%s, not %s", asText(a), want)
		}
	}
	send(c, "PATCH "+base+`validatingadmissionpolicybindings/p {"spec":{`+params+`}}`, false)
	wants(missing)
	send(c, "POST "+definitions+` {"metadata":{"name":"limits.x.io"},"spec":{"group":"x.io","scope":"Namespaced",`+
		`"names":{"plural":"limits","kind":"Limit"},"versions":[{"name":"v1","served":true,"storage":true,"schema":`+
		`{"openAPIV3Schema":{"type":"object","properties":{"most":{"type":"integer"}}}}}]}}`, false)
	wants(without)
	limit := "/apis/x.io/v1/namespaces/default/limits"
	send(c, "POST "+limit+` {"apiVersion":"x.io/v1","kind":"Limit","metadata":{"name":"a"},"most":1}`, false)
	wants("failed expression: params.most > 1")
	send(c, "DELETE "+limit+"/a ", false)
	send(c, "DELETE "+definitions+"/limits.x.io ", false)
	send(c, "PATCH "+base+`validatingadmissionpolicies/p {"metadata":{"labels":{"a":"b"}}}`, false)
	wants(without)
}

// TestExempt checks that no policy sees policies, or what is asked about users, but webhook configurations are seen.
func TestExempt(t *testing.T) {
	c := newCluster(t)
	body := `{"metadata":{"name":"p"},"spec":{"matchConstraints":{"resourceRules":[{"apiGroups":["*"],"apiVersi` +
		`ons":["*"],` +
		`"resources":["*"],"operations":["*"]}]},"validations":[{"expression":"false"}]}}`
	send(c, "POST "+base+"validatingadmissionpolicies "+body, false)
	send(c, "POST "+base+`validatingadmissionpolicybindings {"metadata":{"name":"p"},"spec":{"policyName":"p",`+
		`"validationActions":["Deny"]}}`, false)
	for request, want := range map[string]int{
		`POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews {"spec":{"nonResourceAttributes":{"path":"/",` +
			`"verb":` +
			`"get"}}}`: 201,
		"POST " + base + `mutatingwebhookconfigurations {"metadata":{"name":"m"}}`: 422,
		"POST " + base + `validatingadmissionpolicybindings {"metadata":{"name":"q"},"spec":{"policyName":"x",` +
			`"validationActions":["Deny"]}}`: 201,
		"POST /apis/coordination.k8s.io/v1/namespaces/default/leases " + `{"metadata":{"name":"m"}}`: 422,
	} {
		if a := send(c, request, false); a.Code != want {
			t.Errorf("%s: %s", request, asText(a))
		}
	}
	if a := send(c, "DELETE "+base+"validatingadmissionpolicies/p ", false); a.Code != 200 {
		t.Error(asText(a))
	}
}

// TestUnavailable checks that failurePolicy decides where there is no evaluator.
func TestUnavailable(t *testing.T) {
	c, err := core.New(core.Options{Clock: clock.NewManual(time.Unix(0, 0)), Rand: rand.NewChaCha8([32]byte{1})})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	create(t, c, "validating", "v", `{"validations":[{"expression":"true"}]}`)
	const denied = `configmaps "a" is forbidden: ValidatingAdmissionPolicy 'v' with binding 'v' denied request: ` +
		`CEL expressions cannot be evaluated here`
	if a := send(c, configMaps+`{"metadata":{"name":"a"}}`, false); a.Code != 422 || a.Message != denied {
		t.Error(asText(a))
	}
	for _, p := range []string{"validating", "mutating"} {
		if p == "mutating" {
			create(t, c, p, "m", mutating("", "Never", `AObject{data: {'k': 'x'}}`))
			if a := send(c, configMaps+`{"metadata":{"name":"a"}}`, false); a.Code != 403 ||
				a.Message != "policy 'm' with binding 'm' denied request: CEL expressions cannot be evaluated here" {
				t.Error(asText(a))
			}
		}
		name := p[:1]
		send(c, "PATCH "+base+p+"admissionpolicies/"+name+` {"spec":{"failurePolicy":"Ignore"}}`, false)
		if a := send(c, configMaps+`{"metadata":{"generateName":"a"}}`, false); a.Code != 201 {
			t.Error(asText(a))
		}
	}
}

// TestInternalErrors: what compiles, but cannot be planned, is an internal error.
func TestInternalErrors(t *testing.T) {
	a := send(newCluster(t), "POST "+base+`validatingadmissionpolicies {"metadata":{"name":"p"},`+
		`"spec":{"matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],`+
		`"resources":["configmaps"],"operations":["*"]}]},"validations":[{"expression":"int('x') == 1"}]}}`, false)
	const want = "spec.validations[0].expression: Internal error: program instantiation failed: " +
		"type conversion error from 'string' to 'int'"
	if a.Code != 422 || !strings.HasSuffix(a.Message, want) {
		t.Error(asText(a))
	}
}

// TestMutations checks what is said of mutations that no patchType, or another one, takes: that alone, as the real
// server answers.
func TestMutations(t *testing.T) {
	c := newCluster(t)
	for mutations, want := range map[string]string{
		`{"applyConfiguration":{"expression":"Object{}"}}`: "spec.mutations[0].patchType: Required value",
		`{"patchType":"TCP","jsonPatch":{"expression":"true"}}`: `spec.mutations[0].patchType: Unsupported value: "TCP": ` +
			`supported values: "ApplyConfiguration", "JSONPatch"`,
		`{"patchType":"JSONPatch","jsonPatch":{"expression":" "}}`: "spec.mutations[0].jsonPatch.expression: Required value",
		`{"jsonPatch":{"expression":"1"}},{"patchType":"JSONPatch","jsonPatch":{"expression":"1"}}`: "[spec.mutations[0]." +
			`patchType: Required value, spec.mutations[1].jsonPatch.expression: Invalid value: "1": must evaluate to ` +
			"list(JSONPatch) but got int]",
	} {
		a := send(c, "POST "+base+`mutatingadmissionpolicies?dryRun=All {"metadata":{"name":"p"},"spec":{`+
			on("", "v1", "configmaps", `"*"`)+`,"reinvocationPolicy":"Never","mutations":[`+mutations+`]}}`, false)
		if a.Message != `MutatingAdmissionPolicy.admissionregistration.k8s.io "p" is invalid: `+want {
			t.Errorf("%s: %s", mutations, asText(a))
		}
	}
}

// TestOrder checks that what only the evaluator finds stands where the real server has it: among what the kind finds.
func TestOrder(t *testing.T) {
	a := send(newCluster(t), "POST "+base+`mutatingadmissionpolicies {"metadata":{"name":"p"},"spec":{`+
		on("", "v1", "configmaps", `"*"`)+`,"failurePolicy":"x","matchConditions":[{"name":"","expression":"request.q"}],`+
		`"variables":[{"name":"1","expression":"request.d"},{"name":"y"}],"mutations":[{"patchType":"JSONPatch",`+
		`"jsonPatch":{"expression":"request.x"},"applyConfiguration":{}}],"reinvocationPolicy":"y"}}`, false)
	at := -1
	for _, field := range strings.Fields("failurePolicy matchConditions[0].expression matchConditions[0].name " +
		"variables[0].name variables[0].expression variables[1].expression mutations[0].jsonPatch.expression " +
		"mutations[0].applyConfiguration reinvocationPolicy") {
		found := strings.Index(a.Message, "spec."+field+": ")
		if found <= at {
			t.Errorf("%s is at %d of %s", field, found, a.Message)
		}
		at = found
	}
}

// TestExplained checks that a client that asks learns which policies decided.
func TestExplained(t *testing.T) {
	c := newCluster(t)
	create(t, c, "mutating", "m", mutating("", "Never", `AObject{data: {'k': 'x'}}`))
	create(t, c, "validating", "v", `{"validations":[{"expression":"object.data.k != \"x\""}]}`)
	for ask, want := range map[string][]source.Verdict{"": nil, "1": {
		{Policy: "m", Binding: "m", Did: source.Changed, Expression: "Object{data: {'k': 'x'}}"},
		{Policy: "v", Binding: "v", Did: source.Refused, Expression: `object.data.k != "x"`},
	}} {
		r := httptest.NewRequest("POST", "/api/v1/namespaces/default/configmaps", strings.NewReader(
			`{"metadata":{"name":"a"}}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Tabernetes-Explain", ask)
		w := httptest.NewRecorder()
		c.ServeHTTP(w, r)
		text := w.Header().Get("Tabernetes-Source")
		if (text == "") != (want == nil) {
			t.Errorf("%q: %q %s", ask, text, w.Body)
			continue
		}
		if want == nil {
			continue
		}
		s, err := source.Parse(text)
		if err != nil || len(s.Policies) != len(want) || s.Policies[0] != want[0] || s.Policies[1] != want[1] {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// BenchmarkCreate creates ConfigMaps with a policy for them, with one for others, and with none.
func BenchmarkCreate(b *testing.B) {
	for _, name := range []string{"none", "validating", "mutating"} {
		b.Run(name, func(b *testing.B) {
			c := newCluster(b)
			switch name {
			case "validating":
				create(b, c, name, "p", `{"validations":[{"expression":"object.metadata.name.startsWith('c')"}]}`)
			case "mutating":
				create(b, c, name, "p", mutating("", "Never", `AObject{metadata: Object.metadata{labels: {'a': 'b'}}`+
					`}`))
			}
			b.ReportAllocs()
			for b.Loop() {
				if a := send(c, configMaps+`{"metadata":{"generateName":"c-"},"data":{"k":"v"}`+
					`}`, false); a.Code != 201 {
					b.Fatal(asText(a))
				}
			}
		})
	}
}
