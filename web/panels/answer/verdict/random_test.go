package verdict

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/tap"
)

// randomRequests is how many requests the test makes.
const randomRequests = 2000

// TestRandomRequests makes random requests, and wants the verdict on each to say what its commits do, as soon as it is
// answered and when the commits are known, and what it offers to read to be answered.
func TestRandomRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, core.Options{Controllers: true})
		defer l.close()
		d := &dice{Rand: rand.New(rand.NewPCG(27, 2)), version: 1}
		offered := 0
		for range randomRequests {
			e := l.ask(d.request())
			synctest.Wait()
			if a, err := tap.ParseList(e.Text()); err == nil && e.Status == 200 {
				d.version, d.token = max(1, a.Rev), a.Continue
			}
			v := l.judge(e, true)
			if n := v.Next; n != nil && n.Method == "" && d.IntN(4) == 0 {
				offered++
				if next := l.ask("GET " + n.Path); next.Status >= 400 && next.Status != 504 { // of a cache that is frozen
					t.Errorf("%s %s: %s, and then %s: %d %s", e.Method, e.URL, v.Title, n.Path, next.Status, next.Text())
				}
			}
			for _, stop := range l.stops {
				stop()
			}
			l.stops = nil
		}
		judged := map[string]int{}
		l.check(func(_ *tap.Exchange, known Facts) { judged[rowOf(known)]++ })
		t.Logf("%d requests, %d of what was offered, judged by %d rows", randomRequests, offered, len(judged))
		if offered < 20 || len(judged) < 40 {
			t.Errorf("only %d offered, %v", offered, judged)
		}
	})
}

// dice make requests.
type dice struct {
	*rand.Rand
	version int64
	token   string
}

func pick[T any](d *dice, of ...T) T { return of[d.IntN(len(of))] }

// maybe returns one of several texts, or nothing.
func (d *dice) maybe(of ...string) string {
	if d.IntN(3) > 0 {
		return ""
	}
	return pick(d, of...)
}

