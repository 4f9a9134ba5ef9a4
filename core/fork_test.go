package core

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/mvcc"
)

const services = "/api/v1/namespaces/default/services"

// nodePort returns a Service that gets an address and a port.
func nodePort(name string) string {
	return fmt.Sprintf(`{"metadata":{"name":%q},"spec":{"type":"NodePort","ports":[{"port":80}]}}`, name)
}

// revision returns the cluster's head revision.
func revision(t testing.TB, c *Cluster) int64 {
	t.Helper()
	return int64(at(must(t, c, 200, "GET", plane, ""), "status.revision").(float64))
}

// identity returns the uid of the cluster.
func identity(t testing.TB, c *Cluster) string {
	t.Helper()
	s := follow(t, c, plane+"/revisions")
	defer s.Stop()
	return at(s.Next(), "state.cluster").(string)
}

// eventsUpTo returns the events of a watch from one revision up to another, after which some other event
// has to follow.
func eventsUpTo(t testing.TB, c *Cluster, path string, from, to int64) (events []any) {
	t.Helper()
	s := follow(t, c, fmt.Sprintf("%s?watch=1&resourceVersion=%d", path, from))
	defer s.Stop()
	for {
		e := s.Next()
		var rev int64
		if _, err := fmt.Sscan(fmt.Sprint(at(e, "object.metadata.resourceVersion")), &rev); err != nil ||
			e["type"] == "ERROR" {
			t.Fatalf("a watch from %d: %v", from, e)
		}
		if rev > to {
			return events
		}
		events = append(events, e)
	}
}

// TestForkMatchesHistory forks a cluster at each of its revisions, and compares the fork with
// what the cluster itself reports for that revision.
func TestForkMatchesHistory(t *testing.T) {
	c, _ := newCluster(t, Options{})
	begun := revision(t, c)
	must(t, c, 201, "POST", configMaps, configMap("a", "1"))
	must(t, c, 201, "POST", services, nodePort("a"))
	must(t, c, 201, "POST", configMaps, configMap("gone", "1"))
	must(t, c, 200, "PUT", configMaps+"/a", configMap("a", "2"))
	must(t, c, 200, "DELETE", configMaps+"/gone", "")
	horizon := revision(t, c)
	must(t, c, 201, "POST", plane+"/compact", "{}")
	must(t, c, 201, "POST", definitions, crontabs("crontabs", "CronTab", "ct"))
	condition(t, c, "crontabs", "Established", "True")
	established := revision(t, c)
	must(t, c, 201, "POST", tabs, `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a"},`+
		`"spec":{"a":1}}`)
	must(t, c, 201, "POST", configMaps, configMap("gone", "2"))
	must(t, c, 200, "PUT", plane, `{"metadata":{"name":"default"},"spec":{"watch":{"bookmarkSeconds":7}}}`)
	must(t, c, 200, "DELETE", services+"/a", "")
	must(t, c, 200, "DELETE", configMaps+"/gone", "")
	must(t, c, 201, "POST", services, nodePort("b"))
	must(t, c, 200, "PUT", configMaps+"/a", configMap("a", "3"))
	head := revision(t, c)
	must(t, c, 201, "POST", configMaps, configMap("last", "1")) // ends the watches of eventsUpTo
	if begun >= horizon || horizon+9 >= head {
		t.Fatalf("the history goes from %d over %d to %d", begun, horizon, head)
	}
	fork, _ := newCluster(t, Options{})
	for n := horizon; n <= head; n++ {
		code, saved := call(t, c, "GET", fmt.Sprintf("%s/snapshot?revision=%d", plane, n), "")
		if code != 200 {
			t.Fatalf("at %d: %d %s", n, code, saved)
		}
		found, err := journal.Read(strings.NewReader(saved), journal.Visitor{
			Header:   func([]byte) (bool, error) { return false, nil },
			Record:   func(mvcc.Record) error { return nil },
			Position: func(int64, int64) error { return nil },
		})
		if err != nil || found.Revision != n {
			t.Fatalf("at %d: the snapshot ends at %d: %v", n, found.Revision, err)
		}
		must(t, fork, 201, "PUT", plane+"/snapshot", saved)
		pending := n > horizon && n < established // the server continues with the definition
		if got := revision(t, fork); got != n && !pending {
			t.Fatalf("the head is at %d, want %d", got, n)
		}
		if got := at(must(t, fork, 200, "GET", plane, ""), "status.compactedRevision"); got != float64(horizon) {
			t.Errorf("at %d: the history begins at %v, want %d", n, got, horizon)
		}
		for _, path := range []string{
			"/api/v1/configmaps", "/api/v1/services", "/api/v1/namespaces", tabs, definitions,
			"/apis/rbac.authorization.k8s.io/v1/clusterroles",
		} {
			for m := horizon - 1; m <= n; m++ {
				code, want := call(t, c, "GET", exact(path, m), "")
				if code == 404 { // the type is not served any more, or not yet
					t.Fatalf("%s is not served", path)
				}
				gotCode, got := call(t, fork, "GET", exact(path, m), "")
				if path == tabs && gotCode == 404 {
					continue // its definition is of a later revision
				}
				if gotCode != code || got != want {
					t.Errorf("%s at %d in the cluster as it was at %d: %d\n%s\nwant %d\n%s", path, m, n, gotCode, got, code, want)
				}
			}
		}
		if pending {
			continue
		}
		must(t, fork, 504, "GET", fmt.Sprintf("%s/snapshot?revision=%d", plane, n+1), "") // it is not there yet
		made := must(t, fork, 201, "POST", configMaps, configMap("new", "1"))
		if got := at(made, "metadata.resourceVersion"); got != fmt.Sprint(n+1) {
			t.Errorf("the first write after %d has revision %v", n, got)
		}
		if got, want := eventsUpTo(t, fork, configMaps, horizon, n),
			eventsUpTo(t, c, configMaps, horizon, n); !reflect.DeepEqual(got, want) {
			t.Errorf("a watch from %d to %d: %v, want %v", horizon, n, got, want)
		}
	}
}

