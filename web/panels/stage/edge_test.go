package stage

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/core/horizon"
	"github.com/tabernetes/tabernetes/web/panels/stage/timeline"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

// An edgeCase is a lane of Pods of a server that remembers a window of them.
type edgeCase struct {
	name   string
	window revisions.Window
	resume int64
	// words are those of the row's sentence about the buffer.
	words string
}

var edgeCases = []edgeCase{
	{"busy", revisions.Window{Horizon: 10, Why: horizon.Busy, Held: 8, Capacity: 8}, 14,
		"w1, pods, open, 9 events, resume after 14; buffer starts at 11, 8 of 8, each event pushes one out"},
	{"refused", revisions.Window{Horizon: 10, Why: horizon.Busy, Held: 8, Capacity: 8}, 9,
		"w1, pods, open, 4 events, resume after 9, which is gone; buffer starts at 11, 8 of 8, each event pushes one out"},
	{"onedge", revisions.Window{Horizon: 10, Why: horizon.Busy, Held: 5, Capacity: 16}, 10,
		"w1, pods, open, 5 events, resume after 10; buffer starts at 11, 5 of 16, events have pushed others out"},
	{"restarted", revisions.Window{Horizon: 10, Why: horizon.Restarted, Held: 2, Capacity: 8}, 14,
		"w1, pods, open, 9 events, resume after 14; buffer starts at 11, 2 of 8, the server restarted"},
	{"relisted", revisions.Window{Horizon: 10, Why: horizon.Relisted, Held: 2, Capacity: 8}, 14,
		"w1, pods, open, 9 events, resume after 14; buffer starts at 11, 2 of 8, too late for etcd, listed again"},
	{"started", revisions.Window{Horizon: 10, Why: horizon.Started, Held: 2, Capacity: 8}, 14,
		"w1, pods, open, 9 events, resume after 14; buffer starts at 11, with the server, 2 of 8"},
	{"defined", revisions.Window{Horizon: 10, Why: horizon.Defined, Capacity: 8}, 14,
		"w1, pods, open, 9 events, resume after 14; buffer starts at 11, 0 of 8, its definition changed"},
	{"forgotten", revisions.Window{Horizon: 10, Why: horizon.Forgotten, Held: 60, Capacity: 100}, 14,
		"w1, pods, open, 9 events, resume after 14; buffer starts at 11, 60 of 100, history was dropped"},
	{"compacted", revisions.Window{Horizon: 10, Why: horizon.Compacted}, 14,
		"w1, pods, open, 9 events, resume after 14; no buffer, starts at 10, etcd’s wall"},
	{"whole", revisions.Window{Horizon: 1, Why: horizon.Started, Held: 9, Capacity: 100}, 14,
		"w1, pods, open, 9 events, resume after 14; buffer has all, 9 of 100"},
}

// remember is a world in which a client has watched Pods up to resume.
func (c edgeCase) remember() *world {
	w := &world{Model: timeline.New(&tap.Log{})}
	w.state(1, 0, 1)
	id := w.get("/api/v1/pods?watch=1&resourceVersion=5", "", false)
	for rev := int64(6); rev <= 14; rev++ {
		w.commit(rev, revisions.Modified, "pods", "a")
		if rev <= c.resume {
			w.send(tap.Event{Type: tap.Chunk, ID: id, Text: event("MODIFIED", rev, "a")})
		}
	}
	w.state(14, 10, 14)
	c.window.Resource = "pods"
	w.Remember(revisions.Windows{Capacity: revisions.Capacity{Least: 8, Most: 8}, Servers: []revisions.ServerWindows{
		{Since: 1, Why: horizon.Started, Types: []revisions.Window{c.window}}}})
	return w
}

// remembering adds the drawing of each edge.
func remembering(cases map[string]templ.Component) {
	for _, c := range edgeCases {
		sc := c.remember().scene(1400, 60)
		l := sc.Lanes.List[0]
		cases["edge/"+c.name] = svg(sc.Lane(l, 56))
		cases["edge/"+c.name+"-head"] = LaneHead(sc.LaneView(l, false))
		if c.name == "busy" {
			cases["edge/dense"] = svg(sc.Lane(l, 22))
			cases["edge/ruler"] = svg(sc.Ruler(148))
			cases["edge/revision"] = RevisionHead(sc.RevisionView())
			cases["edge/server"] = svg(sc.Server(0, 60))
		}
	}
}

func TestBufferWords(t *testing.T) {
	for _, c := range edgeCases {
		w := c.remember()
		if got := w.scene(1400, 60).LaneView(w.Lanes.List[0], false).Words; got != c.words {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.words)
		}
	}
}

