package client

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/internal/golden"
	"github.com/tabernetes/tabernetes/web/objects"
	"github.com/tabernetes/tabernetes/web/panels/client/reflector"
)

// script answers a client's first list and its first watch. All others are refused.
type script struct {
	list  []string
	lines []string
}

func (s *script) Get(context.Context, string) (reflector.Answer, error) {
	if s.list == nil {
		return reflector.Answer{Status: 500}, nil
	}
	items := strings.Join(s.list, ",")
	s.list = nil
	return reflector.Answer{Status: 200, Body: `{"kind":"PodList","metadata":{"resourceVersion":"20"},"items":[` + items +
		`]}`}, nil
}

func (s *script) Watch(ctx context.Context, _ string, line func(string)) (reflector.Answer, error) {
	for _, l := range s.lines {
		line(l)
	}
	<-ctx.Done()
	return reflector.Answer{}, ctx.Err()
}

func pod(name string, rev int) string {
	return fmt.Sprintf(`{"metadata":{"namespace":"default","name":%q,"resourceVersion":"%d"}}`, name, rev)
}

// view returns that of a client that has met a script.
func view(t *testing.T, mode reflector.Mode, s *script, server reflector.Server) (v View) {
	synctest.Test(t, func(t *testing.T) {
		c := &reflector.Client{Transport: s, Path: "/api/v1/pods", Mode: mode, Cache: &objects.Store{}}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go c.Run(ctx)
		synctest.Wait()
		v = New(c, true, server, "pods")
	})
	return v
}

var server = reflector.Server{Compacted: 5, Keys: []reflector.Key{
	{Namespace: "default", Name: "changed", Revision: 18}, {Namespace: "default", Name: "late<b>", Revision: 30},
	{Namespace: "default", Name: "lost", Revision: 15}, {Namespace: "default", Name: "same", Revision: 7},
}}

func watching(t *testing.T) View {
	return view(t, reflector.SkipsMissed, &script{
		list: []string{pod("changed", 9), pod("ghost", 8), pod("same", 6)},
		lines: []string{
			`{"type":"MODIFIED","object":` + pod("same", 21) + `}`,
			`{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"25"}}}`,
		},
	}, server)
}

func TestNew(t *testing.T) {
	v := watching(t)
	if got := v.State.String(); got != "watching after 25" {
		t.Error(got)
	}
	if got := v.done(); got != "1 list, 1 watch, 2 events, of them 1 bookmark" {
		t.Error(got)
	}
	want := []Total{{reflector.Same, 1}, {reflector.Late, 1}, {reflector.Lost, 1}, {reflector.Stale, 1},
		{reflector.Ghost, 1}}
	if len(v.Totals) != len(want) {
		t.Fatalf("%v", v.Totals)
	}
	for i, total := range want {
		if v.Totals[i] != total {
			t.Errorf("%v, want %v", v.Totals[i], total)
		}
	}
	if got, want := v.Rows[0].Refs, "obj-pods/default/changed rev-9 rev-18"; v.Rows[0].Name != "changed" || got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestSummary(t *testing.T) {
	for _, c := range []struct {
		totals []Total
		want   string
		bad    bool
	}{
		{nil, "as on the server", false},
		{[]Total{{reflector.Same, 3}}, "as on the server", false},
		{[]Total{{reflector.Same, 3}, {reflector.Late, 1}}, "1 not received yet", false},
		{[]Total{{reflector.Late, 1200}, {reflector.Ghost, 1}}, "1,200 not received yet, 1 ghost", true},
		{[]Total{{reflector.Lost, 2}, {reflector.Stale, 1}}, "2 lost, 1 stale", true},
	} {
		if got, bad := (View{Totals: c.totals}).Summary(); got != c.want || bad != c.bad {
			t.Errorf("%v: %q, %v; want %q, %v", c.totals, got, bad, c.want, c.bad)
		}
	}
}

// Of many objects those are shown that differ, of very many some of them.
func TestManyObjects(t *testing.T) {
	s, server := &script{list: []string{}}, reflector.Server{}
	for i := range 1000 {
		name := fmt.Sprintf("pod-%04d", i)
		server.Keys = append(server.Keys, reflector.Key{Namespace: "default", Name: name, Revision: 10})
		if i%100 > 0 {
			s.list = append(s.list, pod(name, 10))
		}
	}
	v := view(t, reflector.Correct, s, server)
	if len(v.Rows) != 10 || v.Others != 990 || v.Rows[1].Name != "pod-0100" || v.Rows[1].Mark != reflector.Lost {
		t.Errorf("%d rows, %d others", len(v.Rows), v.Others)
	}
	v = view(t, reflector.Correct, &script{list: []string{}}, server)
	if len(v.Rows) != maxRows || v.Others != 1000-maxRows || len(v.cells()) != maxCells {
		t.Errorf("%d rows, %d others, %d cells", len(v.Rows), v.Others, len(v.cells()))
	}
}

func TestGolden(t *testing.T) {
	refused := view(t, reflector.Correct, &script{}, reflector.Server{})
	cases := map[string]templ.Component{
		"stopped": Client(View{Path: "/api/v1/pods", Paths: []string{"/api/v1/pods", "/api/v1/nodes"},
			Mode: reflector.Modes[0]}),
		"refused": Client(refused),
		"problem": Client(View{Path: "/api/v1/pods/web", Mode: reflector.Modes[0],
			Problem: "This is not a collection: /api/v1/pods/web."}),
		"skeleton": Skeleton(),
		"watching": Client(watching(t)),
		"empty":    Client(view(t, reflector.Correct, &script{list: []string{}}, reflector.Server{})),
		"others": Client(View{Mode: reflector.Modes[3], Running: true, Others: 1250,
			Totals: []Total{{reflector.Same, 1250}}}),
	}
	golden.Test(t, cases)
}
