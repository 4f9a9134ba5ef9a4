//go:build !js

package practice

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// bytes are the generators of lesson 15.
var bytes = map[string]Generator{"p15a": p15a, "p15b": p15b, "p15c": p15c}

// hexBytes returns bytes as the lab shows those of an answer.
func hexBytes(b string) string { return fmt.Sprintf("% x", b) }

// envelopeHead returns how the Protobuf envelope of an object begins, up to its kind.
func envelopeHead(apiVersion, kind string) string {
	field := func(head byte, content string) string { return string([]byte{head, byte(len(content))}) + content }
	return "k8s\x00" + field(0x0a, field(0x0a, apiVersion)+field(0x12, kind))
}

// p15a draws an answer's first bytes. What is it?
func p15a(r *rand.Rand) Values {
	b := pick(r, builtinTypes...)
	path, object := b.path("p15a"), b.path("p15a")+"/x"
	const pb = "application/vnd.kubernetes.protobuf"
	type source struct{ target, header, begins, from, outcome string }
	s := pick(r,
		source{object, "application/json", fmt.Sprintf(`{"kind":%q,"apiVersion":%q`, b.kind, b.version), "", "json"},
		source{path, "application/json", fmt.Sprintf(`{"kind":"%sList","apiVersion":%q`, b.kind, b.version), "", "json"},
		source{object, pb, envelopeHead(b.version, b.kind), "", "envelope"},
		source{path, pb, envelopeHead(b.version, b.kind+"List"), "", "envelope"},
		source{object, pb + ";as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
			envelopeHead("meta.k8s.io/v1", "PartialObjectMetadata"), "", "envelope"},
		source{path, pb, "\x0a\x05ADDED\x12", "frame", "frame"},
		source{object, "application/yaml", "apiVersion: " + b.version + "\n", "", "text"},
		source{"/livez?verbose", "*/*", "[+]ping ok\n[+]", "", "text"},
	)
	query, shown, at := "", hexBytes(s.begins), 0
	switch {
	case s.from == "frame":
		query, shown, at = "?watch=yes&timeoutSeconds=1", "00 00 .. .. "+shown, 4
	case s.outcome == "json":
		query = "?pretty=false"
	}
	begins := fmt.Sprintf("got.response.bytes[%d:%d] = %q", at, at+len(s.begins), hexBytes(s.begins))
	is := "got.response.headers.Content-Type "
	outcomes := map[string]outcome{
		"json": {"JSON", []string{"got.response.bytes[0] = 7b", is + "contains json"}},
		"envelope": {"An object in the envelope that Kubernetes has for Protobuf",
			[]string{`got.response.bytes[0:4] = "6b 38 73 00"`}},
		"frame": {"A frame of a watch in Protobuf, which begins with its length",
			[]string{is + "contains stream=watch", `got.response.bytes[0:2] = "00 00"`}},
		"text": {"Text, and no JSON", []string{is + "lacks json", is + "lacks protobuf"}},
	}
	right := outcomes[s.outcome]
	right.conditions = append(right.conditions, begins)
	outcomes[s.outcome] = right
	return Values{"create": b.create("p15a"), "target": s.target + query, "accept": s.header, "shown": shown,
		"object": object,
		"choices": writeOutcomeChoices(outcomes, s.outcome, 4,
			mistake{"json", "A common belief: an API answers in JSON, whatever it looks like. JSON would begin with `{` " +
				"here, which is `7b`."},
			mistake{"envelope", "A common belief: everything that Kubernetes sends is in an envelope. " +
				"An envelope begins with `6b 38 73 00`."},
			mistake{"frame", "A common belief: it begins with a length. " +
				"A frame has four bytes of length, then the event's type."},
			mistake{"text", "A common belief: what has letters in it is text. " +
				"Look at the first bytes: are they letters, and what do they say?"})}
}

