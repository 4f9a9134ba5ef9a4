package hostile

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

const pods = "/api/v1/namespaces/default/pods"

// aPod is one in JSON, which is YAML too, with containers.
func aPod(containers string) string {
	return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"many"},"spec":{"containers":[` + containers + `{}]}}`
}

// A manyRequest has as many values as a body can, or as a request may have.
type manyRequest struct {
	name string
	request
}

// manyRequests are those whose bodies have the most values for their length, in each encoding and kind of patch, from
// so many empty objects.
func manyRequests(n int) (all []manyRequest) {
	text := func(s string) string { return string(append([]byte{0x78, byte(len(s))}, s...)) }
	inCBOR := func(containers string) string {
		return "\xa4" + text("apiVersion") + text("v1") + text("kind") + text("Pod") + text("metadata") + "\xa1" +
			text("name") + text("many") + text("spec") + "\xa1" + text("containers") + "\x9f" + containers + "\xff"
	}
	// What is applied is valid, since a real server too says of a failed merge that it has failed itself.
	inArgs := "\xa3" + text("name") + text("c") + text("image") + text("i") + text("args") + "\x9f" +
		strings.Repeat("\x60", n) + "\xff"
	list := "[" + strings.Repeat("{},", n) + "{}]"
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf(`"%x":""`, i)
	}
	entries := "{" + strings.Join(keys, ",") + "}"
	const taken = configMaps + "/kube-root-ca.crt"
	for _, q := range []struct{ name, method, path, kind, body string }{
		{"JSON", "POST", pods, "", aPod(strings.Repeat("{},", n))},
		{"JSON, lists", "POST", pods, "", aPod(strings.Repeat("[],", n))},
		{"JSON, entries", "POST", configMaps, "", holds(entries)},
		{"JSON, unknown", "POST", configMaps, "", `{"metadata":{"name":"many"},"none":` + list + "}"},
		{"YAML, flow", "POST", pods, yamlBody, "# y\n" + aPod(strings.Repeat("{},", n))},
		{"YAML, plain", "POST", pods, yamlBody, aPod(strings.Repeat("{},", n))},
		{"YAML, aliases", "POST", pods, yamlBody, "a: &a {}\n" + aPod(strings.Repeat("*a,", n))},
		{"YAML, aliases of many", "POST", pods, yamlBody, "a: &a [" + strings.Repeat("{},", n/8) +
			"]\nb: [*a, *a, *a, *a, *a, *a, *a, *a]\n"},
		{"protobuf", "POST", pods, protoBody, envelope("v1", "Pod", field(1, field(1, "many"))+
			field(2, strings.Repeat("\x12\x00", n)), "")},
		{"protobuf, deeper", "POST", pods, protoBody, envelope("v1", "Pod", field(1, field(1, "many"))+
			field(2, field(2, strings.Repeat("\x3a\x00", n))), "")},
		{"protobuf, entries", "POST", configMaps, protoBody, envelope("v1", "ConfigMap", field(1, field(1, "many"))+
			strings.Repeat("\x12\x00", n), "")},
		{"CBOR", "POST", pods, cborBody, inCBOR(strings.Repeat("\xa0", n))},
		{"CBOR, tags", "POST", pods, cborBody, inCBOR(strings.Repeat("\xd9\xd9\xf7\xa0", n))},
		{"merge", "PATCH", taken, "", `{"metadata":{"annotations":` + entries + `}}`},
		{"merge, unknown", "PATCH", taken, "", `{"none":` + list + `}`},
		{"strategic", "PATCH", taken, strategic, `{"none":` + list + `}`},
		{"JSON patch", "PATCH", taken, jsonPatch, list},
		{"JSON patch, a value", "PATCH", taken, jsonPatch, `[{"op":"add","path":"/none","value":` + list + `}]`},
		{"apply", "PATCH", pods + "/many?fieldManager=m", applied,
			strings.Replace(aPod(`{"name":"c","image":"i","args":[`+strings.Repeat(`"",`, n)+`""]},`), ",{}]", "]", 1)},
		{"apply, CBOR", "PATCH", pods + "/many?fieldManager=m", appliedAs, inCBOR(inArgs)},
		{"delete", "DELETE", configMaps + "/none", "", `{"none":` + list + `}`},
	} {
		all = append(all, manyRequest{q.name, request{method: q.method, path: q.path, kind: q.kind, body: []byte(q.body)}})
	}
	return all
}

// values sends bodies with as many values as they can have, which the server refuses, and with some that they may have,
// which are hardly valid either: each until it is answered, and then all of them again. They are spent when that part
// of them is answered.
func (a *attack) values(p *person, may int, part func(int) int) {
	const most = 850_000
	requests := slices.Concat(manyRequests(most), manyRequests(may))
	a.goes("values", func(spent func()) {
		a.again(20*time.Millisecond, func(n int) {
			q := requests[n%len(requests)]
			send := a.sends
			if n < len(requests) {
				send = a.insists
			}
			kind, _, _ := strings.Cut(q.name, ",")
			got := send(p, "values: "+kind, q.request)
			large := n%len(requests) < len(requests)/2
			if large && got.code/100 == 2 || got.code == http.StatusServiceUnavailable || got.code == 0 && a.ctx.Err() == nil {
				a.fault("values: "+q.name, got)
			}
			if n == part(len(requests))-1 {
				spent()
			}
		})
	})
}

// TestHostileValues has learners of one room send bodies with the most values for their length, in each encoding. The
// memory of the process stays within the bound for one room, others work, and the memory goes back to the system.
func TestHostileValues(t *testing.T) {
	t.Parallel()
	h := native(t)
	teacher := h.person(1)
	teacher.opens()
	teacher.wants(http.StatusOK, "CBOR", "PATCH", sandbox+"/controlplanes/default",
		`{"spec":{"featureGates":{"CBORServingAndStorage":true}}}`)
	link := teacher.invites("a link")
	join := func(address byte, called string) *person {
		p := h.person(address)
		if got := p.joins(teacher, link, called); got.code != http.StatusCreated {
			t.Fatal(got)
		}
		return p
	}
	both := pair{join(9, "Grace"), control(t)}
	h.bounds("before the attack", both.creates("alone", samples/2))
	before, _ := h.memory()
	h.forgets()
	a := newAttack(h)
	for i := range 2 {
		a.values(join(byte(2+i), fmt.Sprint("Values ", i)), 60_000, all)
	}
	beginning := both.creates("beginning", samples)
	a.waits()
	h.bounds("while bodies with many values arrive", beginning)
	a.report()
	a.end()
	h.measures(1)
	now, most := h.memory()
	for end := time.Now().Add(patience); now > before+(most-before)/4; now, _ = h.memory() {
		if time.Now().After(end) {
			t.Errorf("the memory does not go back: %d MiB before, %d MiB at most, %d MiB now", before>>20, most>>20, now>>20)
			break
		}
		pause(t.Context(), 100*time.Millisecond)
	}
	t.Logf("memory: %d MiB before, %d MiB at most, %d MiB in the end", before>>20, most>>20, now>>20)
}
