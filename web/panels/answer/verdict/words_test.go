package verdict

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/web/tap"
)

const (
	asYAML = "\nAccept: application/yaml"
	onNode = "POST " + pods + "\n" + `{"metadata":{"name":"web"},"spec":{"nodeName":"n",` +
		`"containers":[{"name":"c","image":"i"}]}}`
	things  = "/apis/x.io/v1/namespaces/default/things"
	defined = "POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions\n" + `{"metadata":{"name":"things.x.io"},` +
		`"spec":{"group":"x.io","scope":"Namespaced","names":{"plural":"things","singular":"thing","kind":"Thing"},` +
		`"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},` +
		`"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}`
	thing = "POST " + things + "\n" + `{"apiVersion":"x.io/v1","kind":"Thing","metadata":{"name":"t"},"status":{"a":1}}`
)

// TestWords wants the title and the words of a verdict, with N for each number, to be these parts joined by any text,
// and its step to be that of steps.
func TestWords(t *testing.T) {
	marked := strings.Replace(held, `"x.io/y"`, `"x.io/y","x.io/z"`, 1)
	foreground := strings.Replace(held, "x.io/y", "foregroundDeletion", 1)
	for name, tc := range map[string]struct {
		requests []string
		says     string
		step     string
		next     bool
	}{
		"status on the object's own path": {[]string{pod, "PATCH " + pods + "/web" + merge +
			`{"status":{"phase":"Running"}}`},
			"Nothing changed: still at N.|Ignored through this path: status.phase. |/status", "subresource", false},
		"status of a custom resource": {[]string{defined, thing, "PATCH " + things + "/t" + merge + `{"status":{"a":2}}`},
			"Nothing changed: still at N.|Ignored through this path: status.a. ", "subresource", false},
		"what the server sets": {[]string{pod, "PATCH " + pods + "/web" + merge +
			`{"metadata":{"creationTimestamp":"2020-01-01T00:00:00Z","generation":9}}`},
			"Nothing changed|path: metadata.creationTimestamp, metadata.generation. ", "subresource", false},
		"spec through status": {[]string{pod, "PATCH " + pods + "/web/status" + merge + `{"spec":{"priority":9}}`},
			"Nothing changed|path: spec.priority. Nothing was", "subresource", false},
		"status by apply": {[]string{pod, "PATCH " + pods + "/web" + apply +
			"{\"apiVersion\": v1, kind: Pod, metadata: {name: web}, status: {phase: Running}}"},
			"Nothing changed|Ignored through this path: status.phase.", "subresource", false},
		"a part is ignored": {[]string{pod, "PATCH " + pods + "/web" + merge +
			`{"metadata":{"labels":{"a":"b"}},"status":{"phase":"Running"}}`},
			"Changed at N.|MODIFIED. Ignored through this path: status.phase.", "changed", false},
		"a JSON patch": {[]string{pod, "PATCH " + pods + "/web\nContent-Type: application/json-patch+json\n" +
			`[{"op":"replace","path":"/status/phase","value":"Running"}]`},
			"Nothing changed|The object is as the request wants it, or what it wants is ignored.", "unchanged", false},
		"an unknown field": {[]string{pod, "PATCH " + pods + "/web" + merge + `{"spec":{"wrong":1}}`},
			"Nothing changed|with N warning.|as the request wants it, or what it wants is ignored.", "unchanged", false},
		"read and sent again": {[]string{pod, "PATCH " + pods + "/web" + merge + `{"metadata":{"name":"web","labels":{},` +
			`"finalizers":[],"annotations":null,"resourceVersion":"0"},"spec":{"nodeName":null},"status":{"phase":"Pending"}}`},
			"Nothing changed|The object is as the request wants it. Nothing", "unchanged", false},
		"labels through status": {[]string{pod, "PATCH " + pods + "/web/status" + merge +
			`{"metadata":{"labels":{"a":"b"}}}`}, "Changed at N.|never changes the spec; labels and annotations only of some",
			"subresource", false},

		"an object of a cache that is behind": {[]string{create, frozen, pod, pod, "GET " + maps + "/a?resourceVersion=0"},
			"As the cache has it: N revision behind.|The server’s cache of configmaps is at N, etcd at N; " +
				"this object may have changed since.",
			"stale get", true},
		"a list of a cache that is behind": {[]string{create, frozen, pod, "GET " + maps + "?resourceVersion=0"},
			"As the cache has it: N revision behind.|at N, etcd at N. Only the version of the answer shows that.",
			"stale list", true},

		"dry run of the last finalizer": {[]string{held, "DELETE " + maps + "/a", "PATCH " + maps + "/a?dryRun=All" + merge +
			`{"metadata":{"finalizers":null}}`}, "A dry run: it would be removed, with its last finalizer. Nothing is stored.",
			"dry run", true},
		"dry run of a finalizer": {[]string{marked, "DELETE " + maps + "/a", "PATCH " + maps + "/a?dryRun=All" + merge +
			`{"metadata":{"finalizers":["x.io/z"]}}`}, "A dry run: it would be changed.", "dry run", true},
		"dry run of a collection": {[]string{create, strings.ReplaceAll(held, `"a"`, `"b"`), "DELETE " + maps +
			"?dryRun=All"}, "A dry run: the deletion of N objects. Nothing is stored.|would only be marked", "dry deletion",
			true},

		"an older version": {[]string{create, "PATCH " + maps + "/a" + merge + `{"data":{"k":"v"}}`,
			"PUT " + maps + "/a\n" + `{"metadata":{"name":"a","resourceVersion":"1"}}`},
			"N: you sent N; it is at N.|Read the object again", "conflict", false},
		"a version that it never had": {[]string{create, "PUT " + maps + "/a\n" +
			`{"metadata":{"name":"a","resourceVersion":"999"}}`},
			"N: you sent N; it is at N.|Read the object again", "conflict", false},

		"a list in no namespace": {[]string{"GET " + strings.Replace(maps, "default", "nope", 1)},
			"No configmaps: there is no namespace nope.|A create there is a N.", "empty", false},
		"a list in a namespace that was": {[]string{"POST /api/v1/namespaces\n" + `{"metadata":{"name":"nope"}}`,
			"PUT /api/v1/namespaces/nope/finalize\n" + `{"metadata":{"name":"nope"}}`, "DELETE /api/v1/namespaces/nope",
			"GET " + strings.Replace(maps, "default", "nope", 1)}, "No configmaps: there is no namespace nope.", "empty", false},
		"an empty list": {[]string{"GET " + strings.Replace(maps, "default", "kube-public", 1) + "?labelSelector=x"},
			"No configmaps.|a watch from there", "empty", false},

		"a value": {[]string{"DELETE " + maps + "/a?propagationPolicy=Nonsense"},
			"N: propagationPolicy cannot have that value.", "", false},
		"a value of dryRun": {[]string{"DELETE " + maps + "/a?dryRun=Some"}, "N: dryRun cannot have that value.", "dryRun",
			false},
		"a name that is too long": {[]string{"POST " + maps + "?fieldManager=" + strings.Repeat("m", 129) + "\n" +
			`{"metadata":{"name":"a"}}`}, "N: fieldManager cannot have that value.", "", false},
		"force": {[]string{create, "PATCH " + maps + "/a?force=true" + merge + "{}"},
			"N: force is for apply only.", "force", false},
		"two options": {[]string{"DELETE " + maps + "/a?propagationPolicy=Orphan&orphanDependents=true"},
			"N: the options do not go together.", "", false},

		"not found in YAML": {[]string{"GET " + maps + "/nope" + asYAML}, "N: there is no configmaps/nope.", "not there",
			false},
		"created in YAML": {[]string{strings.Replace(create, "\n", asYAML+"\n", 1)}, "Created at N.", "created", false},
		"an object in YAML": {[]string{create, "GET " + maps + "/a" + asYAML}, "configmaps/a, last written at N.", "get",
			false},
		"a list in YAML": {[]string{create, "GET " + maps + asYAML}, "N configmap.|revision N.", "list", false},
		"sent in YAML": {[]string{"PUT /api/v1/namespaces/default\nContent-Type: application/yaml\n" +
			"{metadata: {name: default}, status: {phase: Terminating}}"}, "|Ignored through this path: status.phase.",
			"subresource", false},
		"a limit": {[]string{"GET " + maps + "?limit=abc"}, "N: the server cannot read the request.", "", false},
		"a selector": {[]string{"GET " + maps + "?labelSelector=%3D%3D"},
			"N: the server cannot read the request.", "", false},
		"JSON that is broken": {[]string{"POST " + maps + "\n{"}, "N: the server cannot read the request.", "", false},

		"a Pod without a node": {[]string{pod, "DELETE " + pods + "/web"},
			"Deleted at N.|receives MODIFIED, then DELETED. The request made N revisions", "deleted", false},
		"a Pod at once": {[]string{onNode, "DELETE " + pods + "/web?gracePeriodSeconds=0"},
			"Deleted at N.|receives |DELETED.", "deleted", false},
		"eviction": {[]string{pod, "POST " + pods + "/web/eviction\n" +
			`{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"web"}}`},
			"Evicted: the Pod web is deleted at N.|receives MODIFIED, then DELETED.", "virtual", false},
		"one revision": {[]string{create, "DELETE " + maps + "/a"}, "Deleted at N.|receives DELETED.", "deleted", false},

		"two finalizers": {[]string{marked, "DELETE " + maps + "/a"},
			"Marked for deletion at N. It waits for N finalizers.|x.io/y, x.io/z", "marked", true},
		"a controller's finalizer": {[]string{foreground, "DELETE " + maps + "/a"},
			"It waits for foregroundDeletion.|until a controller removes foregroundDeletion from", "marked", false},
		"a watch in bytes": {[]string{create, "GET " + maps +
			"?watch=1\nAccept: application/vnd.kubernetes.protobuf;stream=watch"},
			"Open, in protobuf: N B so far.|neither counted nor drawn", "bytes", false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab(t, core.Options{})
				defer l.close()
				for _, request := range tc.requests {
					l.ask(request)
					synctest.Wait()
				}
				e := l.all[len(l.all)-1]
				v := l.judge(e, true)
				rest := digits.ReplaceAllString(v.Title+" "+v.Words, "N")
				for _, part := range strings.Split(tc.says, "|") {
					_, after, ok := strings.Cut(rest, part)
					if !ok {
						t.Errorf("%d %q %q, want %s\n%s", e.Status, v.Title, v.Words, part, e.Text())
					}
					rest = after
				}
				if v.Step != steps[tc.step] || (v.Next != nil) != tc.next {
					t.Errorf("%q %q: step %v, next %v", v.Title, v.Words, v.Step, v.Next)
				}
				l.check(func(*tap.Exchange, Facts) {})
			})
		})
	}
}
