package object

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/tabernetes/tabernetes/core/schema"
)

func TestEncodeWritesMandatoryFields(t *testing.T) {
	for _, c := range []struct {
		kind string
		obj  map[string]any
		want string
	}{
		{"apps/v1/Deployment", map[string]any{"metadata": map[string]any{"name": "a", "labels": map[string]any{}},
			"kind": "Deployment", "spec": map[string]any{"paused": false, "replicas": 0}},
			`{"kind":"Deployment","metadata":{"name":"a"},"spec":{"replicas":0,"selector":null,"template":{"metadata":{},` +
				`"spec":{"containers":null}},"strategy":{}},"status":{}}`},
		{"/v1/ConfigMap", map[string]any{"zz": int64(1), "aa": "<", "data": map[string]any{"b": "2", "a": nil}},
			`{"metadata":{},"data":{"a":"","b":"2"},"aa":"\u003c","zz":1}`},
		{"rbac.authorization.k8s.io/v1/Role", map[string]any{"rules": []any{}}, `{"metadata":{},"rules":null}`},
		{"/v1/Pod", map[string]any{"spec": "odd"}, `{"metadata":{},"spec":"odd","status":{}}`},
		{"meta.k8s.io/v1/Status", map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure",
			"code": int64(404), "details": map[string]any{"name": "a"}},
			`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","details":{"name":"a"},"code":404}`},
	} {
		if got := string(Encode(nil, c.obj, typeOf(t, c.kind))); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.kind, got, c.want)
		}
	}
	if got := string(Encode([]byte("x"), map[string]any{"b": []any{nil, true}, "a": 1.0, "metadata": map[string]any{}},
		nil)); got != `x{"a":1,"b":[null,true],"metadata":{}}` {
		t.Error(got)
	}
}

// The result is the same whether a struct is encoded by its fields or by those of the object.
func TestMembersOf(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, kind := range []string{"/v1/Pod", "apps/v1/Deployment", "/v1/Node", "/v1/ConfigMap"} {
		root := typeOf(t, kind)
		for _, structure := range []string{"metadata", "spec", "status"} {
			if root.Field(structure) == nil {
				continue
			}
			is := root.Field(structure).Type
			for range 200 {
				m := map[string]any{"unknown": 1}
				for range random.IntN(len(is.Fields)) {
					f := is.Fields[random.IntN(len(is.Fields))]
					m[f.Name] = f.Name
				}
				var want []member
				for i, f := range is.Fields {
					if v, ok := m[f.Name]; ok || f.AlwaysWritten() {
						want = append(want, member{i, v})
					}
				}
				got, known := membersOf(nil, m, is)
				got = deleteAbsent(got, is, m)
				if known != len(m)-1 || !reflect.DeepEqual(got, want) {
					t.Fatalf("%s.%s %v: %d known, %v, want %v", kind, structure, m, known, got, want)
				}
			}
		}
	}
}

// deleteAbsent removes the members that are not written.
func deleteAbsent(members []member, is *schema.Type, m map[string]any) (left []member) {
	for _, one := range members {
		f := is.Fields[one.position]
		if _, ok := m[f.Name]; ok || f.AlwaysWritten() {
			left = append(left, one)
		}
	}
	return left
}

func TestNormalize(t *testing.T) {
	obj := map[string]any{"spec": map[string]any{"containers": []any{map[string]any{"name": "c",
		"resources": map[string]any{"limits": map[string]any{"cpu": "0.5"}}, "bad": true}}}}
	got, problems, err := Normalize(obj, typeOf(t, "/v1/Pod"))
	if err != nil || len(problems) != 1 {
		t.Fatal(problems, err)
	}
	containers := GetList(got, "spec", "containers")
	if cpu := GetString(containers[0].(map[string]any), "resources", "limits", "cpu"); cpu != "500m" {
		t.Error(cpu)
	}
}

func TestYAML(t *testing.T) {
	got, err := YAMLToJSON([]byte("a: y\nb: [1, 2.5]\nc: 'x'\n---\nsecond: true\n"))
	if err != nil || string(got) != `{"a":true,"b":[1,2.5],"c":"x"}` {
		t.Errorf("%s %v", got, err)
	}
	if _, err := YAMLToJSON([]byte("a: [")); err == nil {
		t.Error("bad YAML is fine")
	}
	twice := []byte("a: 1\nb: 2\na: 3\n")
	if got, err := YAMLToJSON(twice); err != nil || string(got) != `{"a":3,"b":2}` {
		t.Errorf("%s %v", got, err)
	}
	if err := YAMLProblem(twice); err == nil ||
		err.Error() != "yaml: unmarshal errors:\n  line 3: key \"a\" already set in map" {
		t.Errorf("%v", err)
	}
	if YAMLProblem([]byte("a: 1")) != nil {
		t.Error("a problem with nothing wrong")
	}
}
