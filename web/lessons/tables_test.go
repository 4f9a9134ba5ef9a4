//go:build !js

package lessons_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/tap"
)

// asKubectl is what kubectl accepts unless it is given -o.
const asKubectl = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io," +
	"application/json"

// TestTables does lessons whose checks look at metadata alone as kubectl does them: lists, gets and watches are Tables.
func TestTables(t *testing.T) {
	for _, l := range ordered(t) {
		if !slices.Contains([]string{"list-then-watch", "410-gone", "streaming-lists", "paging", "too-new"}, l.ID) {
			continue
		}
		t.Run(l.ID, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := begin(t, fresh(t, 7), l)
				for i := range l.Steps {
					var way []*format.Request
					for _, r := range l.Steps[i].Solve() {
						if r.Method == "GET" && strings.Contains(r.Target, "/namespaces/") && tap.Get(r.Header, "Accept") == "" {
							as, err := format.ParseHTTP(strings.TrimRight(r.Source, "\n")+"\nAccept: "+asKubectl, r.Line)
							must(t, l, err)
							as[0].Name = r.Name
							r = &as[0]
						}
						way = append(way, r)
					}
					passed, err := p.Try(i, way)
					must(t, l, err)
					if !passed {
						t.Fatalf("%s, step %d by Tables: %s", l.File, i+1, p.Session.Step(i).Miss)
					}
				}
			})
		})
	}
}