// In the hatched part means refused, and nowhere else.
func TestHouseAndEdge(t *testing.T) {
	for resume := int64(6); resume <= 14; resume++ {
		for _, why := range []horizon.Cause{horizon.Busy, horizon.Compacted} {
			c := edgeCase{window: revisions.Window{Horizon: 10, Why: why, Held: 8, Capacity: 8}, resume: resume}
			if why == horizon.Compacted {
				c.window.Held, c.window.Capacity = 0, 0
			}
			sc := c.remember().scene(1400, 60)
			l := sc.Lanes.List[0]
			e, _ := sc.laneEdge(l)
			refused := strings.Contains(sc.Lane(l, 56), "is-gone")
			if left := sc.houseX(l, resume) < e.x; left != refused || refused != (resume < 10) {
				t.Errorf("%s, resume after %d: refused %v, in the hatched part %v", why, resume, refused, left)
			}
		}
	}
}

// Words do not run into the house, nor out of the plot; where there is no room, the sentence of the row has them.
func TestWordsHaveRoom(t *testing.T) {
	for width := 80.0; width < 1500; width += 35 {
		for _, c := range edgeCases {
			sc := c.remember().scene(width, 44)
			l := sc.Lanes.List[0]
			e, w := sc.laneEdge(l)
			drawn := strings.Contains(sc.Lane(l, 56), "starts at")
			words, note := sc.edgeWords(l, w)
			room := float64(len(words)) * 6
			if strings.Contains(sc.Lane(l, 56), "tspan class=\"soft\"") {
				room += float64(len(note)) * 6
			}
			if drawn && e.x-room < 0 && e.x+room > width {
				t.Errorf("%s: words beside %g in a plot of %g", c.name, e.x, width)
			}
		}
	}
}

// Lanes that share a buffer say once where it begins, and the chosen one does.
func TestOneLaneSpeaks(t *testing.T) {
	w := edgeCases[0].remember()
	for _, url := range []string{"/api/v1/namespaces/default/pods", "/api/v1/secrets", "/api/v1/pods"} {
		w.get(url+"?watch=1&resourceVersion=14", "", false)
	}
	sc := w.scene(1400, 60)
	said := func() (out []bool) {
		for _, l := range sc.Lanes.List {
			out = append(out, sc.speaks(l))
		}
		return out
	}
	if got := said(); !reflect.DeepEqual(got, []bool{true, false, true, false}) {
		t.Errorf("they say it: %v", got)
	}
	sc.Spoken = sc.Lanes.List[3].Req
	if got := said(); !reflect.DeepEqual(got, []bool{true, false, true, true}) {
		t.Errorf("with the last one chosen: %v", got)
	}
}

func TestFoldsAreSplitAtEdges(t *testing.T) {
	f := Fold{2, 20, "cluster start"}
	for _, test := range []struct {
		at   []int64
		want string
	}{
		{nil, "2–20"},
		{[]int64{10}, "2–9 10–20"},
		{[]int64{18, 10, 18}, "2–9 10–17 18–20"},
		{[]int64{3}, "3–20"},
		{[]int64{20}, "2–19"},
		{[]int64{4, 6, 8, 10}, "2–5 6–7 8–9 10–20"},
	} {
		var got []string
		for _, p := range split(f, test.at) {
			got = append(got, fmt.Sprintf("%d–%d", p.Lo, p.Hi))
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("at %v: %v, want %s", test.at, got, test.want)
		}
	}
	w := edgeCases[0].remember()
	if got := w.scene(1400, 60).Split(Fold{5, 12, ""}); !reflect.DeepEqual(got, []Fold{{5, 10, ""}, {11, 12, ""}}) {
		t.Errorf("at a lane's edge: %v", got)
	}
}

// The arrow keys go from a lane's head to its tank, to its edge, and on to its events; past what it does not have.
func TestPartsOfALane(t *testing.T) {
	for _, c := range edgeCases {
		sc := c.remember().scene(1400, 60)
		l := sc.Lanes.List[0]
		var got []string
		for at, words := sc.besidePart(l, onHead, 1); at != onEvents; at, words = sc.besidePart(l, at, 1) {
			got = append(got, words)
		}
		for at, _ := sc.besidePart(l, onEdge, -1); at != onEvents; at, _ = sc.besidePart(l, at, -1) {
			got = append(got, partNames[at])
		}
		want := map[string]string{
			"busy": "w1, its buffer: 8 of 8: each event pushes one out; w1, its edge: starts at 11, 8 of 8: each event " +
				"pushes one out; tank; head",
			"compacted": "w1, its edge: starts at 10, no buffer: ends at etcd’s wall; head",
			"whole":     "w1, its buffer: 9 of 100; tank; head",
		}[c.name]
		if want != "" && strings.Join(got, "; ") != want {
			t.Errorf("%s: %s\nwant %s", c.name, strings.Join(got, "; "), want)
		}
	}
}

// byKubectl returns a lane as kubectl makes it.
func byKubectl(l timeline.Lane) *timeline.Lane {
	l.Command = "kubectl get"
	return &l
}
