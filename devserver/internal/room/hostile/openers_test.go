package hostile

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// nested is a schema of objects in objects.
func nested(depth int) string {
	return strings.Repeat(`{"type":"object","properties":{"a":`, depth) + `{"type":"string"}` + strings.Repeat("}}", depth)
}

// definition is a CustomResourceDefinition with a schema.
func definition(n int, schema string) []byte {
	return fmt.Appendf(nil, `{"metadata":{"name":"deep%ds.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
"names":{"plural":"deep%[1]ds","singular":"deep%[1]d","kind":"Deep%[1]d"},"versions":[{"name":"v1","served":true,
"storage":true,"schema":{"openAPIV3Schema":%[2]s}}]}}`, n, schema)
}

// schemas are those that cost most to keep or to build documents of: deep, as deep as may be, and wide.
func schemas() []string {
	return []string{nested(4900), nested(1000), nested(150), nested(60), wide(20_000)}
}

// generous are the most quotas that a teacher can allow.
const generous = `{"spec":{"maxMembers":1000,"quotas":{"bytes":1073741824,"bytesPerMember":1073741824,
"objects":1000000,"objectsPerMember":1000000,"requestsPerSecond":100000,"requestsPerAddress":1000000,
"watches":100000,"watchesPerMember":10000,"watchesPerAddress":100000}}}`

// allows has a teacher raise all quotas of its room, and understand CBOR.
func (a *attack) allows(p *person) {
	a.insists(p, "opener: quotas", request{method: "PATCH", path: theRoom, body: []byte(generous)})
	a.insists(p, "opener: CBOR", request{method: "PATCH", path: sandbox + "/controlplanes/default",
		body: []byte(`{"spec":{"featureGates":{"CBORServingAndStorage":true}}}`)})
}

// nests is for a teacher: it defines deep types and asks for their documents.
func (a *attack) nests(p *person) {
	a.goes("opener", func(spent func()) {
		for n, schema := range schemas() {
			a.does(p, "nest: definition", "POST", crds, definition(n, schema))
		}
		a.again(50*time.Millisecond, func(n int) {
			a.does(p, "nest: OpenAPI v2", "GET", "/openapi/v2", nil)
			a.does(p, "nest: OpenAPI v3", "GET", "/openapi/v3/apis/example.com/v1", nil)
			spent()
		})
	})
}

// small is a schema of one property.
const small = `{"type":"object","properties":{"spec":{"type":"object","properties":{"a":{"type":"string"}}}}}`

// many is for a teacher: it defines so many small types, asks for the documents of all of them in every form, and
// changes a type in between, so that they have to be made again.
func (a *attack) many(p *person, types int) {
	forms := []string{"application/json", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
		"application/com.github.proto-openapi.spec.v3@v1.0+protobuf"}
	const first = 1_000
	a.goes("types", func(spent func()) {
		for n := range types {
			got := a.insists(p, "type: definition", request{method: "POST", path: crds, body: definition(first+n, small)})
			if got.code == http.StatusUnprocessableEntity || got.code == http.StatusForbidden {
				break // the room takes no more
			}
		}
		a.again(100*time.Millisecond, func(n int) {
			for _, form := range forms {
				for _, path := range []string{"/openapi/v2", "/openapi/v3", "/openapi/v3/apis/example.com/v1", "/apis"} {
					what := "type: " + path
					a.sends(p, what, request{method: "GET", path: path, accept: form + ",*/*"})
				}
			}
			one := fmt.Sprintf("%s/deep%ds.example.com", crds, first+n%types)
			a.does(p, "type: change", "PATCH", one, fmt.Appendf(nil, `{"spec":{"names":{"shortNames":["s%d"]}}}`, n))
			if n == 2 {
				spent()
			}
		})
	})
}

// rules is for a teacher: it defines types with rules that are long to compile, and does not wait for the answer.
func (a *attack) rules(p *person) {
	sizes := []int{20 << 10, 40 << 10, 80 << 10}
	const each = 4 // rules of a definition
	a.goes("rules", func(spent func()) {
		a.again(200*time.Millisecond, func(n int) {
			const term = "self.a==1||"
			rule := strings.Repeat(term, sizes[n%len(sizes)]/len(term)) + "self.a==1"
			if n%2 == 1 { // as deep as it is long
				rule = strings.Repeat("(", len(rule)/2) + "true" + strings.Repeat(")", len(rule)/2)
			}
			all := make([]string, each)
			for i := range all {
				all[i] = fmt.Sprintf(`{"rule":%q,"message":"%d"}`, rule, i)
			}
			schema := `{"type":"object","properties":{"a":{"type":"integer"}},"x-kubernetes-validations":[` +
				strings.Join(all, ",") + "]}"
			const first = 100_000
			a.leaves(p, "rule: definition", "POST", crds, definition(first+n, schema))
			if n == 2*len(sizes) {
				spent()
			}
		})
	})
}

// leaves makes a request and closes the connection soon after it was sent.
func (a *attack) leaves(p *person, what, method, path string, body []byte) {
	conn, err := p.dialer.DialContext(a.ctx, "tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		a.saw(what+": no connection", answer{})
		return
	}
	defer conn.Close()
	fmt.Fprintf(conn, "%s %s%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
		"Content-Length: %d\r\n\r\n%s", method, strings.TrimPrefix(p.at, p.url), path, strings.TrimPrefix(p.url, "http://"),
		p.token, len(body), body)
	code := 0
	if conn.SetReadDeadline(time.Now().Add(100*time.Millisecond)) == nil {
		_, _ = fmt.Fscanf(conn, "HTTP/1.1 %d", &code) // 0: there was no answer in this time
	}
	a.saw(what, answer{code: code})
}
