package core

import (
	"encoding/binary"
	"fmt"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/protobuf"
)

const (
	podsPath   = "/api/v1/namespaces/default/pods"
	manyPath   = "/apis/stable.example.com/v1/namespaces/default/manies"
	yamlMedia  = "application/yaml"
	protoMedia = "application/vnd.kubernetes.protobuf"
	cborMedia  = "application/cbor"
	cborApply  = "application/apply-patch+cbor"
)

// A manyBody is a request whose body has about as many values as one of its length can, from so many items.
type manyBody struct {
	method, path, media string
	body                func(n int) string
}

// manyBodies are requests in all encodings, in which an item is one value of two, or an empty object or list, which
// counts as two.
func manyBodies() map[string]manyBody {
	const pod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"},"spec":{"containers":[`
	in := func(before, item, after string) func(int) string {
		return func(n int) string { return before + strings.Repeat(item+",", n-1) + item + after }
	}
	message := func(kind, raw string) string { return string(protobuf.Envelope("v1", kind, []byte(raw))) }
	part := func(number int, value string) string {
		return string(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(number<<3|2)), uint64(len(value)))) + value
	}
	text := func(s string) string { return string(append([]byte{0x78, byte(len(s))}, s...)) }
	inCBOR := func(item string) func(int) string {
		return func(n int) string {
			return "\xa4" + text("apiVersion") + text("v1") + text("kind") + text("Pod") + text("metadata") +
				"\xa1" + text("name") + text("x") + text("spec") + "\xa1" + text("containers") +
				"\x9f" + strings.Repeat(item, n) + "\xff"
		}
	}
	const plainConfigMap = "/kube-root-ca.crt"
	return map[string]manyBody{
		"JSON":           {"POST", podsPath, asJSON, in(pod, "{}", "]}}")},
		"JSON, lists":    {"POST", podsPath, asJSON, in(pod, "[]", "]}}")},
		"JSON, no field": {"POST", configMaps, asJSON, in(`{"metadata":{"name":"x"},"none":[`, "{}", "]}")},
		"JSON, entries of a map": {"POST", configMaps, asJSON, func(n int) string {
			return `{"metadata":{"name":"x"},"data":{` + many(2*n, `"#":""`) + "}}"
		}},
		"YAML, flow":  {"POST", podsPath, yamlMedia, in("# y\n"+pod, "{}", "]}}")},
		"YAML, plain": {"POST", podsPath, yamlMedia, in(pod, "{}", "]}}")},
		"YAML, block": {"POST", podsPath, yamlMedia, func(n int) string {
			return "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec:\n containers:\n" + strings.Repeat(" -\n", 2*n)
		}},
		"YAML, aliases": {"POST", podsPath, yamlMedia, func(n int) string {
			few := strings.Repeat("{},", n/8)
			return "a: &a [" + few + "]\nb: [*a, *a, *a, *a, *a, *a, *a]\napiVersion: v1\nkind: Pod\nmetadata: {name: x}\n"
		}},
		"protobuf": {"POST", podsPath, protoMedia, func(n int) string {
			return message("Pod", part(1, part(1, "x"))+part(2, strings.Repeat("\x12\x00", n)))
		}},
		"protobuf, entries of a map": {"POST", configMaps, protoMedia, func(n int) string {
			return message("ConfigMap", part(1, part(1, "x"))+strings.Repeat("\x12\x00", 2*n))
		}},
		"protobuf, JSON in it": {"POST", revisions, protoMedia, func(n int) string {
			return string(protobuf.Envelope("apps/v1", "ControllerRevision",
				[]byte(part(1, part(1, "x"))+part(2, part(1, "["+strings.Repeat("{},", n)+"{}]")))))
		}},
		"CBOR":           {"POST", podsPath, cborMedia, inCBOR("\xa0")},
		"CBOR, tags":     {"POST", podsPath, cborMedia, inCBOR("\xd9\xd9\xf7\xa0")},
		"CBOR, endless":  {"POST", podsPath, cborMedia, inCBOR("\xbf\xff")},
		"merge patch":    {"PATCH", configMaps + plainConfigMap, asMerge, in(`{"none":[`, "{}", "]}")},
		"merge of a Pod": {"PATCH", podsPath + "/one", asMerge, in(`{"spec":{"containers":[`, "{}", "]}}")},
		"strategic merge patch": {"PATCH", podsPath + "/one", asStrategic,
			in(`{"spec":{"containers":[{"name":"c","args":[`, `"",""`, "]}]}}")},
		"JSON patch": {"PATCH", configMaps + plainConfigMap, asPatch, in("[", "{}", "]")},
		"JSON patch, a value": {"PATCH", configMaps + plainConfigMap, asPatch,
			in(`[{"op":"add","path":"/none","value":[`, "{}", "]}]")},
		"JSON patch, copies": {"PATCH", manyPath + "/one", asPatch, func(n int) string {
			return in(`[{"op":"add","path":"/none","value":[`, "{}", "]}")(n/8) +
				strings.Repeat(`,{"op":"copy","from":"/none","path":"/none/-"}`, 3) + "]"
		}},
		"apply":         {"PATCH", podsPath + "/x?fieldManager=m", asApply, in(pod, "{}", "]}}")},
		"apply in CBOR": {"PATCH", podsPath + "/x?fieldManager=m", cborApply, inCBOR("\xa0")},
		"custom": {"POST", manyPath, asJSON,
			in(`{"apiVersion":"stable.example.com/v1","kind":"Many","metadata":{"name":"x"},"l":[`, "{}", "]}")},
		"custom, merge patch": {"PATCH", manyPath + "/one", asMerge, in(`{"l":[`, "{}", "]}")},
		"options of a deletion": {"DELETE", configMaps + "/none", asJSON,
			in(`{"kind":"DeleteOptions","apiVersion":"v1","dryRun":[`, `"",""`, "]}")},
		"a collection's options": {"DELETE", configMaps + "?dryRun=All", asJSON, in(`{"none":[`, "{}", "]}")},
		"a review": {"POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", asJSON,
			in(`{"spec":{"none":[`, "{}", "]}}")},
		"a definition": {"POST", definitions, asJSON,
			in(`{"metadata":{"name":"x.example.com"},"spec":{"versions":[`, "{}", "]}}")},
	}
}