// request returns a request as lab.ask takes it.
func (d *dice) request() string {
	namespace := pick(d, "default", "default", "n", "m")
	name := pick(d, "a", "b", "c", "A")
	kind := pick(d, "configmaps", "configmaps", "secrets", "pods", "services", "serviceaccounts")
	collection := "/api/v1/namespaces/" + namespace + "/" + kind
	if d.IntN(12) == 0 {
		collection, name = "/api/v1/namespaces", pick(d, "n", "m")
	}
	accept := d.maybe("Accept: application/vnd.kubernetes.protobuf\n", "Accept: application/yaml\n",
		"Accept: application/json;as=Table;v=v1;g=meta.k8s.io\n")
	object := fmt.Sprintf(`{"metadata":{"name":%q,"labels":{"v":"%d"}%s%s}%s%s}`, name, d.IntN(3),
		d.maybe(`,"finalizers":["x.io/y"]`, `,"finalizers":["x.io/y","x.io/z"]`),
		d.maybe(`,"resourceVersion":"7"`, `,"resourceVersion":"999999"`),
		map[string]string{"pods": `,"spec":{"containers":[{"name":"c","image":"i"}]` + d.maybe(`,"nodeName":"n"`) + `}`,
			"services": `,"spec":{"ports":[{"port":80}]}`}[kind], d.maybe(`,"wrong":1`))
	dry := d.maybe("?dryRun=All", "?dryRun=All&fieldManager=me", "?fieldValidation=Strict", "?dryRun=x")
	switch d.IntN(16) {
	case 0, 1, 2:
		return "POST " + collection + dry + "\n" + accept + object
	case 3:
		return "PUT " + collection + "/" + name + dry + "\n" + accept + object
	case 4, 5:
		patch, body := "merge-patch", pick(d, `{"metadata":{"labels":{"v":"1"}}}`, `{"metadata":{"finalizers":null}}`,
			`{"metadata":{"finalizers":["x.io/z"]}}`, `{"metadata":{"generation":9}}`, `{"status":{"message":"c"}}`)
		if d.IntN(4) == 0 {
			patch, body = "json-patch", pick(d, `[{"op":"test","path":"/metadata/name","value":"b"}]`,
				`[{"op":"remove","path":"/metadata/finalizers"}]`, `[{"op":"add","path":"/metadata/labels/v","value":"2"}]`)
		}
		return "PATCH " + collection + "/" + name + dry + "\n" + accept + "Content-Type: application/" + patch + "+json\n" +
			body
	case 6:
		what := map[string]string{"configmaps": "ConfigMap", "secrets": "Secret", "pods": "Pod", "services": "Service",
			"serviceaccounts": "ServiceAccount"}[kind]
		if strings.HasSuffix(collection, "/namespaces") {
			what = "Namespace"
		}
		return "PATCH " + collection + "/" + name + "?fieldManager=" + pick(d, "me", "you") + d.maybe("&force=true",
			"&dryRun=All") +
			"\nContent-Type: application/apply-patch+yaml\n" + `{"apiVersion":"v1","kind":"` + what + `",` + object[1:]
	case 7, 8, 9:
		return "DELETE " + collection + "/" + name + d.maybe("?dryRun=All", "?gracePeriodSeconds=0",
			"?propagationPolicy=Orphan") +
			"\n" + accept + d.maybe(`{"dryRun":["All"]}`, `{"propagationPolicy":"Foreground"}`, `{}`,
			`{"preconditions":{"uid":"x"}}`)
	case 10:
		if strings.HasSuffix(collection, "/namespaces") {
			return "GET " + collection
		}
		return "DELETE " + collection + d.maybe("?dryRun=All", "?labelSelector=v%3D1") + "\n" + d.maybe(`{}`,
			`{"dryRun":["All"]}`)
	case 11, 12:
		query := "?limit=" + pick(d, "1", "2", "500")
		switch d.IntN(4) {
		case 0:
			query += "&continue=" + d.token
		case 1:
			query = fmt.Sprint("?resourceVersion=", pick(d, 0, d.version, 1, d.version+3000), d.maybe("&limit=1"),
				d.maybe("&resourceVersionMatch=Exact", "&resourceVersionMatch=NotOlderThan"))
		}
		return "GET " + collection + query + "\n" + accept
	case 13:
		return "GET " + collection + "/" + name + d.maybe("?resourceVersion=0", "?resourceVersion=x") + "\n" + accept
	case 14:
		return "GET " + collection + "?watch=1" + pick(d, "", "&timeoutSeconds=1", "&resourceVersion=1",
			fmt.Sprint("&resourceVersion=", d.version), fmt.Sprint("&resourceVersion=", d.version+3000),
			"&resourceVersion=x") + "\n" + accept
	}
	pod := "/api/v1/namespaces/" + namespace + "/pods/" + name
	return pick(d,
		"POST "+pod+"/eviction"+d.maybe("?dryRun=All")+"\n"+
			`{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"`+name+`"}}`,
		"POST "+pod+"/binding\n"+`{"metadata":{"name":"`+name+`"},"target":{"name":"n"}}`,
		"PATCH "+pod+"/status\nContent-Type: application/merge-patch+json\n"+pick(d, `{"status":{"message":"a"}}`,
			`{"status":{"message":"b"}}`, `{"metadata":{"labels":{"v":"1"}}}`, `{"spec":{"priority":9}}`),
		"POST /api/v1/namespaces/"+namespace+"/serviceaccounts/"+name+"/token\n{}",
		"POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews\n"+
			`{"spec":{"resourceAttributes":{"verb":"get","resource":"pods"}}}`,
		"POST "+wellknown.ControlPlane+"/compact"+d.maybe("?dryRun=All")+"\n"+pick(d, `{}`, `{"forgets":"caches"}`),
		"POST "+wellknown.ControlPlane+"/advance\n"+`{"seconds":7}`,
		"PATCH "+wellknown.ControlPlane+"\nContent-Type: application/merge-patch+json\n"+
			`{"spec":{"cache":{"replicas":[{"frozen":`+pick(d, "true", "false", "false")+`}]}}}`,
		"POST "+wellknown.ControlPlane+"/purge"+d.maybe("?dryRun=All")+"\n"+`{"namespaces":["n"]}`,
		"GET "+pod+"/log", "GET /api/v1/pod", "POST /api/v1/pods/x\n{}",
	)
}
