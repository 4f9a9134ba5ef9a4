package ui

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/catalog"
	"github.com/tabernetes/tabernetes/web/history"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
	"github.com/tabernetes/tabernetes/web/text"
)

var update = flag.Bool("update", false, "write what is drawn to testdata")

// threeServers is a cluster of which one cache is frozen and one late.
var threeServers = revisions.State{
	Head: 1287, Caches: []int64{1287, 1280, 1286},
	Replicas: []revisions.Replica{{}, {Frozen: true}, {Lag: 5}},
}

// cases are the components as they are drawn, one folder of testdata each.
var cases = map[string]templ.Component{
	"levers/one":     CacheLevers(CacheRows(revisions.State{Head: 7})),
	"levers/three":   CacheLevers(CacheRows(threeServers)),
	"levers/clock":   ClockLevers(revisions.Clock{Offset: 300}, "2026-11-20 23:00:00"),
	"levers/paused":  ClockLevers(revisions.Clock{Paused: true}, "2026-11-20 23:00:00"),
	"levers/as-here": ClockLevers(revisions.Clock{}, "2026-11-20 23:00:00"),
	"servers/one":    ReplicaChoice(CacheRows(revisions.State{})),
	"servers/three":  ReplicaChoice(CacheRows(threeServers)),

	"response-status/ok":      ResponseStatus(Status{ID: 4, Method: "GET", URL: "/api/v1/pods?limit=5", Code: 200, Reason: "OK", Facts: []string{"4 ms", "1.2 kB"}}),
	"response-status/refused": ResponseStatus(Status{ID: 5, Method: "GET", URL: "/api/v1/pods/<x>", Code: 410, Reason: "Gone"}),
	"response-status/broken":  ResponseStatus(Status{ID: 6, Method: "PUT", URL: "/api", Reason: "no answer: offline"}),
	"response-status/waiting": ResponseStatus(Status{ID: 7, Method: "GET", URL: "/api", Reason: "waiting", Live: true}),

	"response-tools/none": ResponseTools(ResponseView{}),
	"table/two": Table(&text.Grid{
		Columns: []text.Column{{Name: "Name", About: "of the object"}, {Name: "IP", Wide: true}},
		Rows:    [][]string{{"a<b", "10.0.0.1"}, {"c", "<none>"}},
	}),
	"response-tools/body":    ResponseTools(ResponseView{Part: "body", Format: "yaml", Formats: []string{"json", "yaml", "raw"}, Copy: true}),
	"response-tools/table":   ResponseTools(ResponseView{Part: "body", Format: "table", Formats: []string{"table", "json", "yaml", "raw"}, Copy: true}),
	"response-tools/headers": ResponseTools(ResponseView{Part: "headers", Format: "json", Formats: []string{"json"}}),
	"response-tools/stream":  ResponseTools(ResponseView{Part: "body", Format: "events", Formats: []string{"events", "raw"}, Live: true}),

	"headers/some": Headers([]tap.Field{{Name: "content-type", Value: "application/json"}, {Name: "x", Value: `"<&>"`}}),

	"code/all":  Code([]string{`<span class="p">{}</span>` + "\n"}, 1, 1),
	"code/part": Code([]string{"a\n", "b\n"}, 400, 51234),

	"stream-events/none": StreamEvents(nil, 0, true),
	"stream-events/all": StreamEvents([]StreamEvent{
		{N: 201, Type: "ADDED", Name: "default/web", Rev: "12", Refs: "rev-12 obj-pods/default/web"},
		{N: 202, Type: "MODIFIED", Name: "default/web", Rev: "13", Open: true, Body: `<span class="p">{}</span>`},
		{N: 203, Type: "DELETED", Name: "default/web", Rev: "14"},
		{N: 204, Type: "BOOKMARK", Name: "resourceVersion 20", Detail: "end of the initial events", Rev: "20"},
		{N: 205, Type: "ERROR", Name: "410 Expired", Detail: "too old resource version: 1 (5)"},
	}, 200, false),

	"apply-report/under-way": ApplyReport([]app.Applied{
		{Line: 1, Name: "Service/a", Result: "created", Refs: "obj-services/default/a rev-7"},
		{Line: 9, Name: "Deployment/b", Result: "configured"},
		{Line: 20, Name: "Deployment/c", Result: "unchanged"},
		{Line: 30, Name: "Nothing/d", Result: "failed", Text: "the cluster has no resource type for v1 Nothing"},
		{Line: 40, Name: "Pod/e"},
	}, false),

	"history/none":      HistoryNone(0, false),
	"history/no-match":  HistoryNone(1253, false),
	"history/searching": HistoryNone(1253, true),
	"history/filters":   HistoryFilters(history.Filter{Kind: history.Errors, Text: `"x"`}),
	"history/tools":     HistoryTools(),
	"history/window": HistoryRows(HistoryWindow{Total: 900, First: 30, Above: 750, Below: 21675, Order: history.Order{By: history.BySize}, Rows: []HistoryRow{
		{ID: 3, Method: "GET", URL: "/api/v1/pods?watch=1", Dir: 8, Verb: "watch", Status: "200", Live: true, Refs: "req-3", Selected: true, Chip: history.Chip{Kind: history.Lost, Text: "w3 · 410"},
			Started: "12:19:58.123", Bar: history.Bar{From: 0.5, Head: 0.6, To: 1, Open: true}, Size: "3 ev"},
		{ID: 2, Count: 1253, Run: 1, Method: "POST", URL: "/api/v1/namespaces/paging/pods", Verb: "create", Status: "201", Time: "4 ms", Size: "1.2 kB", Refs: "req-2",
			Chip: history.Chip{Kind: history.Wrote, Text: "→ 28", Revision: 28}},
		{ID: -1, Method: "GET", URL: `/api/v1/pods/"><script>`, Verb: "get", Status: "404", Bad: true, Kept: true, Time: "1.2 s", Size: "200 B", Refs: "req--1 obj-pods/_/x", Server: "C1",
			Day: "2 January 2026", Chip: history.Chip{Kind: history.Waits, Text: "waiting for the cache"}},
	}}),
	"exchange/tools": ExchangeTools(),
	"exchange/body": Exchange(ExchangeData{
		Method: "PATCH", URL: "/api/v1/pods?fieldManager=me%26you", Facts: []tap.Field{{Name: "made by", Value: "the console"}},
		Params: []tap.Field{{Name: "fieldManager", Value: "me&you"}}, Headers: []tap.Field{{Name: "accept", Value: "*/*"}}, Body: []string{"{}\n"}, Lines: 1,
	}),
	"exchange/none": Exchange(ExchangeData{Method: "GET", URL: "/api", Note: "No body."}),

	"objects/window": ObjectRows(ObjectsWindow{Namespaced: true, Total: 1253, First: 100, Above: 2500, Below: 20000, Rows: []ObjectRow{
		{Key: "paging/pod-0101", Namespace: "paging", Name: "pod-0101", Revision: "108", Age: "12s", Refs: "obj-pods/paging/pod-0101 rev-108", Fresh: "added"},
		{Key: "paging/pod-0102", Namespace: "paging", Name: "pod-0102", Revision: "109", Age: "12s", Deleting: true},
	}}),
	"objects/cluster-scoped": ObjectRows(ObjectsWindow{Total: 1, Rows: []ObjectRow{{Key: "/default", Name: "default", Revision: "2", Age: "3d"}}}),
	"objects-tools/types": ObjectsTools(ObjectsToolsData{
		Type: "deployments.apps", Namespace: "dev", Namespaces: []string{"default", "dev"},
		Groups: []TypeGroup{{"core", []TypeOption{{"pods", "pods"}}}, {"apps", []TypeOption{{"deployments.apps", "deployments"}}}},
	}),
	"object-tools/there": ObjectTools(ObjectHead{View: "yaml"}),
	"object-tools/gone":  ObjectTools(ObjectHead{View: "history", Gone: true}),
	"object-title/gone":  ObjectTitle("Pod", "default", "web", "obj-pods/default/web", true),

	"versions/some": Versions([]Version{
		{Revision: "13", Verb: "MODIFIED", Time: "12:00:01", Open: true, Diff: `<span class="same">  a</span>`},
		{Revision: "12", Verb: "ADDED", Time: "12:00:00", Gone: true},
	}, "Older revisions are compacted (gone below 12)."),

	"options/some": Options([]catalog.Option{{Label: "pods", Note: "Pod"}, {Label: "limit=500", Note: "page size"}}, 1),
	"progress/bad": Progress("Creating pods", 1200, 1253, "409 Conflict"),
}

