package core

import (
	"cmp"
	"fmt"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// watchedAt returns the events that a watch of a collection from a version gets at once from an API server,
// or its error: the code, the message and the cause in its source.
func watchedAt(t *testing.T, c *Cluster, server int, collection, from string) string {
	t.Helper()
	w := apitest.Do(c, "GET", collection+"?watch=1&timeoutSeconds=-1&resourceVersion="+from, "", "Tabernetes-Replica",
		fmt.Sprint(server), wellknown.ExplainHeader, "1")
	var events []string
	for line := range strings.Lines(w.Body.String()) {
		e := parsed(t, line)
		if e["type"] == "ERROR" {
			return fmt.Sprint(at(e, "object.code"), " ", at(e, "object.message"), ", ", goneOf(t, w))
		}
		events = append(events, fmt.Sprint(e["type"], " ", at(e, "object.metadata.name")))
	}
	return strings.Join(events, ", ")
}

func goneOf(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	s, err := source.Parse(w.Header().Get(wellknown.SourceHeader))
	if err != nil {
		t.Error(err)
		return ""
	}
	return s.Gone
}

// versionOf returns the resourceVersion of an object or a list.
func versionOf(obj map[string]any) string { return at(obj, "metadata.resourceVersion").(string) }

// TestGone has each cause why a watch cannot continue from a version, and cases in which it can.
func TestGone(t *testing.T) {
	const (
		everything = "ADDED b, MODIFIED a"
		events     = "/api/v1/namespaces/default/events"
	)
	const definition = definitions + "/crontabs.stable.example.com"
	lever := func(name, body string) func(*testing.T, *Cluster, *clock.Manual) {
		return func(t *testing.T, c *Cluster, _ *clock.Manual) { must(t, c, 201, "POST", plane+"/"+name, body) }
	}
	for _, test := range []struct {
		name string
		do   func(*testing.T, *Cluster, *clock.Manual)
		// server is the API server that is asked, and collection what for: ConfigMaps, unless it is set.
		server     int
		collection string
		want       string // FROM is the version asked for, HEAD that of what was last before do, OLD before that
	}{
		{name: "nothing", do: func(*testing.T, *Cluster, *clock.Manual) {}, want: everything},
		{name: "a quiet hour", want: everything, do: func(t *testing.T, c *Cluster, m *clock.Manual) {
			m.AwaitTimers(1)
			m.Advance(time.Hour)
			must(t, c, 201, "POST", plane+"/advance", `{"seconds":3600}`)
		}},
		{name: "etcd is compacted", do: lever("compact", `{"forgets":"etcd"}`), want: everything},
		{name: "etcd is compacted, events", collection: events, do: lever("compact", `{"forgets":"etcd"}`),
			want: "410 The resourceVersion for the provided watch is too old., compacted"},
		{name: "events, caches forget", collection: events, do: lever("compact", `{"forgets":"caches"}`), want: ""},
		{name: "a busy type, within 75 s", want: everything + strings.Repeat(", MODIFIED a", 150),
			do: func(t *testing.T, c *Cluster, _ *clock.Manual) { busy(t, c, nil, configMaps) }},
		{name: "a busy type, slowly", want: "410 too old resource version: FROM (LAST-100), busy",
			do: func(t *testing.T, c *Cluster, m *clock.Manual) { busy(t, c, m, configMaps) }},
		{name: "another type is busy", want: everything,
			do: func(t *testing.T, c *Cluster, m *clock.Manual) { busy(t, c, m, "/api/v1/namespaces/default/secrets") }},
		{name: "a restart", do: lever("restart", `{}`), want: "410 too old resource version: FROM (LAST), restarted"},
		{name: "a restart of another server", do: lever("restart", `{"server":1}`), want: everything},
		{name: "a server that started later", server: 1, do: func(*testing.T, *Cluster, *clock.Manual) {},
			want: "410 too old resource version: FROM (STARTED), started"},
		{name: "a cache that was behind what was compacted", want: "410 too old resource version: FROM (LAST), relisted",
			do: func(t *testing.T, c *Cluster, _ *clock.Manual) {
				setSpec(t, c, `{"cache":{"replicas":[{"frozen":true},{}]}}`)
				must(t, c, 200, "PUT", configMaps+"/a", configMap("a", "3"))
				must(t, c, 201, "POST", plane+"/compact", `{"forgets":"etcd"}`)
			}},
		{name: "caches forget", do: lever("compact", `{"forgets":"caches"}`),
			want: "410 too old resource version: FROM (LAST), forgotten"},
		{name: "both forget", do: lever("compact", `{}`), want: "410 too old resource version: FROM (LAST), forgotten"},
		{name: "the definition is changed", collection: tabs,
			want: "410 too old resource version: FROM (LAST), defined",
			do: func(t *testing.T, c *Cluster, m *clock.Manual) {
				merged(definition, `{"spec":{"names":{"shortNames":["tab"]}}}`)(t, c, m)
				for fmt.Sprint(at(must(t, c, 200, "GET", definition, ""), "status.acceptedNames.shortNames")) != "[tab]" {
					runtime.Gosched() // its controller accepts the name
				}
			}},
		{name: "the definition is annotated", collection: tabs, want: "ADDED b, MODIFIED a",
			do: merged(definition, `{"metadata":{"annotations":{"a":"b"}}}`)},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, manual := newCluster(t, Options{})
			must(t, c, 201, "POST", definitions, crontabs("crontabs", "CronTab", "ct"))
			condition(t, c, "crontabs", "Established", "True")
			collection := cmp.Or(test.collection, configMaps)
			object := func(name, value string) string {
				switch collection {
				case events:
					return fmt.Sprintf(`{"metadata":{"name":%q},"involvedObject":{"namespace":"default"}}`, name)
				case tabs:
					return fmt.Sprintf(`{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":%q}}`, name)
				}
				return configMap(name, value)
			}
			must(t, c, 200, "GET", collection, "")
			from := versionOf(must(t, c, 201, "POST", collection, object("a", "1")))
			if test.want == "" { // which begins after what there is
				from = versionOf(must(t, c, 200, "GET", collection, ""))
			}
			must(t, c, 201, "POST", collection, object("b", "1"))
			merged(collection+"/a", `{"metadata":{"labels":{"v":"2"}}}`)(t, c, manual)
			setSpec(t, c, `{"cache":{"replicas":[{},{}]}}`)
			started := revision(t, c)
			test.do(t, c, manual)
			want := strings.NewReplacer("FROM", from, "STARTED", fmt.Sprint(started), "LAST-100", fmt.Sprint(revision(t, c)-100),
				"LAST", fmt.Sprint(revision(t, c))).Replace(test.want)
			if test.want == "" {
				want = everything
			}
			if got := watchedAt(t, c, test.server, collection, from); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}

// merged returns a function that merges a patch into an object.
func merged(path, patch string) func(*testing.T, *Cluster, *clock.Manual) {
	return func(t *testing.T, c *Cluster, _ *clock.Manual) {
		t.Helper()
		if w := apitest.Do(c, "PATCH", path, patch, "Content-Type", "application/merge-patch+json"); w.Code != 200 {
			t.Fatal(w.Code, w.Body)
		}
	}
}

// busy updates the object a of a collection, or creates it, 150 times: a second apart from each other if there
// is a clock to be moved.
func busy(t *testing.T, c *Cluster, m *clock.Manual, collection string) {
	if !strings.HasSuffix(collection, "/configmaps") {
		must(t, c, 201, "POST", collection, `{"metadata":{"name":"a"}}`)
	}
	for n := range 150 {
		if m != nil {
			m.Advance(time.Second)
		}
		must(t, c, 200, "PUT", collection+"/a", fmt.Sprintf(`{"metadata":{"name":"a","annotations":{"n":"%d"}}}`, n))
	}
}

// TestListsOfThePast asks for lists at a version that etcd has compacted: the caches' snapshots have it, unless the
// server has noticed.
func TestListsOfThePast(t *testing.T) {
	for _, test := range []struct {
		name  string
		lever string
		body  string
		then  string
		want  int
	}{
		{"nothing", "disconnect", `{}`, "", 200},
		{"by hand", "compact", `{"forgets":"etcd"}`, "", 200},
		{"by hand, without snapshots", "compact", `{"forgets":"etcd"}`, "", 410},
		{"by hand, and later", "compact", `{"forgets":"etcd"}`, `{"seconds":100}`, 200},
		{"by a server", "advance", `{"seconds":600}`, "", 200},
		{"by a server, and looked up", "advance", `{"seconds":600}`, `{"seconds":15}`, 410},
		{"caches only", "compact", `{"forgets":"caches"}`, "", 200}, // from etcd
		{"both", "compact", `{}`, "", 410},
		{"restart", "restart", `{}`, "", 200}, // from etcd
	} {
		t.Run(test.name, func(t *testing.T) {
			c, _ := newCluster(t, Options{})
			if strings.HasSuffix(test.name, "without snapshots") {
				setSpec(t, c, `{"featureGates":{"ListFromCacheSnapshot":false}}`)
			}
			must(t, c, 201, "POST", configMaps, configMap("a", "1"))
			first := versionOf(must(t, c, 201, "POST", configMaps, configMap("b", "1")))
			token := at(must(t, c, 200, "GET", configMaps+"?limit=1", ""), "metadata.continue").(string)
			must(t, c, 200, "DELETE", configMaps+"/b", "")
			must(t, c, 201, "POST", plane+"/"+test.lever, test.body)
			if test.then != "" {
				must(t, c, 201, "POST", plane+"/advance", test.then)
			}
			for _, query := range []string{
				"resourceVersionMatch=Exact&resourceVersion=" + first, "limit=1&resourceVersion=" + first,
				"limit=1&continue=" + url.QueryEscape(token),
			} {
				code, list := call(t, c, "GET", configMaps+"?"+query, "")
				first := strings.Contains(query, "limit=1&res") // page: without b
				if code != test.want || code == 200 && strings.Contains(list, `"name":"b"`) == first {
					t.Errorf("%s: %d, want %d: %s", query, code, test.want, list)
				}
			}
			// One object is read from etcd.
			want := 200
			if strings.Contains(test.name, "by ") || test.name == "both" {
				want = 410
			}
			must(t, c, want, "GET", configMaps+"?fieldSelector=metadata.name%3Db&resourceVersionMatch=Exact&resourceVersion="+
				first, "")
		})
	}
}

// TestVersionsOfTypes checks that what a cache answers has the version of its type: that of its last event, or what
// etcd has reported since.
func TestVersionsOfTypes(t *testing.T) {
	c, manual := newCluster(t, Options{})
	any := func(collection string) string {
		return versionOf(must(t, c, 200, "GET", collection+"?resourceVersion=0", ""))
	}
	const secrets = "/api/v1/namespaces/default/secrets"
	manual.Advance(6 * time.Second)
	began := fmt.Sprint(revision(t, c))
	if got := any(configMaps); got != began {
		t.Errorf("after a notification %s, want %s", got, began)
	}
	a := versionOf(must(t, c, 201, "POST", configMaps, configMap("a", "1")))
	if got, other := any(configMaps), any(secrets); got != a || other != began {
		t.Errorf("after an event %s, want %s; another type %s, want %s", got, a, other, began)
	}
	if got := versionOf(must(t, c, 200, "GET", secrets, "")); got != a {
		t.Errorf("a consistent list is at %s, want %s", got, a)
	}
	if got := any(secrets); got != a {
		t.Errorf("after it had to ask, the cache is at %s, want %s", got, a)
	}
	b := versionOf(must(t, c, 201, "POST", configMaps, configMap("b", "1")))
	manual.Advance(3 * time.Second)
	if got := any(secrets); got != a {
		t.Errorf("before the next notification %s, want %s", got, a)
	}
	manual.Advance(time.Second)
	if got := any(secrets); got != b {
		t.Errorf("after the next notification %s, want %s", got, b)
	}
}

// TestUnlistedCache restarts an API server that does not reach etcd.
func TestUnlistedCache(t *testing.T) {
	c, manual := newCluster(t, Options{})
	must(t, c, 201, "POST", configMaps, configMap("a", "1"))
	setSpec(t, c, `{"cache":{"replicas":[{"frozen":true}]}}`)
	must(t, c, 201, "POST", plane+"/restart", `{}`)
	manual.Advance(time.Minute)
	for query, want := range map[string]int{
		"": 429, "?resourceVersion=0": 429, "?watch=1": 429, "?labelSelector=a&limit=1": 429, "?limit=1": 200,
		"/a": 200, "/a?resourceVersion=0": 200,
	} {
		w := apitest.Do(c, "GET", configMaps+query, "")
		wait := w.Header().Get("Retry-After")
		says := strings.Contains(w.Body.String(), "storage is (re)initializing")
		if w.Code != want || says != (want == 429) || want == 429 && wait != "30" {
			t.Errorf("%s: %d, Retry-After %q: %s", query, w.Code, wait, w.Body)
		}
	}
	setSpec(t, c, `{"cache":{"replicas":[{"frozen":false}]}}`)
	must(t, c, 200, "GET", configMaps, "")
}

// TestOpenWatchAndForgetting checks that a watch which has read everything continues whatever is forgotten, unless its
// server is restarted.
func TestOpenWatchAndForgetting(t *testing.T) {
	c, _ := newCluster(t, Options{})
	first := versionOf(must(t, c, 201, "POST", configMaps, configMap("a", "1")))
	must(t, c, 200, "PUT", configMaps+"/a", configMap("a", "2"))
	must(t, c, 201, "POST", plane+"/compact", `{"forgets":"etcd"}`)
	w := follow(t, c, configMaps+"?watch=1&resourceVersion="+first)
	expect := func(want string) {
		t.Helper()
		if e := w.Next(); fmt.Sprint(e["type"], " ", at(e, "object.data.v")) != want {
			t.Fatalf("event %v, want %s", e, want)
		}
	}
	expect("MODIFIED 2")
	must(t, c, 200, "PUT", configMaps+"/a", configMap("a", "3"))
	expect("MODIFIED 3")
	must(t, c, 201, "POST", plane+"/compact", "")
	must(t, c, 201, "POST", plane+"/advance", `{"seconds":600}`)
	must(t, c, 200, "DELETE", configMaps+"/a", "")
	expect("DELETED 3")
	must(t, c, 201, "POST", plane+"/restart", `{}`)
	if e := w.Next(); e != nil {
		t.Errorf("after a restart: %v", e)
	}
}

// TestKeptIsInMemory checks that what only caches remember is neither in the log nor in a snapshot, and gone after a
// restart of the host.
func TestKeptIsInMemory(t *testing.T) {
	storage := journal.NewMemory(nil)
	c, _ := newCluster(t, Options{Storage: storage})
	first := versionOf(must(t, c, 201, "POST", configMaps, configMap("a", "1")))
	must(t, c, 200, "PUT", configMaps+"/a", configMap("a", "was-kept"))
	must(t, c, 200, "PUT", configMaps+"/a", configMap("a", "3"))
	must(t, c, 201, "POST", plane+"/compact", `{"forgets":"etcd"}`)
	if got := watchedAt(t, c, 0, configMaps, first); got != "MODIFIED a, MODIFIED a" {
		t.Fatalf("before: %s", got)
	}
	_, saved := call(t, c, "GET", plane+"/snapshot", "")
	if strings.Contains(saved, "was-kept") {
		t.Error("the snapshot has what is kept")
	}
	again := reopen(t, storage)
	if got := watchedAt(t, again, 0, configMaps, first); !strings.HasPrefix(got, "410") {
		t.Errorf("after a restart: %s", got)
	}
	must(t, c, 201, "PUT", plane+"/snapshot", saved)
	if got := watchedAt(t, c, 0, configMaps, first); !strings.HasPrefix(got, "410") {
		t.Errorf("after the snapshot was put back: %s", got)
	}
}

// TestKeptEventsAreDroppedFirst checks that what only caches remember is dropped first when the quota is reached.
func TestKeptEventsAreDroppedFirst(t *testing.T) {
	c, _ := newCluster(t, Options{Quota: smallQuota})
	first := versionOf(must(t, c, 201, "POST", configMaps, configMap("a", "1")))
	value := strings.Repeat("x", 50_000)
	for n := range 60 { // which is three times the quota
		must(t, c, 200, "PUT", configMaps+"/a", configMap("a", fmt.Sprint(n, value)))
		if n == 5 {
			must(t, c, 201, "POST", plane+"/compact", `{"forgets":"etcd"}`)
			if got := watchedAt(t, c, 0, configMaps, first); strings.HasPrefix(got, "410") {
				t.Fatalf("before the quota is used up: %s", got)
			}
		}
	}
	if got := watchedAt(t, c, 0, configMaps, first); !strings.HasPrefix(got, "410") {
		t.Errorf("it is kept all the same: %.100s", got)
	}
}

// TestCacheSettings checks the limits of the caches' capacity: what is refused, and that others count at once.
func TestCacheSettings(t *testing.T) {
	c, _ := newCluster(t, Options{})
	for spec, want := range map[string]string{
		`{"capacity":{"least":0}}`: "spec.cache.capacity.least: Invalid value: 0: " +
			"must be between 1 and 1048576, inclusive",
		`{"capacity":{"least":10,"most":5}}`: "spec.cache.capacity.most: Invalid value: 5: must not be less than least",
		`{"capacity":{"some":10}}`:           `spec.cache.capacity: Unsupported value: "some"`,
		`{"progressSeconds":0}`: "spec.cache.progressSeconds: Invalid value: 0: " +
			"must be between 1 and 86400, inclusive",
		`{"capacity":{"least":10,"most":"9"}}`: `spec.cache.capacity.most: Invalid value: "9": must be a whole number`,
	} {
		got := must(t, c, 422, "PUT", plane, `{"metadata":{"name":"default"},"spec":{"cache":`+spec+`}}`)
		if message := got["message"].(string); !strings.Contains(message, want) {
			t.Errorf("%s: %s", spec, message)
		}
	}
	first := versionOf(must(t, c, 201, "POST", configMaps, configMap("a", "1")))
	for n := range 10 {
		must(t, c, 200, "PUT", configMaps+"/a", configMap("a", fmt.Sprint(n)))
	}
	setSpec(t, c, `{"cache":{"capacity":{"least":4,"most":8}}}`)
	if got := watchedAt(t, c, 0, configMaps, first); !strings.HasSuffix(got, ", busy") {
		t.Errorf("with a small capacity: %s", got)
	}
	windows := must(t, c, 200, "GET", plane+"/windows", "")
	for _, w := range at(windows, "servers").([]any)[0].(map[string]any)["types"].([]any) {
		if at(w, "resource") == "configmaps" && (at(w, "held") != 8.0 || at(w, "capacity") != 8.0 || at(w, "why") != "busy") {
			t.Errorf("the window is %v", w)
		}
	}
	for body, want := range map[string]string{
		`{"forgets":"me"}`: "forgets: me: has to be etcd, caches or both", `{"forgets":1}`: "forgets: 1: has to be",
	} {
		if got := must(t, c, 400, "POST", plane+"/compact", body)["message"].(string); !strings.Contains(got, want) {
			t.Errorf("%s: %s", body, got)
		}
	}
	for _, body := range []string{`{"server":1}`, `{"server":"x"}`, `{"server":-1}`} {
		if got := must(t, c, 400, "POST", plane+"/restart", body)["message"].(string); !strings.Contains(got,
			"there are 1 API servers, counted from 0") {
			t.Errorf("%s: %s", body, got)
		}
	}
}