// TestForkAllocatesWhatIsFree creates Services in a cluster restored to before other Services got
// their addresses and ports.
func TestForkAllocatesWhatIsFree(t *testing.T) {
	c, _ := newCluster(t, Options{})
	must(t, c, 201, "POST", services, nodePort("kept"))
	before := revision(t, c)
	late := must(t, c, 201, "POST", services, nodePort("late"))
	ip, port := at(late, "spec.clusterIP").(string),
		at(late["spec"].(map[string]any)["ports"].([]any)[0], "nodePort").(float64)
	wanted := func(name string) string {
		spec := fmt.Sprintf(`{"type":"NodePort","clusterIP":%q,"ports":[{"port":80,"nodePort":%.0f}]}`, ip, port)
		return fmt.Sprintf(`{"metadata":{"name":%q},"spec":%s}`, name, spec)
	}
	must(t, c, 422, "POST", services, wanted("thief"))
	after := revision(t, c)
	must(t, c, 200, "DELETE", services+"/late", "")
	for _, test := range []struct {
		at   int64
		code int // of a Service that requests those of the later one
	}{{after, 422}, {before, 201}} {
		_, saved := call(t, c, "GET", fmt.Sprintf("%s/snapshot?revision=%d", plane, test.at), "")
		fork, _ := newCluster(t, Options{})
		must(t, fork, 201, "PUT", plane+"/snapshot", saved)
		must(t, fork, test.code, "POST", services, wanted("other"))
		seen := map[any]string{}
		for n := range 20 {
			must(t, fork, 201, "POST", services, nodePort(fmt.Sprintf("n%d", n)))
		}
		for _, s := range must(t, fork, 200, "GET", "/api/v1/services", "")["items"].([]any) {
			name := at(s, "metadata.name").(string)
			ports := at(s, "spec.ports").([]any)
			for _, taken := range []any{at(s, "metadata.uid"), at(s, "spec.clusterIP"), at(ports[0], "nodePort")} {
				if other, is := seen[taken]; is && taken != nil {
					t.Errorf("at %d: %s and %s both have %v", test.at, name, other, taken)
				}
				seen[taken] = name
			}
		}
	}
}

