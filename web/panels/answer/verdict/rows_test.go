package verdict

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/tap"
)

const (
	maps   = "/api/v1/namespaces/default/configmaps"
	pods   = "/api/v1/namespaces/default/pods"
	quotas = "/api/v1/namespaces/default/resourcequotas"
	limit  = `{"metadata":{"name":"q"},"spec":{"hard":{"configmaps":"0"}},"status":{"hard":{"configmaps":"0"},` +
		`"used":{"configmaps":"0"}}}`
	merge        = "\nContent-Type: application/merge-patch+json\n"
	apply        = "?fieldManager=me\nContent-Type: application/apply-patch+yaml\n"
	held         = "POST " + maps + "\n" + `{"metadata":{"name":"a","finalizers":["x.io/y"]}}`
	create       = "POST " + maps + "\n" + `{"metadata":{"name":"a"}}`
	pod          = "POST " + pods + "\n" + `{"metadata":{"name":"web"},"spec":{"containers":[{"name":"c","image":"i"}]}}`
	registration = "/apis/admissionregistration.k8s.io/v1/validatingadmission"

	lever  = "POST " + wellknown.ControlPlane
	frozen = "PATCH " + wellknown.ControlPlane + merge + `{"spec":{"cache":{"replicas":[{"frozen":true}]}}}`
)

// A said is a verdict that a cluster's answer has to get: the row that makes it, and its title with N for each number.
// The last of the requests is judged; their answers are used by those that follow: $REV and $TOKEN are the version and
// the continue token of the one before.
type said struct {
	row      string
	requests []string
	title    string
	tone     Tone
	next     string // its path; with its method, unless that is GET
}