// TestGolden compares every component with its folder. Run it with -update to
// accept what is drawn now, and read the difference.
func TestGolden(t *testing.T) {
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := c.Render(context.Background(), &b); err != nil {
				t.Fatal(err)
			}
			got := breakLines(b.String())
			if strings.Contains(got, " style=") || strings.Contains(got, "<script") {
				t.Error("the page's policy forbids inline styles and scripts")
			}
			file := filepath.Join("testdata", filepath.FromSlash(name), "want.html")
			if *update {
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
	if *update {
		return
	}
	// No folder is left over from a component that is gone.
	filepath.Walk("testdata", func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Name() == "want.html" {
			name, _ := filepath.Rel("testdata", filepath.Dir(path))
			if cases[filepath.ToSlash(name)] == nil {
				t.Errorf("%s has no case", path)
			}
		}
		return nil
	})
}

// breakLines puts every element on a line of its own, so that differences read.
func breakLines(s string) string {
	return strings.ReplaceAll(s, "><", ">\n<") + "\n"
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1253: "1,253", 1234567: "1,234,567"} {
		if got := Count(n); got != want {
			t.Errorf("Count(%d) = %s, want %s", n, got, want)
		}
	}
}

// The shell must satisfy the page's policy, and hold the places that the lab
// fills.
func TestPage(t *testing.T) {
	var b bytes.Buffer
	data := PageData{Dev: true, CSP: "default-src 'self'", Assets: map[string]string{"tabernetes.wasm": "/t.wasm", "icon": "/i.svg"}, WasmBytes: 5}
	if err := Page(data).Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, forbidden := range []string{" style=", "<style", "onclick=", "javascript:"} {
		if strings.Contains(page, forbidden) {
			t.Errorf("the page contains %q", forbidden)
		}
	}
	for _, id := range []string{"panel-lesson", "panel-ruler", "panel-lanes", "panel-paging", "panel-request", "panel-response", "panel-history", "panel-objects", "panel-levers", "banners", "status", "alerts", "toast", "req-body"} {
		if n := strings.Count(page, `id="`+id+`"`); n != 1 {
			t.Errorf("%d elements have the id %s", n, id)
		}
	}
	for _, want := range []string{`data-size="5"`, `value="devserver"`, `href="/i.svg"`, `content="default-src &#39;self&#39;"`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
	data.Dev = false
	b.Reset()
	Page(data).Render(context.Background(), &b)
	if strings.Contains(b.String(), `value="devserver"`) {
		t.Error("a page without a devserver offers one")
	}
}