// TestSnapshotAtARevisionIsChecked requests revisions that do not exist.
func TestSnapshotAtARevisionIsChecked(t *testing.T) {
	c, _ := newCluster(t, Options{})
	must(t, c, 201, "POST", configMaps, configMap("a", "1"))
	must(t, c, 200, "PUT", configMaps+"/a", configMap("a", "2"))
	head := revision(t, c)
	must(t, c, 201, "POST", plane+"/compact", fmt.Sprintf(`{"revision":%d}`, head-1))
	for _, test := range []struct {
		revision string
		code     int
		want     string // reason and what the message contains
	}{
		{"", 200, ""},
		{fmt.Sprint(head), 200, ""},
		{fmt.Sprint(head - 1), 200, ""},
		{fmt.Sprint(head - 2), 410, fmt.Sprintf("Expired revision %d is compacted: the history begins at %d", head-2,
			head-1)},
		{"1", 410, "Expired"},
		{fmt.Sprint(head + 1), 504, fmt.Sprintf("Timeout Timeout: Too large resource version: %d, current: %d", head+1,
			head)},
		{"0", 400, "BadRequest revision: 0: revisions begin at 1"},
		{"-1", 400, "BadRequest revision: "},
		{"1.5", 400, "BadRequest revision: "},
		{"x", 400, "BadRequest revision: "},
		{strings.Repeat("9", 30), 400, "BadRequest revision: "},
	} {
		w := apitest.Do(c, "GET", plane+"/snapshot?revision="+test.revision, "")
		if w.Code != test.code {
			t.Errorf("revision=%s: %d, want %d", test.revision, w.Code, test.code)
			continue
		}
		if test.code == 200 {
			if kind := w.Header().Get("Content-Type"); kind != "application/octet-stream" {
				t.Errorf("revision=%s: %s", test.revision, kind)
			}
			continue
		}
		var s struct {
			Kind, Reason, Message string
			Details               struct{ Causes []struct{ Reason string } }
		}
		if err := json.Unmarshal(w.Body.Bytes(), &s); err != nil || s.Kind != "Status" ||
			!strings.HasPrefix(s.Reason+" "+s.Message, test.want) {
			t.Errorf("revision=%s: %s, want %s", test.revision, w.Body, test.want)
		}
		if test.code == 504 && (len(s.Details.Causes) != 1 || s.Details.Causes[0].Reason != "ResourceVersionTooLarge") {
			t.Errorf("causes %+v", s.Details.Causes)
		}
		if w.Header().Get("Content-Disposition") != "" {
			t.Errorf("revision=%s: the error is a file", test.revision)
		}
	}
}

// TestForkOfTheBeginning forks a cluster at each revision of its start, when some of the initial
// objects were missing; the fork adds them.
func TestForkOfTheBeginning(t *testing.T) {
	c, _ := newCluster(t, Options{})
	begun := revision(t, c)
	for n := int64(1); n <= begun; n++ {
		storage := journal.NewMemory(nil)
		fork, _ := newCluster(t, Options{Storage: storage})
		_, saved := call(t, c, "GET", fmt.Sprintf("%s/snapshot?revision=%d", plane, n), "")
		must(t, fork, 201, "PUT", plane+"/snapshot", saved)
		again := reopen(t, storage) // it can be read when it comes from the storage
		for _, path := range []string{plane, "/api/v1/namespaces/kube-system", "/api/v1/namespaces/default", services +
			"/kubernetes"} {
			must(t, fork, 200, "GET", path, "")
			must(t, again, 200, "GET", path, "")
		}
	}
}

// TestParametersOfReadsAreDescribed looks for the parameters of the reads in the OpenAPI
// document, where clients find them.
func TestParametersOfReadsAreDescribed(t *testing.T) {
	c, _ := newCluster(t, Options{})
	paths := must(t, c, 200, "GET", "/openapi/v3/apis/sandbox.tabernetes.dev/v1", "")["paths"].(map[string]any)
	for act, want := range map[string]string{"snapshot": "revision", "revisions": "since"} {
		item := paths["/apis/sandbox.tabernetes.dev/v1/controlplanes/{name}/"+act].(map[string]any)
		get := item["get"].(map[string]any)
		all, _ := get["parameters"].([]any)
		common, _ := item["parameters"].([]any)
		if !slices.ContainsFunc(append(all, common...),
			func(p any) bool { return at(p, "name") == want && at(p, "schema.type") == "integer" }) {
			t.Errorf("nothing is said of %s of %s: %v", want, act, item)
		}
	}
}