var saids = []said{
	{"created", []string{create}, "Created at N.", Good, ""},
	{"created", []string{"PATCH " + maps + "/a" + apply +
		`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`},
		"Created at N, by apply.", Good, ""},
	{"created", []string{"PUT /apis/coordination.k8s.io/v1/namespaces/default/leases/l\n" + `{"metadata":{"name":"l"}}`},
		"Created at N, by a PUT.", Good, ""},
	{"created", []string{"POST " + pods + "\n" +
		`{"metadata":{"name":"web"},"spec":{"containers":[{"name":"c","image":"i"}],` +
		`"contianers":[]}}`}, "Created at N, with N warning.", Warn, ""},
	{"changed", []string{create, "PATCH " + maps + "/a" + merge + `{"data":{"k":"v"}}`}, "Changed at N.", Good, ""},
	{"changed", []string{held, "DELETE " + maps + "/a", "PATCH " + maps + "/a" + merge + `{"data":{"k":"v"}}`},
		"Changed at N.", Good, "PATCH " + maps + "/a"},
	{"changed", []string{pod, "PATCH " + pods + "/web/status" + merge + `{"status":{"message":"m"}}`}, "Changed at N.",
		Good,
		""},
	{"policy", []string{"POST " + registration + "policies\n" + `{"metadata":{"name":"p"},"spec":{"matchConstraints":` +
		`{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],"resources":["configmaps"],"operations":["CREATE"]}]},` +
		`"validations":[{"expression":"false"}]}}`,
		"POST " + registration + "policybindings\n" +
			`{"metadata":{"name":"b"},"spec":{"policyName":"p","validationActions":["Deny"]}}`, create},
		"N: the policy p, bound by b, refuses it.", Bad, ""},
	{"unchanged", []string{create, "PATCH " + maps + "/a" + merge + `{"metadata":{"name":"a"}}`},
		"Nothing changed: still at N.", Plain, ""},
	{"deleted", []string{create, "DELETE " + maps + "/a"}, "Deleted at N.", Good, ""},
	{"deleted", []string{create, "DELETE " + maps + "/a?dryRun=All\n" + `{"propagationPolicy":"Background"}`},
		"Deleted at N: the body’s options apply.", Warn, ""},
	{"deleted", []string{create, "DELETE " + maps + "/a\n" + `{"preconditions":{}}`}, "Deleted at N.", Good, ""},
	{"marked", []string{held, "DELETE " + maps + "/a"}, "Marked for deletion at N. It waits for x.io/y.", Warn,
		"PATCH " + maps + "/a"},
	{"marked", []string{held, "DELETE " + maps + "/a?dryRun=All\n{}"},
		"Marked for deletion at N. It waits for x.io/y: the body’s options apply.", Warn, "PATCH " + maps + "/a"},
	{"marked", []string{"POST /api/v1/namespaces\n" + `{"metadata":{"name":"n"}}`, "DELETE /api/v1/namespaces/n"},
		"Marked for deletion at N. It waits for its content.", Warn, ""},
	{"marked", []string{"POST " + pods + "\n" +
		`{"metadata":{"name":"web"},"spec":{"nodeName":"n","containers":[{"name":"c",` +
		`"image":"i"}]}}`, "DELETE " + pods + "/web"}, "Marked for deletion at N, with N seconds left.", Warn, ""},
	{"still marked", []string{held, "DELETE " + maps + "/a", "DELETE " + maps + "/a"},
		"Still marked for deletion, at N: nothing changed.", Warn, "PATCH " + maps + "/a"},
	{"removed", []string{held, "DELETE " + maps + "/a", "PATCH " + maps + "/a" + merge +
		`{"metadata":{"finalizers":null}}`},
		"Removed at N, with its last finalizer.", Good, ""},
	{"nothing to delete", []string{"DELETE " + maps + "?labelSelector=a%3Db"}, "Nothing was deleted.", Plain, ""},
	{"collection", []string{create, "DELETE " + maps}, "N deleted at N.", Good, ""},
	{"collection", []string{create, strings.ReplaceAll(held, `"a"`, `"b"`), "DELETE " + maps},
		"N deleted, N marked for deletion, from N to N.", Warn, ""},

	{"dry run", []string{"POST " + maps + "?dryRun=All\n" + `{"metadata":{"name":"a"}}`},
		"A dry run: it would be created. Nothing is stored.", Plain, "POST " + maps},
	{"dry run", []string{create, "PATCH " + maps + "/a?dryRun=All" + merge + `{"data":{"k":"v"}}`},
		"A dry run: it would be changed. Nothing is stored.", Plain, "PATCH " + maps + "/a"},
	{"dry run of a deletion", []string{create, "DELETE " + maps + "/a?dryRun=All"},
		"A dry run: it would be deleted. Nothing is stored.", Plain, "DELETE " + maps + "/a"},
	{"dry run of a deletion", []string{held, "DELETE " + maps + "/a\n" + `{"dryRun":["All"]}`},
		"A dry run: it would be marked for deletion. Nothing is stored.", Plain, ""},

	{"eviction", []string{pod, "POST " + pods + "/web/eviction\n" +
		`{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"web"}}`},
		"Evicted: the Pod web is deleted at N.", Good, ""},
	{"eviction", []string{"POST " + pods + "\n" +
		`{"metadata":{"name":"web"},"spec":{"nodeName":"n","containers":[{"name":"c",` +
		`"image":"i"}]}}`, "POST " + pods + "/web/eviction\n" +
		`{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"web"}}`},
		"Evicted: the Pod is marked for deletion at N.", Warn, ""},
	{"eviction", []string{pod, "POST " + pods + "/web/eviction?dryRun=All\n" +
		`{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"web"}}`},
		"A dry run: it would be evicted. Nothing is stored.", Plain, ""},
	{"binding", []string{pod, "POST " + pods + "/web/binding\n" + `{"metadata":{"name":"web"},"target":{"name":"n"}}`},
		"Bound at N: the Pod has a node.", Good, ""},
	{"allowed", []string{"POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews\n" +
		`{"spec":{"resourceAttributes":{"verb":"delete","resource":"pods","namespace":"default"}}}`},
		"Allowed: you may delete pods in default.", Good, ""},
	{"denied", []string{
		"PATCH " + wellknown.ControlPlane + merge + `{"spec":{"authorization":{"mode":"RBAC"}}}`,
		"POST /apis/authorization.k8s.io/v1/subjectaccessreviews\n" +
			`{"spec":{"user":"kim","resourceAttributes":{"verb":"get","resource":"secrets","namespace":"kube-system"}}}`},
		"Denied: kim may not get secrets in kube-system.", Bad, ""},
	{"rules review", []string{"POST /apis/authorization.k8s.io/v1/selfsubjectrulesreviews\n" +
		`{"spec":{"namespace":"a"}}`},
		"You have N rule for objects.", Plain, ""},
	{"who", []string{"POST /apis/authentication.k8s.io/v1/selfsubjectreviews\n{}"}, "You are admin.", Plain, ""},
	{"token review", []string{"POST /apis/authentication.k8s.io/v1/tokenreviews\n" + `{"spec":{"token":"x"}}`},
		"The token belongs to no user.", Bad, ""},
	{"token", []string{"POST /api/v1/namespaces/default/serviceaccounts\n" + `{"metadata":{"name":"robot"}}`,
		"POST /api/v1/namespaces/default/serviceaccounts/robot/token\n{}"}, "A token for robot.", Good, ""},

	{"compaction", []string{create, lever + "/compact\n{}"}, "Compacted: older revisions are gone.", Good, ""},
	{"compaction", []string{create, lever + "/compact\n" + `{"forgets":"etcd"}`},
		"Compacted etcd: older revisions are only in the caches.", Good, ""},
	{"restart", []string{lever + "/restart\n{}"}, "The API server was restarted.", Good, ""},
	{"disconnect", []string{lever + "/disconnect\n{}"}, "All open watches were cut.", Good, ""},
	{"advance", []string{lever + "/advance\n" + `{"seconds":5}`}, "The cluster’s time is later.", Good, ""},
	{"lever in a dry run", []string{lever + "/advance?dryRun=All\n" + `{"seconds":5}`}, "A dry run: nothing was done.",
		Plain,
		""},
	{"purge", []string{"POST /api/v1/namespaces\n" + `{"metadata":{"name":"n"}}`, lever + "/purge\n" +
		`{"namespaces":["n"]}`},
		"N object removed, up to N.", Good, ""},
	{"settings", []string{frozen}, "Changed at N: the control plane is set.", Good, ""},
	{"unchanged", []string{frozen, frozen}, "Nothing changed: still at N.", Plain, ""},
	{"reset", []string{lever + "/reset\n{}"}, "The cluster was reset.", Good, ""},

	{"get", []string{create, "GET " + maps + "/a"}, "configmaps/a, last written at N.", Plain, ""},
	{"get", []string{held, "DELETE " + maps + "/a", "GET " + maps + "/a"}, "configmaps/a is being deleted.", Plain, ""},
	{"get", []string{create, "GET " + maps + "/a\nAccept: application/vnd.kubernetes.protobuf"},
		"configmaps/a, last written at N.", Plain, ""},
	{"get", []string{"PATCH " + wellknown.ControlPlane + merge +
		`{"spec":{"featureGates":{"CBORServingAndStorage":true}}}`,
		create, "GET " + maps + "/a\nAccept: application/cbor"}, "configmaps/a, last written at N.", Plain, ""},
	{"get behind", []string{create, frozen, "PATCH " + maps + "/a" + merge + `{"data":{"k":"v"}}`,
		"GET " + maps + "/a?resourceVersion=0"}, "As the cache has it: N revision behind.", Warn,
		maps + "/a?resourceVersion=$HEAD"},
	{"list", []string{create, "GET " + maps}, "N configmap.", Plain, ""},
	{"list", []string{"GET " + maps}, "No configmaps.", Plain, ""},
	{"list", []string{create, "GET " + maps + "\nAccept: application/vnd.kubernetes.protobuf"}, "N configmap.", Plain, ""},
	{"list", []string{"PATCH " + wellknown.ControlPlane + merge +
		`{"spec":{"featureGates":{"CBORServingAndStorage":true}}}`,
		create, "GET " + maps + "\nAccept: application/cbor"}, "N configmap.", Plain, ""},
	{"list", []string{create, strings.ReplaceAll(create, `"a"`, `"b"`), "GET " + maps + "?limit=1"},
		"N configmap, N remain.", Plain, maps + "?limit=1&continue=$TOKEN"},
	{"list", []string{create, strings.ReplaceAll(create, `"a"`, `"b"`), "GET " + maps + "?limit=1",
		"GET " + maps + "?limit=1&continue=$TOKEN"}, "The last page: N configmap, pinned to N.", Plain, ""},
	{"list", []string{create, frozen, "DELETE " + maps + "/a", "GET " + maps + "?resourceVersion=0&limit=1"},
		"As the cache has it: N revision behind.", Warn, maps +
			"?limit=1&resourceVersion=$HEAD&resourceVersionMatch=NotOlderThan"},
	// Pinned by the request or by the token: it is not the cache's doing that it is not the newest.
	{"list", []string{create, "GET " + maps, pod, "GET " + maps + "?resourceVersion=$REV&resourceVersionMatch=Exact"},
		"N configmap, pinned to N.", Plain, ""},
	{"list", []string{create, "GET " + maps, pod, "GET " + maps + "?resourceVersion=$REV&limit=5"},
		"N configmap, pinned to N.", Plain, ""},
	{"list", []string{create, strings.ReplaceAll(create, `"a"`, `"b"`), strings.ReplaceAll(create, `"a"`, `"c"`),
		"GET " + maps + "?limit=1", pod, "GET " + maps + "?limit=1&continue=$TOKEN"}, "N configmap, N remain, pinned to N.",
		Plain, maps + "?limit=1&continue=$TOKEN"},
	{"list", []string{create, strings.ReplaceAll(create, `"a"`, `"b"`), "GET " + maps + "?limit=1", pod, lever +
		"/compact\n{}",
		"GET " + maps + "?limit=1&continue=$TOKEN", "GET " + maps + "?limit=1&continue=$TOKEN"},
		"Half of an old list, half of a new one.", Warn, maps + "?limit=1"},
	{"log", []string{pod, "GET " + pods + "/web/log"}, "The log of the Pod web.", Plain, ""},

	{"silent watch", []string{"GET " + maps + "?watch=1"}, "Open: no event has come yet.", Plain, ""},
	{"watch of the state", []string{create, "GET " + maps + "?watch=1"}, "Open: N event so far, the state it began with.",
		Good, ""},
	{"watch", []string{create, "GET " + maps + "?watch=1&resourceVersion=1"}, "Open: N event so far.", Good, ""},
	{"watch of bytes", []string{create, "GET " + maps +
		"?watch=1\nAccept: application/vnd.kubernetes.protobuf;stream=watch"},
		"Open, in protobuf: N B so far.", Good, ""},
	{"watch from the future", []string{"GET " + maps + "?watch=1&resourceVersion=4000"},
		"Open, with no events until after N.", Warn,
		""},
	{"error event", []string{create, lever + "/compact\n{}", "GET " + maps + "?watch=1&resourceVersion=1"},
		"N: the caches no longer have what came after N.", Bad, maps},
	{"error event", []string{frozen, create, "GET " + maps + "?watch=1"},
		"N inside a N: the cache is not there yet.", Bad,
		maps},
	{"error event", []string{"GET " + maps + "?watch=1&resourceVersion=4000&resourceVersionMatch=NotOlderThan&" +
		"sendInitialEvents=true&allowWatchBookmarks=true"}, "N inside a N: there is no revision N yet.", Bad, maps},
	{"ended watch", []string{"GET " + maps + "?watch=1&timeoutSeconds=1"}, "Ended by the server, after N events.", Plain,
		""},

	{"gone", []string{create, lever + "/compact\n{}", "GET " + maps + "?resourceVersion=1&resourceVersionMatch=Exact"},
		"N: etcd was compacted at N, after N.", Bad, maps},
	{"gone", []string{create, strings.ReplaceAll(create, `"a"`, `"b"`), "GET " + maps + "?limit=1", pod, lever +
		"/compact\n{}",
		"GET " + maps + "?limit=1&continue=$TOKEN"}, "N: etcd was compacted at N, after N.", Bad, maps + "?limit=1"},
	{"no such path", []string{"GET /api/v1/deployments"}, "N: there is nothing at this path.", Bad, ""},
	{"no namespace", []string{strings.ReplaceAll(create, "default", "none")}, "N: there is no namespace none.", Bad, ""},
	{"not there", []string{"GET " + maps + "/x"}, "N: there is no configmaps/x.", Bad, ""},
	{"taken", []string{create, create}, "N: the name is taken.", Bad, ""},
	{"outdated", []string{create, "PUT " + maps + "/a\n" + `{"metadata":{"name":"a","resourceVersion":"1"}}`},
		"N: you sent N; it is at N.", Bad, ""},
	{"other manager", []string{
		"PATCH " + maps + "/a" + apply + `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"1"}}`,
		strings.Replace("PATCH "+maps+"/a"+apply, "=me", "=you", 1) +
			`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"2"}}`},
		"N: another manager owns that.", Bad, ""},
	{"precondition", []string{create, "DELETE " + maps + "/a\n" + `{"preconditions":{"uid":"x"}}`},
		"N: this is not the object that was meant.", Bad, ""},
	{"invalid", []string{"POST " + maps + "\n" + `{"metadata":{"name":"A"}}`}, "N: the object is not valid.", Bad, ""},
	{"options", []string{"GET " + maps + "?resourceVersionMatch=Exact"}, "N: the options do not go together.", Bad, ""},
	{"options", []string{"POST " + maps + "?dryRun=x\n" + `{"metadata":{"name":"a"}}`},
		"N: dryRun cannot have that value.", Bad, ""},
	{"no manager", []string{"PATCH " + maps + "/a\nContent-Type: application/apply-patch+yaml\n" +
		`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`}, "N: it needs a field manager.", Bad, ""},
	{"patch", []string{create, "PATCH " + maps + "/a\nContent-Type: application/json-patch+json\n" +
		`[{"op":"test","path":"/metadata/name","value":"b"}]`}, "N: the patch cannot be applied.", Bad, ""},
	{"patch", []string{create, "PATCH " + maps + "/a\nContent-Type: application/json-patch+json\n" +
		`[{"op":"remove","path":"/data/x"}]`}, "N: the patch cannot be applied.", Bad, ""},
	{"strict", []string{"POST " + maps + "?fieldValidation=Strict\n" + `{"metadata":{"name":"a"},"x":1}`},
		"N: strict field validation refuses a field.", Bad, ""},
	{"bad request", []string{"POST " + maps + "\n{"}, "N: the server cannot read the request.", Bad, ""},
	{"version with a token", []string{create, strings.ReplaceAll(create, `"a"`, `"b"`), "GET " + maps + "?limit=1",
		"GET " + maps + "?limit=1&resourceVersion=5&continue=$TOKEN"}, "N: a token has its version inside.", Bad, ""},
	{"method", []string{"POST " + maps + "/a\n{}"}, "N: no POST here.", Bad, ""},
	{"no such format", []string{"GET " + maps + "\nAccept: text/html"}, "N: the server does not answer in that format.",
		Bad, ""},
	{"content type", []string{"POST " + maps + "\nContent-Type: text/html\n{}"},
		"N: the server does not read that format.", Bad,
		""},
	{"not yet", []string{"GET " + maps + "?resourceVersion=4000"}, "N: there is no revision N yet.", Bad, ""},
	{"not yet", []string{frozen, create, "GET " + maps, "GET " + maps + "?resourceVersion=$REV"},
		"N: the cache is not there yet.", Bad,
		""},
	{"terminating", []string{"POST /api/v1/namespaces\n" + `{"metadata":{"name":"n"}}`, "DELETE /api/v1/namespaces/n",
		strings.ReplaceAll(create, "default", "n")}, "N: the namespace is being deleted.", Bad, ""},
	{"quota", []string{"POST " + quotas + "\n" + limit, "PUT " + quotas + "/q/status\n" + limit, create},
		"N: the quota would be exceeded.", Bad, ""},
	{"forbidden", []string{"PATCH " + wellknown.ControlPlane + merge + `{"spec":{"authorization":{"mode":"RBAC"}}}`,
		"GET " + maps + "\nImpersonate-User: kim"}, "N: kim may not list configmaps.", Bad, ""},
	{"refused by a rule", []string{"DELETE /api/v1/namespaces/default"}, "N: the server does not do that.", Bad, ""},
	{"garbage version", []string{create, "GET " + maps + "/a?resourceVersion=x"}, "N: the version is not a number.", Bad,
		""},
}