// newManyCluster has what manyBodies need: a Pod, and objects of a type whose items have many defaults.
func newManyCluster(t *testing.T) *Cluster {
	c, _ := newCluster(t, Options{})
	setSpec(t, c, `{"featureGates":{"CBORServingAndStorage":true}}`)
	must(t, c, 201, "POST", podsPath, `{"metadata":{"name":"one"},"spec":{"containers":[{"name":"c","image":"i"}]}}`)
	items := `{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{` +
		many(100, `"p#":{"type":"integer","default":1}`) + `}}`
	must(t, c, 201, "POST", definitions,
		`{"metadata":{"name":"manies.stable.example.com"},"spec":{"group":"stable.example.com","scope":"Namespaced",
		"names":{"plural":"manies","singular":"many","kind":"Many"},"versions":[{"name":"v1","served":true,"storage":true,
		"schema":{"openAPIV3Schema":{"type":"object","properties":{"l":{"type":"array","items":{"type":"object",
		"x-kubernetes-preserve-unknown-fields":true}},"d":{"type":"array","items":`+items+`},"m":{"type":"object",
		"additionalProperties":{"type":"array","items":{"type":"integer"}}}}}}}]}}`)
	condition(t, c, "manies", "Established", "True")
	must(t, c, 201, "POST", manyPath, `{"apiVersion":"stable.example.com/v1","kind":"Many","metadata":{"name":"one"}}`)
	return c
}

// TestManyValuesInEveryEncoding sends bodies with more values than a request may have. All are refused with the same
// error, before they cost what objects of them would. Fewer are not.
func TestManyValuesInEveryEncoding(t *testing.T) {
	if runtime.GOARCH == "wasm" {
		t.Skip("the limit is the same there, and reaching it takes a minute")
	}
	const most = 64 << 20 // bytes allocated; objects of the values would be hundreds of megabytes
	c := newManyCluster(t)
	for name, test := range manyBodies() {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{object.MaxValues/2 + 1, 400_000} {
				body := test.body(n)
				var w *httptest.ResponseRecorder
				took := apitest.Allocated(func() { w = apitest.Do(c, test.method, test.path, body, "Content-Type", test.media) })
				s, _, err := object.Decode(w.Body.Bytes(), nil)
				if w.Code != 413 || err != nil || s["reason"] != "RequestEntityTooLarge" ||
					!strings.HasSuffix(fmt.Sprint(s["message"]), object.ErrTooMany.Error()) && len(body) < 3<<20 {
					t.Errorf("%d items: %d %.300s", n, w.Code, w.Body)
				}
				if took > most {
					t.Errorf("%d items: %d MB were allocated", n, took>>20)
				}
			}
			if w := apitest.Do(c, test.method, test.path, test.body(2_000), "Content-Type", test.media); w.Code == 413 {
				t.Errorf("2000 items: %.300s", w.Body)
			}
		})
	}
}

