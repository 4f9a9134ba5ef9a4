package hostile

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
)

// How deep bodies nest: less than the decoders of the real server take, more, and as much as a body of 600 KB can.
const (
	deep    = 9_900
	deeper  = 20_000
	deepest = 300_000
)

// The types of bodies besides JSON.
const (
	yamlBody  = "application/yaml"
	cborBody  = "application/cbor"
	protoBody = "application/vnd.kubernetes.protobuf"
	strategic = "application/strategic-merge-patch+json"
	jsonPatch = "application/json-patch+json"
	applied   = "application/apply-patch+yaml"
	appliedAs = "application/apply-patch+cbor"
)

// A deepRequest has a body that nests so deep that no server may take it, unless taken is true: then it is a text for
// the server, as which it may be stored.
type deepRequest struct {
	name string
	request
	taken bool
}

// deepLists and deepMaps nest so deep, in JSON and in YAML.
func deepLists(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }
func deepMaps(depth int) string {
	return strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth)
}

// deepRequests are those whose bodies are deep: in each encoding, behind what could hide it, and in each kind of patch.
func deepRequests() []deepRequest {
	return slices.Concat(deepJSON(), deepYAML(), deepBinary(), deepPatches(), deepTexts())
}

// holds returns a ConfigMap in JSON, which is YAML too, with a value as its data.
func holds(value string) string { return `{"metadata":{"name":"deep"},"data":` + value + `}` }

func deepJSON() (all []deepRequest) {
	for name, body := range map[string]string{
		"maps": holds(deepMaps(deep)), "lists": holds(deepLists(deepest)),
		"a map of lists": `{"a":` + deepLists(deeper) + "}",
		"behind a mark":  "\ufeff" + holds(deepLists(deeper)),
		"behind spaces":  strings.Repeat(" \n", 500) + holds(deepLists(deeper)),
		"UTF-16":         wide16(holds(deepLists(deeper)), binary.LittleEndian),
		"not closed":     strings.Repeat(`{"a":[`, deeper),
	} {
		all = append(all, deepRequest{name: "JSON, " + name, request: create("", body)})
	}
	return all
}

// create returns a request to create a ConfigMap with a body of some type.
func create(kind, body string) request {
	return request{method: "POST", path: configMaps, kind: kind, body: []byte(body)}
}

// wide16 returns a text in UTF-16, with the mark of its order of bytes.
func wide16(text string, order binary.AppendByteOrder) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		b = order.AppendUint16(b, unit)
	}
	return string(b)
}

// deepYAML has each style behind each beginning after which brackets could be taken for something else.
func deepYAML() (all []deepRequest) {
	block := func(depth int) string {
		var b strings.Builder
		for i := range depth {
			b.WriteString(strings.Repeat(" ", i) + "a:\n")
		}
		return b.String()
	}
	var aliases strings.Builder
	for i := range deep {
		fmt.Fprintf(&aliases, "- &a%d [*a%d]\n", i+1, i)
	}
	laughs := "a0: &a0 [x,x,x,x,x,x,x,x,x]\n"
	for i := range 9 {
		laughs += fmt.Sprintf("a%d: &a%[1]d [%s*a%d]\n", i+1, strings.Repeat(fmt.Sprintf("*a%d,", i), 8), i)
	}
	styles := map[string]string{
		"lists": "a: " + deepLists(deep), "maps": "a: " + strings.Repeat("{a: ", deep) + "b" + strings.Repeat("}", deep),
		"pairs":   "a: " + strings.Repeat("[a: ", deep) + "b" + strings.Repeat("]", deep),
		"entries": strings.Repeat("- ", deeper) + "a", "keys": strings.Repeat("? ", deeper) + "a", "levels": block(300),
	}
	for beginning, text := range map[string]string{
		"": "", ", a quote in a comment": "# \"\n", ", an apostrophe in a comment": "# '\n", ", a mark": "\ufeff",
		", a quote in a text": "b: 5\" disk\n", ", a tag": "%YAML 1.1\n---\n",
	} {
		for style, nested := range styles {
			if strings.HasPrefix(text, "b:") && !strings.HasPrefix(nested, "a:") {
				continue // it would be no document
			}
			all = append(all, deepRequest{name: "YAML, " + style + beginning, request: create(yamlBody, text+nested)})
		}
	}
	for name, text := range map[string]string{
		"aliases": "- &a0 []\n" + aliases.String(), "many aliases": laughs,
		"not closed": "# '\n" +
			strings.Repeat("[", deepest),
		"large": "# \"\na: " + deepLists(deepest), "UTF-16": wide16("a: "+deepLists(deeper), binary.LittleEndian),
		"UTF-16, the other order": wide16("# \"\na: "+deepLists(deeper), binary.BigEndian),
		"indented":                block(1_200),
	} {
		all = append(all, deepRequest{name: "YAML, " + name, request: create(yamlBody, text)})
	}
	return all
}

