//go:build !js

package stage

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

// paper is a surface that keeps what is drawn on it.
type paper struct {
	plots, styles map[string]string
	words         string
	drags         bool
}

func (s *paper) plot(id, svg string)      { s.plots[id] = svg }
func (s *paper) frame()                   {}
func (s *paper) style(name, value string) { s.styles[name] = value }
func (s *paper) left() float64            { return 0 }
func (s *paper) tip(_ spot, words string) { s.words = words }
func (s *paper) dragging(on bool)         { s.drags = on }

// play runs a test on the stage of a lab with ten revisions, of which request 1 has made the last, and a watch, w1,
// that has received that one.
func play(t *testing.T, f func(t *testing.T, p *panel, s *paper)) {
	synctest.Test(t, func(t *testing.T) {
		s := &paper{plots: map[string]string{}, styles: map[string]string{}}
		p := start(app.New(), s)
		p.cam.Still = true
		p.sized(sizes{width: 800, ruler: 120, height: 600, unit: 1})
		now := time.Now()
		app.Emit(p.Bus, revisions.Frame{State: &revisions.State{Cluster: "c", Head: 9, Compacted: 2, Caches: []int64{9},
			Replicas: make([]revisions.Replica, 1)}})
		for rev := int64(1); rev <= 10; rev++ {
			app.Emit(p.Bus, revisions.Frame{Commit: &revisions.Commit{Revision: rev, Time: now, Verb: revisions.Added,
				Version: "v1", Resource: "pods", Namespace: "default", Name: fmt.Sprint("p", rev)}})
		}
		for _, e := range []tap.Event{
			{Type: tap.Request, ID: 2, Method: "GET", URL: "/api/v1/pods?watch=1&resourceVersion=9", Origin: "console"},
			{Type: tap.Head, ID: 2, Status: 200, Source: &tap.Source{From: "cache", Head: 9}},
			{Type: tap.Chunk, ID: 2, Text: `{"type":"ADDED","object":{"metadata":{"name":"p10","namespace":"default",` +
				`"resourceVersion":"10"}}}` + "\n"},
			{Type: tap.Request, ID: 1, Method: "POST", URL: "/api/v1/namespaces/default/pods", Origin: "console"},
			{Type: tap.Head, ID: 1, Status: 201, Source: &tap.Source{From: "etcd", Head: 10,
				Wrote: []source.Span{{First: 10, Last: 10}}}},
			{Type: tap.End, ID: 1},
		} {
			e.Time, e.Place = now, "tab"
			app.Emit(p.Bus, e)
		}
		p.draws()
		f(t, p, s)
		time.Sleep(time.Minute)
		synctest.Wait()
	})
}

// draws draws frames until nothing more is to be drawn.
func (p *panel) draws() {
	for at := 16.0; p.booked && at < 5000; at += 16 {
		p.draw(at)
	}
}

// later has what is done a moment later done, and draws.
func (p *panel) later() {
	p.draws()
	time.Sleep(time.Second)
	p.draws()
}

// spotAt returns the place of a revision in a row.
func (p *panel) spotAt(row string, rev int64) spot { return spot{row: row, x: p.cam.View.X(rev)} }

// TestFit wants lanes to become lower, and rows to grow where the page presents.
func TestFit(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(p *panel)
		lane float64
	}{
		{"much room", func(p *panel) { p.layout.height = 900 }, LaneUnits},
		{"little room", func(p *panel) { p.layout.height = 50 }, LowUnits},
		{"a phone", func(p *panel) { p.scene.Narrow = true }, PhoneUnits},
		{"a low window", func(p *panel) { p.layout.low, p.layout.height = true, 900 }, 46},
	} {
		play(t, func(t *testing.T, p *panel, s *paper) {
			c.set(p)
			if p.fit(); p.layout.lane != c.lane {
				t.Errorf("%s: %g, not %g", c.name, p.layout.lane, c.lane)
			}
		})
	}
	play(t, func(t *testing.T, p *panel, s *paper) {
		p.sized(sizes{width: 800, ruler: 120, height: 900, unit: 1, large: true})
		if p.layout.most < 1 || p.layout.grow <= 1 || s.styles["--grow"] == "1" {
			t.Errorf("presents %+v, %v", p.layout, s.styles)
		}
		p.sized(sizes{})
		clear(s.plots)
		p.changed = true
		p.draw(0)
		if len(s.plots) > 0 {
			t.Errorf("drawn without a size: %v", len(s.plots))
		}
	})
}

// TestLaneActs wants what the buttons of a lane do, and a click that was meant for what was there before to do nothing.
func TestLaneActs(t *testing.T) {
	play(t, func(t *testing.T, p *panel, s *paper) {
		lane := p.model.Lanes.List[0]
		asked := []string{}
		p.Page.Serve = func(r app.Request) (app.Response, error) {
			if r.Origin == "console" {
				asked = append(asked, r.Path)
			}
			return app.Response{Status: 410, Body: `{"kind":"Status","message":"too old"}`}, nil
		}
		use := func(action string, u app.Use) []string {
			u.Attributes = map[string]string{"data-id": lane.ID()}
			asked = nil
			p.Page.Take()
			p.Page.Uses[action](u)
			synctest.Wait()
			return append(p.Page.Take(), asked...)
		}
		if did := use("st-close", app.Use{Pointer: 1}); len(did) > 0 {
			t.Errorf("a click before anybody could see the button: %q", did)
		}
		if did := use("st-close", app.Use{}); !slices.Contains(did, "abort 2") {
			t.Errorf("close: %q", did)
		}
		time.Sleep(time.Second)
		if did := use("st-again", app.Use{Pointer: 1}); !slices.ContainsFunc(did, func(s string) bool {
			return strings.Contains(s, "/api/v1/pods?") && strings.Contains(s, "watch=")
		}) {
			t.Errorf("again: %q", did)
		}
		if !strings.Contains(p.problem, "410, too old") {
			t.Errorf("the refusal is not shown: %q", p.problem)
		}
		if did := use("st-drop-lane", app.Use{}); len(p.model.Lanes.List) != 0 || !slices.Contains(did, "focus st-add") {
			t.Errorf("drop: %q, %d lanes", did, len(p.model.Lanes.List))
		}
	})
}