// TestLargeObjects has what people and programs store at most taken: it is far from the limit of values.
func TestLargeObjects(t *testing.T) {
	c := newManyCluster(t)
	const variable = `{"name":"E#","value":"v"}`
	for name, q := range map[string]struct{ path, body string }{
		"a ConfigMap of a megabyte": {configMaps, configMap("m", strings.Repeat("x", 1<<20-100))},
		"a ConfigMap of many keys":  {configMaps, `{"metadata":{"name":"k"},"data":{` + many(75_000, `"key-#":"#"`) + "}}"},
		"a Secret": {"/api/v1/namespaces/default/secrets",
			`{"metadata":{"name":"s"},"data":{` + many(10_000, `"key-#":"`+strings.Repeat("eHh4", 30)+`"`) + "}}"},
		"a definition of many properties": {definitions, `{"metadata":{"name":"wides.stable.example.com"},"spec":{
			"group":"stable.example.com","scope":"Namespaced","names":{"plural":"wides","singular":"wide","kind":"Wide"},
			"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{` +
			many(15_000, `"p#":{"type":"string","description":"a property"}`) + "}}}}]}}"},
		"a Pod of many variables": {podsPath, `{"metadata":{"name":"v"},"spec":{"containers":[{"name":"c","image":"i",` +
			`"env":[` + many(10_000, variable) + "]}]}}"},
		"owned by many managers": {configMaps, `{"metadata":{"name":"f","managedFields":[` + many(10_000, `{"manager":"m#",`+
			`"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:k#":{}}}}`) + "]}}"},
		"many numbers": {manyPath, `{"apiVersion":"stable.example.com/v1","kind":"Many","metadata":{"name":"n"},"m":{"a":[` +
			many(200_000, "#") + "]}}"},
	} {
		if code, answer := call(t, c, "POST", q.path, q.body); code != 201 {
			t.Errorf("%s: %d %.300s", name, code, answer)
		}
	}
}

// TestManyDefaults has objects refused that have few values, and many defaults.
func TestManyDefaults(t *testing.T) {
	c := newManyCluster(t)
	for n, want := range map[int]int{1_000: 201, 3_000: 422, 60_000: 422} {
		body := fmt.Sprintf(`{"apiVersion":"stable.example.com/v1","kind":"Many","metadata":{"name":"d%d"},"d":[%s{}]}`, n,
			strings.Repeat("{},", n))
		var code int
		var answer string
		took := apitest.Allocated(func() { code, answer = call(t, c, "POST", manyPath, body) })
		if code != want || want == 422 && (!strings.Contains(answer, object.ErrTooMany.Error()) || took > 160<<20) {
			t.Errorf("%d objects: %d %.300s, %d MB", n, code, answer, took>>20)
		}
	}
}

// TestManyDefaultsInAStatus has a status refused that has few values, and many defaults.
func TestManyDefaultsInAStatus(t *testing.T) {
	c, _ := newCluster(t, Options{})
	must(t, c, 201, "POST", definitions, `{"metadata":{"name":"manies.stable.example.com"},"spec":{
		"group":"stable.example.com","scope":"Namespaced","names":{"plural":"manies","singular":"many","kind":"Many"},
		"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{
		"type":"object","properties":{"status":{"type":"array","items":{"type":"object","properties":{`+
		many(100, `"p#":{"type":"integer","default":1}`)+`}}}}}}}]}}`)
	condition(t, c, "manies", "Established", "True")
	const body = `{"apiVersion":"stable.example.com/v1","kind":"Many","metadata":{"name":"one"},"status":[%s{}]}`
	must(t, c, 201, "POST", manyPath, fmt.Sprintf(body, ""))
	for n, want := range map[int]int{100: 200, 3_000: 422} {
		_, answer := call(t, c, "GET", manyPath+"/one", "")
		obj, _, _ := object.Decode([]byte(answer), nil) // it is an object
		version := object.GetString(obj, "metadata", "resourceVersion")
		must(t, c, want, "PUT", manyPath+"/one/status", strings.Replace(fmt.Sprintf(body, strings.Repeat("{},", n)),
			`"name":"one"`, `"name":"one","resourceVersion":"`+version+`"`, 1))
	}
}

// TestManyViolations has the first of the violations listed if there are very many. Each of these entries has two.
func TestManyViolations(t *testing.T) {
	c, _ := newCluster(t, Options{})
	for n, want := range map[int]int{9_000: 18_000, 100_000: field.MaxErrors} {
		code, answer := call(t, c, "POST", configMaps, `{"metadata":{"name":"x","finalizers":[`+
			strings.Repeat(`"_",`, n-1)+`"_"]}}`)
		if got := strings.Count(answer, `"reason":"FieldValueInvalid"`); code != 422 || got != want {
			t.Errorf("%d violations: %d, %d are listed", n, code, got)
		}
	}
}

// TestManyApplies has managers add to an object until it has more values than one may have.
func TestManyApplies(t *testing.T) {
	c := newManyCluster(t)
	for n, want := range []int{201, 200, 200, 413} {
		w := apitest.Do(c, "PATCH", fmt.Sprintf("%s/x?fieldManager=m%d", manyPath, n), fmt.Sprintf(
			`{"apiVersion":"stable.example.com/v1","kind":"Many","metadata":{"name":"x"},"m":{"m%d":[%s1]}}`, n,
			strings.Repeat("1,", 80_000)), "Content-Type", asApply)
		if w.Code != want {
			t.Errorf("apply %d: %d %.300s", n, w.Code, w.Body)
		}
	}
}
