package object

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/schema"
)

func typeOf(t testing.TB, path string) *schema.Type {
	t.Helper()
	parts := strings.Split(path, "/")
	typ := schema.TypeOf(parts[0], parts[1], parts[2])
	if typ == nil {
		t.Fatalf("no type %s", path)
	}
	return typ
}

// TestDecodeAsGoStructs compares with testdata/structs.jsonl: valid and invalid texts, with the
// results of Kubernetes' own structs after a round trip through its decoder, protobuf where it is
// stored so, and its encoder.
func TestDecodeAsGoStructs(t *testing.T) {
	f, err := os.Open("testdata/structs.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cases := 0
	for lines := bufio.NewScanner(f); lines.Scan(); cases++ {
		var c struct {
			Kind, In, Out string
			Problems      []string
			Err           string
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		typ := typeOf(t, c.Kind)
		obj, problems, err := Decode([]byte(c.In), typ)
		if text(err) != c.Err {
			t.Errorf("%s: error %v, want %s\n%s", c.Kind, err, c.Err, c.In)
			continue
		}
		if err != nil {
			continue
		}
		if !slices.Equal(problems, c.Problems) {
			t.Errorf("%s: problems %q, want %q\n%s", c.Kind, problems, c.Problems, c.In)
		}
		if got := string(Encode(nil, obj, typ)); got != c.Out {
			t.Errorf("%s:\n got %s\nwant %s", c.Kind, got, c.Out)
		}
	}
	if cases < 200 {
		t.Errorf("only %d cases", cases)
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestDecodeErrors(t *testing.T) {
	for _, c := range []struct{ kind, in, err string }{
		{"/v1/ConfigMap", `{"data":[]}`,
			"json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string"},
		{"/v1/ConfigMap", `{"data":{"a":1}}`,
			"json: cannot unmarshal number into Go struct field ConfigMap.data of type string"},
		{"/v1/ConfigMap", `{"metadata":{"name":true}}`,
			"json: cannot unmarshal bool into Go struct field ObjectMeta.metadata.name of type string"},
		{"/v1/ConfigMap", `{"metadata":{"creationTimestamp":"yesterday"}}`,
			`parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"`},
		{"/v1/ConfigMap", `[]`, "json: cannot unmarshal array into Go value of type v1.ConfigMap"},
		{"/v1/ConfigMap", ``, "unexpected end of JSON input"},
		{"/v1/ConfigMap", `{"data":{"a":1}`, "unexpected end of JSON input"},
		{"/v1/ConfigMap", `{"data":[]}x`, "invalid character 'x' after top-level value"},
		{"/v1/ConfigMap", `apiVersion: v1`, "invalid character 'a' looking for beginning of value"},
		{"apps/v1/Deployment", `{"metadata":"x"}`,
			"json: cannot unmarshal string into Go struct field Deployment.metadata of type v1.ObjectMeta"},
		{"apps/v1/Deployment", `{"spec":{"replicas":"3"}}`,
			"json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32"},
		{"/v1/Pod", `{"spec":{"terminationGracePeriodSeconds":1.5}}`,
			"json: cannot unmarshal number 1.5 into Go struct field PodSpec.spec.terminationGracePeriodSeconds of type int64"},
		{"/v1/Pod", `{"spec":{"containers":"c"}}`,
			"json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type []v1.Container"},
		{"/v1/Pod", `{"spec":{"volumes":[{"hostPath":{"path":1}}]}}`,
			"json: cannot unmarshal number into Go struct field " +
				"HostPathVolumeSource.spec.volumes.VolumeSource.hostPath.path of type string"},
		{"/v1/Pod", `{"spec":{"containers":[{"resources":{"limits":{"cpu":"many"}}}]}}`, errQuantityFormat.Error()},
		{"/v1/Pod", `{"spec":{"hostNetwork":1,"overhead":{"cpu":"1x"}}}`, errQuantityFormat.Error()},
		{"/v1/Service", `{"spec":{"ports":[{"port":3000000000}]}}`,
			"json: cannot unmarshal number 3000000000 into Go struct field ServicePort.spec.ports.port of type int32"},
		{"/v1/Service", `{"spec":{"ports":[{"targetPort":true}]}}`,
			"json: cannot unmarshal bool into Go struct field ServicePort.spec.ports.targetPort of type int32"},
		{"/v1/Pod", `{"metadata":{"deletionTimestamp":"9999-12-31T23:00:00-01:00"}}`,
			`parsing time "9999-12-31T23:00:00-01:00": year out of range`},
		{"/v1/Secret", `{"data":{"a":"!"}}`, "illegal base64 data at input byte 0"},
	} {
		obj, problems, err := Decode([]byte(c.in), typeOf(t, c.kind))
		if text(err) != c.err || obj != nil || problems != nil {
			t.Errorf("%s %s:\n got %v %v %v\nwant %s", c.kind, c.in, obj, problems, err, c.err)
		}
	}
	if _, _, err := Decode([]byte(`[]`),
		nil); text(err) != "json: cannot unmarshal array into Go value of type map[string]interface {}" {
		t.Error(err)
	}
}

func TestDecodeProblems(t *testing.T) {
	in := `{"spec":{"Replicas":1,"selector":{"matchLabels":{"a":"1","a":"2"}},
		"template":{"spec":{"containers":[{"ima":1,"ima":2}]}}},
		"x":{"y":1,"y":2},"data":0,"spec":{}}`
	_, problems, err := Decode([]byte(in), typeOf(t, "apps/v1/Deployment"))
	want := []string{
		`unknown field "spec.Replicas"`, `duplicate field "spec.selector.matchLabels.a"`,
		`unknown field "spec.template.spec.containers[0].ima"`,
		`unknown field "x"`, `unknown field "data"`, `duplicate field "spec"`,
	}
	if err != nil || !slices.Equal(problems, want) {
		t.Errorf("%q %v", problems, err)
	}
	obj, problems, err := Decode([]byte(`{"a":{"b":[1,{"c":1,"c":2}]},"a":1}`), nil)
	if err != nil || !slices.Equal(problems, []string{`duplicate field "a.b[1].c"`, `duplicate field "a"`}) ||
		!Equal(obj, map[string]any{"a": int64(1)}) {
		t.Errorf("%v %q %v", obj, problems, err)
	}
	var many strings.Builder
	for i := range 300 {
		many.WriteString(`"` + strings.Repeat("x", i+1) + `":1,`)
	}
	if _, problems, _ := Decode([]byte(`{`+many.String()+`"kind":"Pod"}`), typeOf(t, "/v1/Pod")); len(problems) != 100 {
		t.Errorf("%d problems", len(problems))
	}
}

func TestDecodeNormalises(t *testing.T) {
	for _, c := range []struct{ kind, in, out string }{
		{"/v1/ConfigMap", `null`, `{"metadata":{}}`},
		{"/v1/ConfigMap", `{"data":{},"immutable":false,"metadata":null}`, `{"metadata":{},"immutable":false}`},
		{"/v1/Secret", `{"data":{"a":null,"b":"","c":"YQ=="}}`, `{"metadata":{},"data":{"a":"","b":"","c":"YQ=="}}`},
		{"apps/v1/Deployment", `{"spec":{"replicas":0}}`,
			`{"metadata":{},"spec":{"replicas":0,"selector":null,"template":{"metadata":{},"spec":{"containers":null}},` +
				`"strategy":{}},"status":{}}`},
		{"rbac.authorization.k8s.io/v1/Role", `{"rules":[]}`, `{"metadata":{},"rules":null}`},
		{"/v1/Event", `{"eventTime":null}`,
			`{"metadata":{},"involvedObject":{},"source":{},"firstTimestamp":null,"lastTimestamp":null,"eventTime":null,` +
				`"reportingComponent":"","reportingInstance":""}`},
		{"apiextensions.k8s.io/v1/CustomResourceDefinition", `{"spec":{"versions":[]},"status":{"conditions":[]}}`,
			`{"metadata":{},"spec":{"group":"","names":{"plural":"","kind":""},"scope":"","versions":[]},` +
				`"status":{"conditions":[],"acceptedNames":{"plural":"","kind":""},"storedVersions":null}}`},
		{"autoscaling/v1/Scale", `{"spec":{"replicas":0},"status":{"replicas":0}}`,
			`{"metadata":{},"spec":{},"status":{"replicas":0}}`},
		{"meta.k8s.io/v1/DeleteOptions", `{"gracePeriodSeconds":0,"preconditions":{}}`,
			`{"gracePeriodSeconds":0,"preconditions":{}}`},
	} {
		typ := typeOf(t, c.kind)
		obj, _, err := Decode([]byte(c.in), typ)
		if err != nil {
			t.Errorf("%s %s: %v", c.kind, c.in, err)
			continue
		}
		if got := string(Encode(nil, obj, typ)); got != c.out {
			t.Errorf("%s %s:\n got %s\nwant %s", c.kind, c.in, got, c.out)
		}
	}
}

func TestDecodeDepth(t *testing.T) {
	for depth, want := range map[int]error{
		MaxDecoded - 1: nil, MaxDecoded: nil, MaxDecoded + 1: ErrTooDeep, 9000: ErrTooDeep, 20_000: ErrTooDeep,
	} {
		in := strings.Repeat("[", depth) + strings.Repeat("]", depth)
		if _, err := DecodeAny([]byte(in)); err != want {
			t.Errorf("depth %d: %v, want %v", depth, err, want)
		}
		revision := schema.TypeOf("apps", "v1", "ControllerRevision")
		for _, typ := range []*schema.Type{nil, schema.TypeOf("", "v1", "Pod"), revision} {
			in := strings.Repeat(`{"data":`, depth) + "1" + strings.Repeat("}", depth)
			if _, _, err := Decode([]byte(in), typ); err != want {
				t.Errorf("depth %d: %v, want %v", depth, err, want)
			}
		}
	}
}

func TestTypeMeta(t *testing.T) {
	for _, in := range []string{
		`{"kind":"Pod","apiVersion":"v1","spec":{"a":[1,2]}}`, `{}`, `null`, ` {"Kind":"Pod"} `, `{"kInd":"A","kind":"B"}`,
		`{"apiversion":"x"}`,
		`{"kind":null}`, `{"kind":"A","kind":"B"}`, `[]`, `{"kind":1}`, `{"kind":"Pod"`, ``, `{"kind":"Pod"}x`, `"x"`,
		`{"\u006bind":"Pod"}`, "{\"\u212aind\":\"Pod\"}",
	} {
		var want struct {
			APIVersion string `json:"apiVersion,omitempty"`
			Kind       string `json:"kind,omitempty"`
		}
		wantErr := json.Unmarshal([]byte(in), &want)
		apiVersion, kind, err := TypeMeta([]byte(in))
		if text(err) != text(wantErr) || err == nil && (apiVersion != want.APIVersion || kind != want.Kind) {
			t.Errorf("%s: %q %q %v, want %+v %v", in, apiVersion, kind, err, want, wantErr)
		}
	}
}

var jsonSeeds = []string{
	`{}`, `[]`, `null`, `true`, `-0`, `1e400`, `1.5e-9`, `12345678901234567890`, `"\ud83d\ude00\ud800x"`, `"\u00e9\/"`,
	"\"\xff\"", `{"a":{"a":1,"a":[null,false]},"":0}`,
	` { "kind" : "Pod" , "spec":{"containers":[{"name":"c","ports":[{"containerPort":80}]}],"overhead":{"cpu":"0.5"}} } `,
	`{"metadata":{"creationTimestamp":"2020-01-02T03:04:05+01:00"}}`,
	`{"a":}`, `{,}`, `[1,]`, `[1 2]`, `{"a" 1}`, `01`, `1.`, `.5`, `+1`, `nul`, `"`, "\"\n\"", `"\x"`, `"\u12g4"`,
	`{"a":1}}`, "\ufeff{}",
}

// FuzzDecodeAny checks that exactly what encoding/json accepts is read, with the same result.
func FuzzDecodeAny(f *testing.F) {
	for _, s := range jsonSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var want any
		wantErr := json.Unmarshal(data, &want)
		got, err := DecodeAny(data)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("error %v, encoding/json %v", err, wantErr)
		}
		if err != nil {
			if !strings.Contains(wantErr.Error(), "unmarshal number") && err.Error() != wantErr.Error() {
				t.Fatalf("error %v, encoding/json %v", err, wantErr)
			}
			return
		}
		if !reflect.DeepEqual(floats(got), want) {
			t.Fatalf("%#v, encoding/json %#v", got, want)
		}
		text := EncodeAny(nil, got)
		std, err := json.Marshal(got)
		if err != nil || string(text) != string(std) {
			t.Fatalf("encoded %s, encoding/json %s %v", text, std, err)
		}
	})
}

// floats converts integers to floats, as encoding/json reads them.
func floats(v any) any {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case []any:
		for i := range v {
			v[i] = floats(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = floats(v[k])
		}
	}
	return v
}

// FuzzDecode checks that a typed reading accepts only JSON, gives encoding/json's error otherwise,
// and that reading its result again changes nothing.
func FuzzDecode(f *testing.F) {
	for _, s := range jsonSeeds {
		f.Add([]byte(s), "/v1/Pod")
		f.Add([]byte(s), "apiextensions.k8s.io/v1/CustomResourceDefinition")
	}
	f.Fuzz(func(t *testing.T, data []byte, kind string) {
		parts := strings.SplitN(kind, "/", 3)
		if len(parts) != 3 {
			return
		}
		typ := schema.TypeOf(parts[0], parts[1], parts[2])
		if typ == nil {
			return
		}
		obj, _, err := Decode(data, typ)
		var raw json.RawMessage
		if wrong := json.Unmarshal(data, &raw); wrong != nil {
			if text(err) != wrong.Error() {
				t.Fatalf("error %v, encoding/json %v", err, wrong)
			}
			return
		}
		if err != nil {
			return
		}
		first := string(Encode(nil, obj, typ))
		again, problems, err := Decode([]byte(first), typ)
		if err != nil || problems != nil {
			t.Fatalf("%s: %v %v", first, problems, err)
		}
		if second := string(Encode(nil, again, typ)); second != first {
			t.Fatalf("first %s, then %s", first, second)
		}
		if _, _, err := TypeMeta(data); err == nil {
			var std struct{ APIVersion, Kind string }
			if json.Unmarshal(data, &std) != nil {
				t.Fatal("TypeMeta accepts what encoding/json does not")
			}
		}
	})
}

func TestFloats(t *testing.T) {
	for _, f := range []float64{0, 1, -1.5, 1e20, 1e21, 1e-6, 1e-7, 5e-324, math.MaxFloat64, 123456789.125} {
		want, _ := json.Marshal(f)
		if got := EncodeAny(nil, f); string(got) != string(want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
