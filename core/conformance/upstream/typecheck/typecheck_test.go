package typecheck

import (
	"context"
	"fmt"
	"maps"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/cel/openapi/resolver"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/yaml"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/conformance/upstream/fixture"
	"github.com/tabernetes/tabernetes/core/expression/evaluator"
)

// definition has what types of CEL depend on.
const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, singular: thing, kind: Thing}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              n: {type: integer}
              f: {type: number}
              port: {x-kubernetes-int-or-string: true}
              any: {type: object, x-kubernetes-preserve-unknown-fields: true}
              loose: {x-kubernetes-preserve-unknown-fields: true}
              within: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
              a-b: {type: string}
              for: {type: string, format: date-time}
              took: {type: string, format: duration}
              b: {type: string, format: byte}
              list: {type: array, items: {type: object, properties: {name: {type: string}}}}
              map: {type: object, additionalProperties: {type: integer}}
`

// rules of policies.
var matches = map[string][]v1.Rule{
	"deployments": {{APIGroups: []string{"apps"}, APIVersions: []string{"v1"}, Resources: []string{"deployments"}}},
	"pods":        {{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods", "pods/status"}}},
	"things":      {{APIGroups: []string{"example.com"}, APIVersions: []string{"v1"}, Resources: []string{"things"}}},
	"several": {{APIGroups: []string{"apps", "batch"}, APIVersions: []string{"v1"},
		Resources: []string{"deployments", "statefulsets", "Jobs", "pods"}},
		{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"event", "configmaps"}}},
	"wildcard": {{APIGroups: []string{"*"}, APIVersions: []string{"v1"}, Resources: []string{"deployments"}},
		{APIGroups: []string{"apps"}, APIVersions: []string{"v1"}, Resources: []string{"*", "daemonsets"}}},
	"unknown": {{APIGroups: []string{"none.example.com"}, APIVersions: []string{"v1"}, Resources: []string{"none"}}},
	"many": {{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods", "services", "nodes",
		"secrets", "configmaps", "endpoints", "namespaces", "limitranges", "podtemplates", "resourcequotas",
		"serviceaccounts", "persistentvolumes", "persistentvolumeclaims"}}},
	"definitions": {{APIGroups: []string{"apiextensions.k8s.io"}, APIVersions: []string{"v1"},
		Resources: []string{"customresourcedefinitions"}}},
	"quotas": {{APIGroups: []string{"", "policy", "autoscaling"}, APIVersions: []string{"v1", "v2"},
		Resources: []string{"resourcequotas", "poddisruptionbudgets", "horizontalpodautoscalers"}}},
}

// expressions are tried against all of them.
const expressions = `object.spec.replicas > 1
object.spec.replicas > '1'
object.spec.replicass > 1
object.metadata.name == oldObject.metadata.nam
object.metadata.labels['a'] == 1
object.metadata.labels.all(k, k.startsWith(3))
object.metadata.creationTimestamp < 3
object.metadata.annotationz.size() > 0 || object.metadata.managedFields[0].fieldsV1.x == 1
object.metadata.ownerReferences.exists(o, o.kind == 'x' && o.uuid == 'y')
object.spec.template.spec.containers.all(c, c.imag.startsWith('x'))
object.spec.containers.all(c, c.resources.limits.cpu == '1' || has(c.resources.claims[0].nam))
object.spec.containers.all(c, c.ports.all(p, p.containerPort == '80' || p.hostPort > 3.5))
object.spec.containers[0].livenessProbe.httpGet.port == 'x'
object.spec.strategy.rollingUpdate.maxSurge == 3
object.spec.strategy.rollingUpdate.maxSurge.x
object.data.all(k, v, v > 3)
object.binaryData['x'] == 'y'
object.spec.n == object.spec.f
object.spec.n == 'x' || object.spec.port == 1 || object.spec.port == 'x'
object.spec.any.x == 1
object.spec.loose.x == 1
object.spec.within.kind == 1 || object.spec.within.metadata.labels.x == 2
object.spec.a__dash__b == object.spec.__for__
object.spec.took > object.spec.__for__
object.spec.b == 'x'
object.spec.list[0].nme == '' || object.spec.map.x == ''
object.spec.versions[0].schema.openAPIV3Schema.properties.x.default == 1
object.spec.versions[0].schema.openAPIV3Schema.properties.x.type == 1
object.spec.hard['pods'] == '1'
object.spec.minAvailable == '30%'
object.spec.metrics[0].resource.target.averageValue == 'x'
object.status.conditions[0].typ == 'x'
object == oldObject
object == 1
object.spec == 1
object.kind == 1 || object.apiVersion == 2.5
params.data['x'] == 1
params.dat == 'x'
params.spec.n == 'x'
variables.typed == 1
variables.nested.replicass == 3
variables.wrong == 1
variables.none
request.name == 3
request.uid == ''
namespaceObject.metadata.labels.x == 2
namespaceObject.metadata.uid
authorizer.group('apps').resource('deployments').check('get').allowed()
authorizer.requestResource.check('get').allowed()
authorizer.path(3)
quantity(object.metadata.name).isGreaterThan(quantity('1')) && ip(object.metadata.generation)
object.spec.
nobody.x == 1
object.
  spec == 1