// p15b draws a request with its headers, for a built-in or a custom type.
func p15b(r *rand.Rand) Values {
	const pb, json = "application/vnd.kubernetes.protobuf", "application/json"
	custom, write := pick(r, true, false), pick(r, true, false)
	b := pick(r, builtinTypes[0], builtinTypes[1], builtinTypes[4])
	kind, path, body := b.kind, b.path("p15b"), `{"metadata": {"generateName": "y-"}}`
	if custom {
		kind, path = "Lamp", "/apis/p15b.example.com/v1/namespaces/p15b/lamps"
		body = `{"apiVersion": "p15b.example.com/v1", "kind": "Lamp", "metadata": {"generateName": "y-"}}`
	}
	const html = "text/html"
	wanted := pick(r, []string{json}, []string{pb}, []string{pb, json}, []string{html}, []string{html, json},
		[]string{html, pb})
	sent := pick(r, json, json, pb, "text/plain")
	format := "406"
	for _, w := range wanted {
		if format == "406" && w == json {
			format = "json"
		}
		if format == "406" && w == pb && !custom {
			format = "pb"
		}
	}
	right := format
	if write && format != "406" {
		switch sent {
		case pb:
			right = "400"
		case "text/plain":
			right = "415"
		}
	}
	status, is := "answer.response.status", "answer.response.headers.Content-Type contains "
	outcomes := map[string]outcome{
		"json": {"It is done, and answered in JSON", []string{status + " = 200 or 201", is + "json"}},
		"pb":   {"It is done, and answered in Protobuf", []string{status + " = 200 or 201", is + "protobuf"}},
	}
	for _, code := range []string{"400", "406", "415"} {
		outcomes[code] = outcome{code, []string{status + " = " + code}}
	}
	allPb, other := "", "415"
	if strings.Contains(strings.Join(wanted, " "), pb) {
		allPb = "pb"
	}
	if right == "415" {
		other = "406"
	}
	first := "json"
	if wanted[0] == html {
		first = "406"
	}
	choices := writeOutcomeChoices(outcomes, right, 3,
		mistake{format, "A common belief: Content-Type does not matter. The body is read as it says."},
		mistake{allPb, "A common belief: Protobuf comes whenever it is named. Custom types have none, and a body that " +
			"cannot be read is refused."},
		mistake{"json", "A common belief: JSON comes when nothing else will do. " +
			"It comes if it is accepted, and if the body can be read."},
		mistake{first, "A common belief: only the first media type counts."},
		mistake{other, "A common belief: 406 and 415 are the same. 406 is about what is accepted, 415 about what is sent."})
	if choices == "" {
		return nil
	}
	define, restore := definitionRequests("p15b", "p15b.example.com", "lamps", "Lamp", "LampList")
	v := Values{"define": define, "create": b.create("p15b"), "restore": restore, "choices": choices,
		"accept": strings.Join(wanted, ", "),
		"method": "GET", "path": path, "sent": "", "said": "lists the " + kind + "s", "kind": kind,
		"sort": map[bool]string{true: "a custom type", false: "built in"}[custom]}
	if write {
		v["method"], v["sent"] = "POST", "\nContent-Type: "+sent+"\n\n"+body
		v["said"] = "creates a " + kind + " from a body in JSON, and says `Content-Type: " + sent + "`"
	}
	return v
}

// p15c draws an envelope of which the beginning is shown.
func p15c(r *rand.Rand) Values {
	b := pick(r, builtinTypes...)
	collection := pick(r, true, false)
	kind, path := b.kind, b.path("p15c")+"/x"
	other := kind + "List"
	if strings.EqualFold(kind, b.plural) {
		return nil // what is typed is compared in any case, so the resource would be right
	}
	if collection {
		kind, path, other = other, b.path("p15c"), kind
	}
	tempting := []string{
		"- " + b.version + "\n  reply \"That is the first of the two fields, the apiVersion. The kind is in the second.\"",
		"- " + b.plural + "\n  reply \"That is the resource, as in a path. The envelope has the kind, as objects spell it.\"",
		"- " + other + "\n  reply \"Count the bytes: the length comes before them. " +
			"One object and a list differ by four letters.\"",
	}
	return Values{"create": b.create("p15c"), "path": path, "shown": hexBytes(envelopeHead(b.version, kind)),
		"tempting": strings.Join(tempting, "\n")}
}
