package ui

import (
	"testing"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/catalog"
	"github.com/tabernetes/tabernetes/web/internal/golden"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
	"github.com/tabernetes/tabernetes/web/text"
)

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
	"levers/fast":    ClockLevers(revisions.Clock{Faster: 9, Offset: 300}, "2026-11-20 23:00:00"),
	"levers/as-here": ClockLevers(revisions.Clock{}, "2026-11-20 23:00:00"),
	"servers/one":    ReplicaChoice(CacheRows(revisions.State{})),
	"servers/three":  ReplicaChoice(CacheRows(threeServers)),

	"response-status/ok": ResponseStatus(Status{ID: 4, Method: "GET", URL: "/api/v1/pods?limit=5", Code: 200,
		Reason: "OK", Facts: []string{"4 ms", "1.2 kB"}}),
	"response-status/refused": ResponseStatus(Status{ID: 5, Method: "GET", URL: "/api/v1/pods/<x>", Code: 410,
		Reason: "Gone"}),
	"response-status/broken":  ResponseStatus(Status{ID: 6, Method: "PUT", URL: "/api", Reason: "no answer: offline"}),
	"response-status/waiting": ResponseStatus(Status{ID: 7, Method: "GET", URL: "/api", Reason: "waiting", Live: true}),

	"response-tools/none": ResponseTools(ResponseView{}),
	"table/two": Table(&text.Grid{
		Columns: []text.Column{{Name: "Name", About: "of the object"}, {Name: "IP", Wide: true}},
		Rows:    [][]string{{"a<b", "10.0.0.1"}, {"c", "<none>"}},
	}),
	"response-tools/body": ResponseTools(ResponseView{Part: "body", Format: "yaml",
		Formats: []string{"json", "yaml", "raw"}, Copy: true}),
	"response-tools/table": ResponseTools(ResponseView{Part: "body", Format: "table",
		Formats: []string{"table", "json", "yaml", "raw"}, Copy: true}),
	"response-tools/headers": ResponseTools(ResponseView{Part: "headers", Format: "json", Formats: []string{"json"}}),
	"response-tools/stream": ResponseTools(ResponseView{Part: "body", Format: "events",
		Formats: []string{"events", "raw"}, Live: true}),

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

	"versions/some": Versions([]Version{
		{Revision: "13", Verb: "MODIFIED", Time: "12:00:01", Open: true, Diff: `<span class="same">  a</span>`},
		{Revision: "12", Verb: "ADDED", Time: "12:00:00", Gone: true},
	}, "Older revisions are compacted (gone below 12)."),

	"options/some": Options([]catalog.Option{{Label: "pods", Note: "Pod"}, {Label: "limit=500", Note: "page size"}}, 1),
	"progress/bad": Progress("Creating pods", 1200, 1253, "409 Conflict"),
}

func TestGolden(t *testing.T) { golden.Test(t, cases) }

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1253: "1,253", 1234567: "1,234,567"} {
		if got := Count(n); got != want {
			t.Errorf("Count(%d) = %s, want %s", n, got, want)
		}
	}
}
