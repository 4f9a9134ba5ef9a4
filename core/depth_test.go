package core

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/protobuf"
	"github.com/tabernetes/tabernetes/core/schema"
)

const revisions = "/apis/apps/v1/namespaces/default/controllerrevisions"

// brackets returns a list of so many levels.
func brackets(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }

// A deepBody is a request whose body nests n levels deep.
type deepBody struct {
	method, path, media string
	body                func(n int) string
	code                int // for a body at the limit
}

// deepBodies are requests in all encodings. Their bodies are written without anything that calls itself for each level.
func deepBodies() map[string]deepBody {
	const head = "apiVersion: apps/v1\nkind: ControllerRevision\nmetadata: {generateName: a-}\nrevision: 1\n"
	inYAML := func(before, after string, data func(n int) string) func(int) string {
		return func(n int) string { return before + head + after + "data:\n  a: " + data(n-2) }
	}
	inJSON := func(n int) string {
		return `{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"generateName":"a-"},"revision":1,` +
			`"data":{"a":` + brackets(n-2) + `}}`
	}
	inUTF16 := func(order binary.AppendByteOrder) func(int) string {
		return func(n int) string {
			var b []byte
			for _, unit := range append([]uint16{0xfeff}, utf16.Encode([]rune(inYAML("# \"\n", "", brackets)(n)))...) {
				b = order.AppendUint16(b, unit)
			}
			return string(b)
		}
	}
	message := func(n int) string {
		t := schema.TypeOf("apps", "v1", "ControllerRevision")
		field := func(number int, value string) string {
			return string(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(number<<3|2)), uint64(len(value)))) + value
		}
		m := field(t.Field("metadata").Proto, field(2, "a-")) +
			field(t.Field("data").Proto, field(1, `{"a":`+brackets(n-2)+`}`))
		return string(protobuf.Envelope("apps/v1", "ControllerRevision", []byte(m)))
	}
	inCBOR := func(n int) string {
		text := func(s string) string { return string(append([]byte{0x78, byte(len(s))}, s...)) }
		return "\xa5" + text("apiVersion") + text("apps/v1") + text("kind") + text("ControllerRevision") + text("metadata") +
			"\xa1" + text("generateName") + text("a-") + text("revision") + "\x01" + text("data") + "\xa1" + text("a") +
			strings.Repeat("\x81", n-2) + "\x01"
	}
	post := func(media string, body func(int) string) deepBody {
		return deepBody{"POST", revisions, media, body, 201}
	}
	patch := func(media, format string) deepBody {
		before, _, _ := strings.Cut(format, "%s")
		outside := strings.Count(before, "{") + strings.Count(before, "[")
		body := func(n int) string { return fmt.Sprintf(format, brackets(n-outside)) }
		return deepBody{"PATCH", revisions + "/a", media, body, 422} // the data may not change
	}
	aliases := func(n int) string {
		const each = 10
		var b strings.Builder
		b.WriteString("[&a0 []")
		for i := range (n - 2) / each {
			fmt.Fprintf(&b, ", &a%d %s*a%d%s", i+1, strings.Repeat("[", each), i, strings.Repeat("]", each))
		}
		return b.String() + "]"
	}
	return map[string]deepBody{
		"JSON":                post("application/json", inJSON),
		"YAML":                post("application/yaml", inYAML("", "", brackets)),
		"YAML after a quote":  post("application/yaml", inYAML("# \"\n", "", brackets)),
		"YAML after a letter": post("application/yaml?fieldValidation=Ignore", inYAML("é: a\n", "", brackets)),
		"YAML after a mark":   post("application/yaml", inYAML("\ufeff", "", brackets)),
		"YAML after a text":   post("application/yaml?fieldValidation=Ignore", inYAML("", "b: 5\" x\n", brackets)),
		"YAML after a block":  post("application/yaml?fieldValidation=Ignore", inYAML("", "b: |\n  \"\n", brackets)),
		"YAML of entries": post("application/yaml", inYAML("", "", func(n int) string {
			return "\n    " + strings.Repeat("- ", n) + "1"
		})),
		"YAML with aliases":     post("application/yaml", inYAML("", "", aliases)),
		"YAML in UTF-16":        post("application/yaml", inUTF16(binary.LittleEndian)),
		"YAML in UTF-16, big":   post("application/yaml", inUTF16(binary.BigEndian)),
		"protobuf":              post("application/vnd.kubernetes.protobuf", message),
		"CBOR":                  post("application/cbor", inCBOR),
		"JSON patch":            patch("application/json-patch+json", `[{"op":"add","path":"/data","value":%s}]`),
		"merge patch":           patch("application/merge-patch+json", `{"data":{"b":%s}}`),
		"strategic merge patch": patch("application/strategic-merge-patch+json", `{"data":{"c":%s}}`),
		"apply": {"PATCH", revisions + "/b?fieldManager=m", "application/apply-patch+yaml", func(n int) string {
			return strings.Replace(inYAML("# '\n", "", brackets)(n), "generateName: a-", "name: b", 1)
		}, 201},
		"apply in CBOR": {"PATCH", revisions + "/c?fieldManager=m", "application/apply-patch+cbor", func(n int) string {
			return strings.NewReplacer("\x78\x0cgenerateName", "\x78\x04name", "\x78\x02a-", "\x78\x01c").Replace(inCBOR(n))
		}, 201},
		"options of a deletion": {"DELETE", revisions + "/none", "application/yaml", func(n int) string {
			return "# \"\nkind: DeleteOptions\na:\n  " + brackets(n-1)
		}, 404},
		"managedFields": {"POST", configMaps, "application/json", func(n int) string {
			const outside = 4
			return `{"metadata":{"generateName":"m-","managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1",` +
				`"fieldsType":"FieldsV1","fieldsV1":` + strings.Repeat(`{"f:data":`, n-outside-1) + "{}" +
				strings.Repeat("}", n-outside-1) + `}]}}`
		}, 201},
	}
}