[1, 'a'].size() > 0
{'a': 1, 2: 'b'}.size() > 0
timestamp('x') < timestamp('2020-01-01T00:00:00Z')
'a'.matches('(')
` + "object.spec.replicas >\\\n 'a'"

// number is that in the name of a type, which is the time.
var number = regexp.MustCompile(`([A-Z][A-Za-z]+?)\d+\b`)

func TestTypeCheck(t *testing.T) {
	ctx := fixture.Context(t)
	url := fixture.Serve(t, core.Options{Controllers: true, CEL: evaluator.Evaluator{}}, httptest.NewServer)
	clients, err := kubernetes.NewForConfig(&rest.Config{Host: url, QPS: -1})
	if err != nil {
		t.Fatal(err)
	}
	define(ctx, t, clients)
	groups, err := restmapper.GetAPIGroupResources(clients.Discovery())
	if err != nil {
		t.Fatal(err)
	}
	checker := &validating.TypeChecker{RestMapper: restmapper.NewDiscoveryRESTMapper(groups),
		SchemaResolver: &documents{&resolver.ClientDiscoveryResolver{Discovery: clients.Discovery()}, map[string]answer{}}}
	policies := clients.AdmissionregistrationV1().ValidatingAdmissionPolicies()
	params := []*v1.ParamKind{nil, {APIVersion: "v1", Kind: "ConfigMap"}, {APIVersion: "example.com/v1", Kind: "Thing"},
		{APIVersion: "example.com/v1", Kind: "Nothing"}}
	found, i := 0, 0
	names := slices.Sorted(maps.Keys(matches))
	for _, text := range strings.Split(strings.ReplaceAll(expressions, "\\\n", "\r"), "\n") {
		text = strings.ReplaceAll(text, "\r", "\n")
		for range 3 { // not all: that takes long
			i++
			name := names[i%len(names)]
			rules := matches[name]
			p := policyOf(fmt.Sprint("p", i), rules, params[i/2%len(params)], text)
			made, err := policies.Create(ctx, p, metav1.CreateOptions{})
			if err != nil { // what does not compile without types is no policy
				continue
			}
			is := settled(ctx, t, clients, made.Name)
			want := v1.ValidatingAdmissionPolicyStatus{ObservedGeneration: 1,
				TypeChecking: &v1.TypeChecking{ExpressionWarnings: checker.Check(made)}}
			found += len(want.TypeChecking.ExpressionWarnings)
			if g, w := statusText(is.Status), statusText(want); g != w {
				t.Fatalf("%s, %s: the status is\n%s\nwant\n%s", name, text, g, w)
			}
		}
	}
	t.Logf("%d policies, %d warnings", i, found)
}

// A documents is a resolver that asks for each type once.
type documents struct {
	resolver.SchemaResolver
	known map[string]answer
}

type answer struct {
	schema *spec.Schema
	err    error
}

// ResolveSchema implements resolver.SchemaResolver.
func (d *documents) ResolveSchema(kind schema.GroupVersionKind) (*spec.Schema, error) {
	known, ok := d.known[kind.String()]
	if !ok {
		known.schema, known.err = d.SchemaResolver.ResolveSchema(kind)
		d.known[kind.String()] = known
	}
	return known.schema, known.err
}

func policyOf(name string, rules []v1.Rule, params *v1.ParamKind, text string) *v1.ValidatingAdmissionPolicy {
	p := &v1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: name}}
	p.Spec.ParamKind = params
	p.Spec.MatchConstraints = &v1.MatchResources{}
	for _, r := range rules {
		p.Spec.MatchConstraints.ResourceRules = append(p.Spec.MatchConstraints.ResourceRules, v1.NamedRuleWithOperations{
			RuleWithOperations: v1.RuleWithOperations{Operations: []v1.OperationType{v1.OperationAll}, Rule: r}})
	}
	p.Spec.Variables = []v1.Variable{{Name: "typed", Expression: "object.metadata.name"},
		{Name: "nested", Expression: "object.spec"}, {Name: "wrong", Expression: "object.speck.x"}}
	p.Spec.Validations = []v1.Validation{
		{Expression: "dyn(" + text + ") == 1", MessageExpression: "string(dyn(" + text + "))"},
		{Expression: "object.metadata.name != 'x'"},
	}
	return p
}

// define creates the definition, and waits until it is served.
func define(ctx context.Context, t testing.TB, clients *kubernetes.Clientset) {
	body, err := yaml.YAMLToJSON([]byte(definition))
	if err != nil {
		t.Fatal(err)
	}
	to := clients.AdmissionregistrationV1().RESTClient()
	if err := to.Post().AbsPath("/apis/apiextensions.k8s.io/v1/customresourcedefinitions").Body(body).Do(ctx).
		Error(); err != nil {
		t.Fatal(err)
	}
	for to.Get().AbsPath("/apis/example.com/v1/things").Do(ctx).Error() != nil {
		if ctx.Err() != nil {
			t.Fatal("the definition is not served")
		}
	}
}

// settled waits for the status of a policy.
func settled(ctx context.Context, t testing.TB, clients *kubernetes.Clientset,
	name string) *v1.ValidatingAdmissionPolicy {
	w, err := clients.AdmissionregistrationV1().ValidatingAdmissionPolicies().Watch(ctx,
		metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	for {
		select {
		case e := <-w.ResultChan():
			if p, ok := e.Object.(*v1.ValidatingAdmissionPolicy); ok && p.Status.ObservedGeneration > 0 {
				return p
			}
		case <-ctx.Done():
			t.Fatalf("%s has no status", name)
		}
	}
}

func statusText(s v1.ValidatingAdmissionPolicyStatus) string {
	text, _ := yaml.Marshal(s)
	return number.ReplaceAllString(string(text), "${1}N")
}
