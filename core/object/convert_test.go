package object

import (
	"slices"
	"strings"
	"testing"
)

func TestConvert(t *testing.T) {
	deployment := typeOf(t, "apps/v1/Deployment")
	for _, test := range []struct{ tree, want, unknown, err string }{
		{`{"spec":{"replicas":2.0}}`, `"replicas":2`, "", ""},
		{`{"spec":{"replicas":4294967297}}`, `"replicas":1`, "", ""},
		{`{"spec":{"replicas":null,"paused":true}}`, `"paused":true`, "", ""},
		{`{"spec":{"strategy":{"rollingUpdate":{"maxSurge":1,"maxUnavailable":"25%"}}}}`,
			`{"maxUnavailable":"25%","maxSurge":1}`, "", ""},
		{`{"z":1,"spec":{"foo":1,"template":{"spec":{"containers":[{"name":"a"},{"imag":"y"}]}}}}`, `"name":"a"`,
			`unknown field "spec.foo"|unknown field "spec.template.spec.containers[1].imag"|unknown field "z"`, ""},
		{`{"spec":{"template":{"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"1000m"}}}]}}}}`, `"cpu":"1"`,
			"", ""},

		{`{"spec":{"replicas":2.5}}`, "", "", "cannot convert float64 to int32"},
		{`{"spec":{"replicas":"2"}}`, "", "", "unrecognized type: int32"},
		{`{"spec":{"paused":"x"}}`, "", "", "unrecognized type: bool"},
		{`{"metadata":{"name":1}}`, "", "", "cannot convert int64 to string"},
		{`{"metadata":{"name":true}}`, "", "", "unrecognized type: string"},
		{`{"metadata":{"labels":"x"}}`, "", "", "cannot restore map from string"},
		{`{"metadata":{"labels":{"a":1}}}`, "", "", "cannot convert int64 to string"},
		{`{"metadata":{"finalizers":{"a":1}}}`, "", "", "cannot restore slice from map"},
		{`{"spec":[]}`, "", "", "cannot restore struct from: slice"},
		// The first field of the Go type, not of the text.
		{`{"status":1,"spec":true}`, "", "", "cannot restore struct from: bool"},
		{`{"metadata":{"creationTimestamp":"x"}}`, "", "",
			`parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"`},
		{`{"metadata":{"creationTimestamp":{}}}`, "", "", "json: cannot unmarshal object into Go value of type string"},
		{`{"spec":{"strategy":{"rollingUpdate":{"maxSurge":[]}}}}`, "", "",
			"json: cannot unmarshal array into Go value of type int32"},
		{`{"spec":{"template":{"spec":{"containers":[{"resources":{"limits":{"cpu":"x"}}}]}}}}`, "", "",
			"quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"},
	} {
		tree, _, err := Decode([]byte(test.tree), nil)
		if err != nil {
			t.Fatal(err)
		}
		obj, unknown, err := Convert(tree, deployment, nil)
		if err != nil {
			if err.Error() != test.err {
				t.Errorf("%s: %v\nwant %s", test.tree, err, test.err)
			}
			continue
		}
		text := string(Encode(nil, obj, deployment))
		if test.err != "" || !strings.Contains(text, test.want) || strings.Join(unknown, "|") != test.unknown {
			t.Errorf("%s: %s, %q\nwant %s, %q, %s", test.tree, text, unknown, test.want, test.unknown, test.err)
		}
	}
}

func TestConvertBytes(t *testing.T) {
	secret := typeOf(t, "/v1/Secret")
	for tree, want := range map[string]string{
		`{"data":{"a":"eA=="}}`:    "eA==",
		`{"data":{"a":[120,376]}}`: "eHg=",
		`{"data":{"a":[null]}}`:    "AA==",
		`{"data":{"a":["x"]}}`:     "unrecognized type: uint8",
		`{"data":{"a":"!"}}`:       "error decoding from json: illegal base64 data at input byte 0",
		`{"data":{"a":7}}`:         "cannot restore slice from int64",
	} {
		root, _, _ := Decode([]byte(tree), nil)
		obj, _, err := Convert(root, secret, nil)
		if got := GetString(obj, "data", "a"); got != want && (err == nil || err.Error() != want) {
			t.Errorf("%s: %q, %v", tree, got, err)
		}
	}
}

// FuzzConvert checks that the result has the type.
func FuzzConvert(f *testing.F) {
	f.Add([]byte(`{"kind":"Pod","spec":{"containers":[{"name":"a","ports":[{"containerPort":80.0}]}],"x":null},` +
		`"metadata":{"creationTimestamp":"2026-01-01T00:00:00Z"}}`))
	f.Add([]byte(`{"spec":{"volumes":[{"emptyDir":{"sizeLimit":1e3}}],"activeDeadlineSeconds":1e19},"status":[]}`))
	pod := typeOf(f, "/v1/Pod")
	f.Fuzz(func(t *testing.T, text []byte) {
		tree, _, err := Decode(text, nil)
		if err != nil {
			return
		}
		obj, unknown, err := Convert(tree, pod, nil)
		if err != nil {
			return
		}
		if !slices.IsSorted(unknown) {
			t.Errorf("problems are not sorted: %q", unknown)
		}
		again, problems, err := Normalize(obj, pod)
		if err != nil || len(problems) > 0 || !Equal(again, obj) {
			t.Errorf("%v, %q, %v", again, problems, err)
		}
	})
}
