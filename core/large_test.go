package core

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// many returns n entries of a list or an object, with commas between them.
func many(n int, format string) string {
	var b strings.Builder
	for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(n) {
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strings.ReplaceAll(format, "#", fmt.Sprint(i)))
	}
	return b.String()
}

// The media types of the bodies.
const (
	asJSON      = "application/json"
	asApply     = "application/apply-patch+yaml"
	asStrategic = "application/strategic-merge-patch+json"
	asMerge     = "application/merge-patch+json"
	asPatch     = "application/json-patch+json"
)

// A large request is one whose body has many entries.
type largeRequest struct {
	name, method, path, media string
	body, before              func(n int) string // before is created first, in the path's list
}

const deploymentsPath = "/apis/apps/v1/namespaces/default/deployments"

func largeRequests() []largeRequest {
	configMap := func(meta, data string) func(int) string {
		return func(n int) string {
			return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"` + meta + `},"data":{` + data + `}}`
		}
	}
	meta := func(format string) func(int) string {
		return func(n int) string {
			open, end := `,"finalizers":[`, `]`
			if strings.HasPrefix(format, "{") {
				open = `,"ownerReferences":[`
			} else if strings.Contains(format, ":") {
				open, end = `,"labels":{`, `}`
			}
			return configMap(open+many(n, format)+end, "")(n)
		}
	}
	data := func(value string) func(int) string {
		return func(n int) string { return configMap("", many(n, `"k#":"`+value+`"`))(n) }
	}
	managed := func(n int) string {
		const entry = `{"manager":"m#","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1",` +
			`"fieldsV1":{"f:data":{"f:k#":{}}}}`
		return configMap(`,"managedFields":[`+many(n, entry)+`]`, "")(n)
	}
	spec := func(more string, format string) func(int) string {
		return func(n int) string {
			return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"},"spec":{"containers":[{"name":"c","image":"i"}],` +
				fmt.Sprintf(more, many(n, format)) + `}}`
		}
	}
	env := func(format string) func(int) string {
		return func(n int) string {
			return `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"x"},
				"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
				"spec":{"containers":[{"name":"c","image":"i","env":[` + many(n, format) + `]}]}}}}`
		}
	}
	const variable = `{"name":"E#","value":"v"}`
	return []largeRequest{
		{"data", "POST", configMaps, asJSON, data("v"), nil},
		{"data changed", "PUT", configMaps + "/x", asJSON, data("w"), data("v")},
		{"data applied", "PATCH", configMaps + "/x?fieldManager=m&force=true", asApply, data("w"), data("v")},
		{"managers", "POST", configMaps, asJSON, managed, nil},
		{"finalizers", "POST", configMaps, asJSON, meta(`"a.b/f#"`), nil},
		{"finalizers added", "PATCH", configMaps + "/x", asStrategic, meta(`"a.b/g#"`), meta(`"a.b/f#"`)},
		{"owners", "POST", configMaps, asJSON, meta(`{"apiVersion":"v1","kind":"ConfigMap","name":"o","uid":"u#"}`), nil},
		{"labels", "POST", configMaps, asJSON, meta(`"l#":"v"`), nil},
		{"unknown fields", "PATCH", configMaps + "/x?fieldValidation=Warn", asMerge, func(n int) string {
			return `{` + many(n, `"f#":1`) + `}`
		}, data("v")},
		{"operations", "PATCH", configMaps + "/x", asPatch, func(n int) string {
			return `[` + many(min(n, 10_000), `{"op":"add","path":"/data/n#","value":"v"}`) + `]`
		}, data("v")},
		{"variables", "POST", deploymentsPath, asJSON, env(variable), nil},
		{"variables twice", "POST", deploymentsPath, asJSON, env(`{"name":"E","value":"v"}`), nil},
		{"variables changed", "PUT", deploymentsPath + "/x", asJSON, env(`{"name":"E#","value":"w"}`), env(variable)},
		{"variables merged", "PATCH", deploymentsPath + "/x", asStrategic, env(`{"name":"E#","value":"w"}`), env(variable)},
		{"variables added", "PATCH", deploymentsPath + "/x", asStrategic, env(`{"name":"F#","value":"w"}`), env(variable)},
		{"variables deleted", "PATCH", deploymentsPath + "/x", asStrategic, env(`{"name":"E#","$patch":"delete"}`),
			env(variable)},
		{"variables applied", "PATCH", deploymentsPath + "/x?fieldManager=m&force=true", asApply,
			env(`{"name":"F#","value":"w"}`), env(variable)},
		{"volumes", "POST", pods, asJSON, spec(`"volumes":[%s]`, `{"name":"v#","emptyDir":{}}`), nil},
		{"init containers", "POST", pods, asJSON, spec(`"initContainers":[%s]`, `{"name":"c#","image":"i"}`), nil},
		{"tolerations", "POST", pods, asJSON, spec(`"tolerations":[%s]`, `{"key":"k#","operator":"Exists"}`), nil},
		{"spread", "POST", pods, asJSON, spec(`"topologySpreadConstraints":[%s]`,
			`{"maxSkew":1,"topologyKey":"k#","whenUnsatisfiable":"DoNotSchedule"}`), nil},
	}
}

// BenchmarkLargeRequests sends requests with many entries, in two sizes: the time per entry must
// not grow.
func BenchmarkLargeRequests(b *testing.B) {
	for _, l := range largeRequests() {
		for _, n := range []int{2500, 10_000} {
			b.Run(fmt.Sprint(l.name, "/", n), func(b *testing.B) {
				send := func(c *Cluster, method, path, media, body string) {
					r := httptest.NewRequest(method, path, strings.NewReader(body))
					r.Header.Set("Content-Type", media)
					w := &discard{header: http.Header{}}
					if c.ServeHTTP(w, r); w.code >= http.StatusBadRequest {
						b.Fatalf("%s %s: %d", method, path, w.code)
					}
				}
				body := l.body(n)
				b.SetBytes(int64(len(body)))
				for b.Loop() {
					b.StopTimer()
					c, _ := newCluster(b, Options{})
					if l.before != nil {
						list, _, _ := strings.Cut(l.path, "/x")
						send(c, "POST", list, asJSON, l.before(n))
					}
					b.StartTimer()
					send(c, l.method, l.path, l.media, body)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/entry")
			})
		}
	}
}