// Protobuf: fields with a length, and the envelope that bodies have.
func field(number int, value string) string {
	b := binary.AppendUvarint(nil, uint64(number<<3|2))
	b = binary.AppendUvarint(b, uint64(len(value)))
	return string(b) + value
}

func envelope(version, kind, raw, contentType string) string {
	return "k8s\x00" + field(1, field(1, version)+field(2, kind)) + field(2, raw) + field(4, contentType)
}

// deepBinary has protobuf with JSON in it, and CBOR.
func deepBinary() (all []deepRequest) {
	inFields := func(value string) string { // metadata.managedFields[0].fieldsV1
		return field(1, field(1, "deep")+field(17, field(1, "m")+field(2, "Update")+field(3, "v1")+field(6, "FieldsV1")+
			field(7, field(1, value))))
	}
	groups := func(depth int) string { return strings.Repeat("\x0b", depth) + strings.Repeat("\x0c", depth) }
	messages := "x"
	for range 4_000 {
		messages = field(1, messages)
	}
	for name, body := range map[string]string{
		"JSON":          envelope("v1", "ConfigMap", holds(deepMaps(deep)), "application/json"),
		"JSON of lists": envelope("v1", "ConfigMap", holds(deepLists(deepest)), "application/json"),
		"JSON, no type": envelope("v1", "ConfigMap", holds(deepLists(deeper)), ""),
		"YAML":          envelope("v1", "ConfigMap", "# \"\na: "+deepLists(deeper), yamlBody),
		"fields":        envelope("v1", "ConfigMap", inFields(deepMaps(deep)), ""),
		"fields, lists": envelope("v1", "ConfigMap", inFields(deepLists(deeper)), ""),
		"groups":        envelope("v1", "ConfigMap", groups(deeper), ""),
		"messages":      envelope("v1", "ConfigMap", messages, ""),
		"envelopes": envelope("v1", "ConfigMap", envelope("v1", "ConfigMap", holds(deepLists(deeper)), "application/json"),
			protoBody),
	} {
		all = append(all, deepRequest{name: "protobuf, " + name, request: create(protoBody, body)})
	}
	for name, body := range map[string]string{
		"lists":     strings.Repeat("\x81", deeper) + "\x01",
		"maps":      strings.Repeat("\xa1\x41a", deep) + "\x01",
		"open":      strings.Repeat("\x9f", deepest),
		"tags":      strings.Repeat("\xc1", deeper) + "\x01",
		"marked":    "\xd9\xd9\xf7" + strings.Repeat("\xa1\x41a", deep) + "\x01",
		"many keys": "\xbf" + strings.Repeat("\x5f", deeper),
	} {
		all = append(all, deepRequest{name: "CBOR, " + name, request: create(cborBody, body)})
	}
	return all
}