// TestDepthInEveryEncoding sends bodies that nest too deep for the stacks there are. All are refused with the same
// error, before anything calls itself for each level. It also runs in js/wasm, where the program ends if not.
func TestDepthInEveryEncoding(t *testing.T) {
	c, _ := newCluster(t, Options{})
	setSpec(t, c, `{"featureGates":{"CBORServingAndStorage":true}}`)
	must(t, c, 201, "POST", revisions, `{"metadata":{"name":"a"},"revision":1,"data":{}}`)
	for name, test := range deepBodies() {
		t.Run(name, func(t *testing.T) {
			send := func(n int) *httptest.ResponseRecorder {
				media, query, _ := strings.Cut(test.media, "?")
				path := test.path
				if query != "" {
					path += "?" + query
				}
				return apitest.Do(c, test.method, path, test.body(n), "Content-Type", media)
			}
			if w := send(object.MaxDepth); w.Code != test.code {
				t.Errorf("at the limit: %d %.300s", w.Code, w.Body)
			}
			for _, n := range []int{object.MaxDepth + 20, 4000, 9000} {
				w := send(n)
				var s map[string]any
				s, _, err := object.Decode(w.Body.Bytes(), nil)
				if w.Code != 400 || err != nil || s["reason"] != "BadRequest" || s["message"] != object.ErrTooDeep.Error() {
					t.Errorf("%d levels: %d %.300s", n, w.Code, w.Body)
				}
			}
		})
	}
}

// TestDepthInsideOfTexts has JSON in annotations and in Secrets that nests deeper than what a stack has room for.
func TestDepthInsideOfTexts(t *testing.T) {
	c, _ := newCluster(t, Options{})
	const autoscalers = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers"
	for i, levels := range []int{object.MaxDepth - 1, 4000, 9000} {
		must(t, c, 201, "POST", autoscalers, fmt.Sprintf(`{"metadata":{"name":"a%d","annotations":{
			"autoscaling.alpha.kubernetes.io/behavior":%q,"autoscaling.alpha.kubernetes.io/current-metrics":%q,
			"kubectl.kubernetes.io/last-applied-configuration":%[3]q}},
			"spec":{"maxReplicas":1,"scaleTargetRef":{"kind":"Deployment","name":"d","apiVersion":"apps/v1"}}}`, i,
			`{"a":`+brackets(levels)+"}", brackets(levels), brackets(levels)))
		must(t, c, 200, "GET", fmt.Sprintf("/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/a%d", i), "")
		text := base64.StdEncoding.EncodeToString([]byte(`{"auths":` + brackets(levels) + "}"))
		code, answer := call(t, c, "POST", "/api/v1/namespaces/default/secrets", fmt.Sprintf(
			`{"metadata":{"name":"s%d"},"type":"kubernetes.io/dockerconfigjson","data":{".dockerconfigjson":%q}}`, i, text))
		if want := map[bool]int{true: 201, false: 422}[levels < object.MaxDepth]; code != want ||
			code == 422 && !strings.Contains(answer, "exceeded max depth") {
			t.Errorf("%d levels in a Secret: %d %.300s", levels, code, answer)
		}
	}
}