// TestForm wants the form to open the watch that it describes, or to say what is wrong with it.
func TestForm(t *testing.T) {
	for _, c := range []struct{ path, from, asks, problem string }{
		{"/api/v1/pods", "head", "resourceVersion=10", ""}, {"/api/v1/pods", "any", "resourceVersion=0", ""},
		{"/api/v1/pods", "stream", "sendInitialEvents=true", ""}, {"pods", "head", "", "Not the path of a collection"},
		{"/api/v1/namespaces/default/pods/a", "head", "", "fieldSelector=metadata.name=a"},
	} {
		play(t, func(t *testing.T, p *panel, s *paper) {
			asked := ""
			p.Page.Serve = func(r app.Request) (app.Response, error) {
				if r.Origin == "console" {
					asked = r.Path
				}
				return app.Response{Status: 200}, nil
			}
			p.Page.Uses["st-watch"](app.Use{Fields: map[string]string{"path": c.path, "from": c.from}})
			synctest.Wait()
			if !strings.Contains(asked, c.asks) || c.asks == "" && asked != "" || !strings.Contains(p.problem, c.problem) {
				t.Errorf("%s from %s: asks %q, %q", c.path, c.from, asked, p.problem)
			}
		})
	}
}

// TestPlay wants the playhead to step on by itself to the head, and to stop there or when it is pressed again.
func TestPlay(t *testing.T) {
	play(t, func(t *testing.T, p *panel, s *paper) {
		p.Page.Uses["st-first"](app.Use{})
		first := p.At
		p.Page.Uses["st-play"](app.Use{})
		time.Sleep(3*pace + pace/2)
		if synctest.Wait(); p.At != first+3 || !p.travel.playing {
			t.Errorf("at %d after three steps from %d", p.At, first)
		}
		p.Page.Uses["st-play"](app.Use{})
		time.Sleep(2 * pace)
		if synctest.Wait(); p.At != first+3 {
			t.Errorf("at %d: it goes on", p.At)
		}
		p.Page.Uses["st-play"](app.Use{Pressed: app.Press{Shift: true}})
		time.Sleep(10 * pace)
		if synctest.Wait(); p.travel.playing || p.At != 10 && p.At != 9 {
			t.Errorf("at %d, playing: %v", p.At, p.travel.playing)
		}
		p.Page.Uses["st-live"](app.Use{})
		if p.At != 0 || !p.cam.Following() {
			t.Errorf("at %d", p.At)
		}
	})
}

// TestOtherCluster wants the stage of a cluster to be put away, and brought back.
func TestOtherCluster(t *testing.T) {
	play(t, func(t *testing.T, p *panel, s *paper) {
		app.Emit(p.Bus, app.State{Place: "devserver"})
		if p.model.Head() != 0 || len(p.model.Lanes.List) != 0 {
			t.Errorf("head %d", p.model.Head())
		}
		app.Emit(p.Bus, app.State{Place: "tab"})
		if p.model.Head() != 10 || len(p.model.Lanes.List) != 1 {
			t.Errorf("head %d, %d lanes", p.model.Head(), len(p.model.Lanes.List))
		}
	})
}

// A program that is paused is hatched from where it was, also when another one is paused since.
func TestPausedPrograms(t *testing.T) {
	play(t, func(t *testing.T, p *panel, s *paper) {
		write := func(rev int64, by string) {
			app.Emit(p.Bus, revisions.Frame{Commit: &revisions.Commit{Revision: rev, Verb: revisions.Modified,
				Version: "v1", Resource: "pods", Namespace: "default", Name: "p1", Request: by}})
		}
		use := func(name, key, value string) {
			p.Page.Uses[name](app.Use{Attributes: map[string]string{key: value}})
			p.later()
		}
		write(11, "kube-controller-manager/replicaset~10")
		write(12, "kube-controller-manager/deployment~11")
		write(13, "kube-scheduler/scheduler~11~binding")
		write(14, "kubelets/~13")
		use("st-parts", "data-id", "kube-controller-manager")
		use("st-held", "data-names", "kube-scheduler")
		write(15, "kubelets/~13")
		use("st-held", "data-names", "kube-scheduler kubelets")
		for id, want := range map[string]string{"by-kube-scheduler": "paused: 1 revision since",
			"by-kubelets": "paused: 0 revisions since", "by-page": "", "by-kube-controller-manager-deployment": ""} {
			drawn, there := s.plots["plot-"+id]
			if !there || strings.Contains(drawn, "st-held") != (want != "") || !strings.Contains(drawn, want) {
				t.Errorf("%s, there %v: %s", id, there, drawn)
			}
		}
		use("st-held", "data-names", "")
		if drawn := s.plots["plot-by-kubelets"]; strings.Contains(drawn, "st-held") {
			t.Errorf("kubelets are not paused: %s", drawn)
		}
	})
}
