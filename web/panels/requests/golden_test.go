package requests

import (
	"testing"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/history"
	"github.com/tabernetes/tabernetes/web/internal/golden"
)

func TestGolden(t *testing.T) {
	golden.Test(t, map[string]templ.Component{
		"skeleton":          Skeleton(),
		"history/none":      HistoryNone(0, false),
		"history/no-match":  HistoryNone(1253, false),
		"history/searching": HistoryNone(1253, true),
		"history/filters":   HistoryFilters(history.Filter{Kind: history.Errors, Text: `"x"`}),
		"history/tools":     HistoryTools(),
		"history/window": HistoryRows(HistoryWindow{Total: 900, First: 30, Above: 750, Below: 21675,
			Order: history.Order{By: history.BySize}, Rows: []HistoryRow{
				{ID: 3, Method: "GET", URL: "/api/v1/pods?watch=1", Dir: 8, Verb: "watch", Status: "200", Live: true, Refs: "req-3",
					Selected: true, Chip: history.Chip{Kind: history.Lost, Text: "w3 · 410"},
					Started: "12:19:58.123", Bar: history.Bar{From: 0.5, Head: 0.6, To: 1, Open: true}, Size: "3 ev"},
				{ID: 2, Count: 1253, Run: 1, Method: "POST", URL: "/api/v1/namespaces/paging/pods", Verb: "create", Status: "201",
					Time: "4 ms", Size: "1.2 kB", Refs: "req-2",
					Chip: history.Chip{Kind: history.Wrote, Text: "→ 28", Revision: 28}},
				{ID: 8, Method: "POST", URL: "/api/v1/pods", Verb: "create", Status: "201", Refs: "req-8",
					Chip: history.Chip{Kind: history.Wrote, Text: "→ 62", Left: true}},
				{ID: 9, Count: 4, Run: 6, Setup: true, Method: "POST", URL: "/api/v1/namespaces", Verb: "create", Refs: "req-9"},
				{ID: -1, Method: "GET", URL: `/api/v1/pods/"><script>`, Verb: "get", Status: "404", Bad: true, Kept: true,
					Time: "1.2 s", Size: "200 B", Refs: "req--1 obj-pods/_/x", Server: "C1",
					Day: "2 January 2026", Chip: history.Chip{Kind: history.Waits, Text: "waiting for the cache"}},
			}}),
		"history/exchange": ExchangeTools(),
	})
}