var digits = regexp.MustCompile(`\d+(,\d{3})*`)

// TestRows asks a cluster.
func TestRows(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range saids {
		seen[s.row] = true
		t.Run(s.row, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab(t, core.Options{})
				defer l.close()
				l.say(s)
			})
		})
	}
	for _, m := range madeUps() {
		seen[m.row] = true
	}
	for _, r := range rows {
		if !seen[r.name] {
			t.Errorf("no request shows the row %s", r.name)
		}
	}
}

// say makes the requests, and judges the last one.
func (l *lab) say(s said) {
	l.t.Helper()
	var last tap.ListAnswer
	var e *tap.Exchange
	for _, request := range s.requests {
		e = l.ask(strings.NewReplacer("$REV", itoa(last.Rev), "$TOKEN", last.Continue).Replace(request))
		synctest.Wait()
		if a, err := tap.ParseList(e.Text()); err == nil && e.Info.Verb == "list" {
			last = a
		}
	}
	v := l.judge(e, true)
	got := said{rowOf(l.facts(e, true)), s.requests, digits.ReplaceAllString(v.Title, "N"), v.Tone, ""}
	if n := v.Next; n != nil {
		got.next = strings.TrimSpace(n.Method + " " + n.Path)
	}
	s.next = strings.NewReplacer("$HEAD", itoa(e.Source.Head), "$TOKEN", last.Continue).Replace(s.next)
	if !reflect.DeepEqual(got, s) {
		l.t.Errorf("%d %s\ngot  %+v\nwant %+v\n%s", e.Status, e.Text(), got, s, v.Words)
	}
	if len([]rune(v.Title)) > 75 {
		l.t.Errorf("%q is too long", v.Title)
	}
	l.check(func(*tap.Exchange, Facts) {})
	// What is offered is answered.
	if n := v.Next; n != nil && n.Method == "" {
		if next := l.ask("GET " + n.Path); next.Status != 200 && next.Status != 504 { // of a cache that is frozen
			l.t.Errorf("%s: %d %s", n.Path, next.Status, next.Text())
		}
	}
}

// made returns an exchange, as the log has it.
func made(method, url string, status int, src *tap.Source, body string, end tap.Type) *tap.Exchange {
	var l tap.Log
	at := time.Date(2026, 11, 20, 23, 0, 0, 0, time.UTC)
	e := l.Add(tap.Event{Type: tap.Request, ID: 1, Method: method, URL: url, Time: at})
	if status > 0 {
		l.Add(tap.Event{Type: tap.Head, ID: 1, Status: status, Source: src, Time: at})
		l.Add(tap.Event{Type: tap.Chunk, ID: 1, Text: body, Time: at})
	}
	if end != "" {
		l.Add(tap.Event{Type: end, ID: 1, Time: at, Err: "gone", Aborted: end == tap.Fail && status > 0})
	}
	return e
}