// deepPatches has deep patches of each kind for an object that there is.
func deepPatches() (all []deepRequest) {
	within := func(value string) string { return `{"metadata":{"annotations":` + value + `}}` }
	add := func(value string) string {
		return `[{"op":"add","path":"/metadata/annotations","value":` + value + `}]`
	}
	const header = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kube-root-ca.crt}\n"
	for _, p := range []struct{ name, kind, body string }{
		{"merge", "", within(deepMaps(deep))}, {"merge, lists", "", within(deepLists(deepest))},
		{"merge, top", "", deepMaps(deeper)}, {"merge, behind a mark", "", "\ufeff" + within(deepLists(deeper))},
		{"strategic", strategic, within(deepMaps(deep))}, {"strategic, top", strategic, deepMaps(deeper)},
		{"strategic, directives", strategic,
			strings.Repeat(`{"$patch":"merge","a":`, deep) + "1" + strings.Repeat("}", deep)},
		{"JSON", jsonPatch, add(deepMaps(deep))}, {"JSON, lists", jsonPatch, add(deepLists(deepest))},
		{"JSON, test", jsonPatch, `[{"op":"test","path":"/data","value":` + deepMaps(deep) + `}]`},
		{"JSON, itself", jsonPatch, deepLists(deeper)},
		{"JSON, path", jsonPatch, `[{"op":"add","path":"` + strings.Repeat("/data", deep) + `","value":1}]`},
		{"apply", applied, header + "data: " + deepLists(deep)},
		{"apply, a quote before", applied, "# \"\n" + header + "data: " + deepLists(deep)},
		{"apply, JSON", applied, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"kube-root-ca.crt"},"data":` +
			deepMaps(deep) + "}"},
		{"apply, entries", applied, header + "data:\n  " + strings.Repeat("- ", deeper) + "a"},
		{"apply, CBOR", appliedAs, strings.Repeat("\xa1\x41a", deep) + "\x01"},
	} {
		all = append(all, deepRequest{name: "patch, " + p.name, request: request{
			method: "PATCH", path: configMaps + "/kube-root-ca.crt?fieldManager=deep&force=true", kind: p.kind,
			body: []byte(p.body),
		}})
	}
	// Patches that are not deep make an object deeper each time.
	copies := make([]string, 40)
	for i := range copies {
		copies[i] = `{"op":"copy","from":"/metadata/annotations","path":"/metadata/annotations/a"}`
	}
	return append(all, deepRequest{name: "patch, JSON, copies", request: request{
		method: "PATCH", path: configMaps + "/kube-root-ca.crt", kind: jsonPatch,
		body: []byte(`[{"op":"add","path":"/metadata/annotations","value":{}},` + strings.Join(copies, ",") + "]"),
	}})
}

// lastApplied is the annotation in which kubectl keeps what was applied, as JSON. The server reads it when the object
// is applied in another way.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// deepTexts are texts with deep JSON in them, which are a client's own business until the server reads them.
func deepTexts() (all []deepRequest) {
	for n, text := range []string{deepMaps(deep), deepLists(deeper), `{"data":` + deepMaps(deep) + `,"kind":"ConfigMap"}`,
		"# \"\na: " + deepLists(deep)} {
		quoted, _ := json.Marshal(text) // a text can be
		name := fmt.Sprint("deep-applied-", n)
		object := fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":%q,"annotations":{%q:%s}}}`, name,
			lastApplied, quoted)
		path := configMaps + "/" + name + "?fieldManager="
		change := fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":%q},"data":{"a":"%d"}}`, name, n)
		for _, step := range []deepRequest{
			{name: "last applied", request: request{method: "POST", path: configMaps + "?fieldManager=kubectl-client-side-apply",
				body: []byte(object)}},
			{name: "last applied, apply", request: request{method: "PATCH", path: path + "kubectl&force=true", kind: applied,
				body: []byte(change)}},
			{name: "last applied, patch", request: request{method: "PATCH", path: path + "kubectl-client-side-apply",
				body: []byte(`{"data":{"a":"` + strings.Repeat("b", n+1) + `"}}`)}},
			{name: "last applied, strategic", request: request{method: "PATCH", path: path + "other", kind: strategic,
				body: []byte(`{"metadata":{"annotations":{"a":"b"}}}`)}},
			{name: "last applied, delete", request: request{method: "DELETE", path: configMaps + "/" + name}},
		} {
			step.taken = true
			all = append(all, step)
		}
	}
	return all
}

// bodies sends values in values in each form, of which the API cannot make sense: each until it is answered, and then
// all of them again. They are spent when a part of them is answered.
func (a *attack) bodies(p *person) {
	requests := deepRequests()
	a.goes("nest", func(spent func()) {
		a.again(20*time.Millisecond, func(n int) {
			q := requests[n%len(requests)]
			send := a.sends
			if n < len(requests) {
				send = a.insists
			}
			kind, _, _ := strings.Cut(q.name, ",")
			got := send(p, "nest: "+kind, q.request)
			if got.code/100 == 2 && !q.taken {
				a.fault("nest: "+q.name, got)
			}
			if got.code == http.StatusServiceUnavailable || got.code == 0 && a.ctx.Err() == nil {
				a.fault("nest: "+q.name, got) // which it was
			}
			if n == part(len(requests))-1 {
				spent()
			}
		})
	})
}
