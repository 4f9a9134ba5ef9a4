package timeline

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

var update = flag.Bool("update", false, "write the golden files anew")

func token64(rv int64, after int) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"v":"meta.k8s.io/v1","rv":%d,"start":"pod-%04d\u0000"}`, rv, after))
}

// busy is a cluster with a bit of everything.
func busy() *world {
	w := newWorld()
	w.Retention = 5 * time.Minute
	verbs := []revisions.Verb{revisions.Added, revisions.Modified, revisions.Deleted}
	w.state(1, 0, 1)
	for rev := int64(2); rev <= 20; rev++ {
		w.commit(rev, verbs[rev%3], "default", fmt.Sprintf("pod-%04d", rev))
	}
	w.state(20, 8, 20)
	a := w.open("/api/v1/namespaces/default/pods?watch=1&resourceVersion=12&allowWatchBookmarks=true&labelSelector=app%3Dweb", 200)
	for rev := int64(13); rev <= 20; rev++ {
		w.chunk(a, event(string(verbs[rev%3]), rev, "x"))
	}
	w.chunk(a, bookmark(20, false))
	b := w.open("/api/v1/pods?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true", 200)
	w.chunk(b, event("ADDED", 14, "a")+event("ADDED", 11, `<b>"&`)+bookmark(20, true))
	w.send(tap.Event{Type: tap.Fail, ID: b, Aborted: true})
	c := w.open("/api/v1/pods?watch=1&resourceVersion=3", 200)
	w.chunk(c, gone)
	w.end(c)
	w.get("/api/v1/pods?limit=500", 200, page(18, 1, 500, 1253))
	w.get(w.Chains.List[0].NextURL(), 200, page(18, 501, 1000, 1253))
	w.state(20, 8, 17)
	return w
}

func (w *world) scene(width, perRev, left float64) *Scene {
	return &Scene{View: View{Left: left, PerRev: perRev, Width: width}, State: w.State, Objects: &w.Objects}
}

func render(t *testing.T, c templ.Component) string {
	t.Helper()
	var b strings.Builder
	if err := c.Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestGolden holds every drawing and component against testdata/golden.
// go test -run Golden -update writes them anew: look at what changed.
func TestGolden(t *testing.T) {
	w := busy()
	sc := w.scene(800, 22, 0)
	sc.Selected = 10
	narrow := w.scene(360, 4, -2)
	narrow.Compact = true
	away := w.scene(300, 22, 100)
	now := start.Add(3 * time.Minute)
	layer := func(sc *Scene, style Style, s *Series) string {
		p := (&Layer{Style: style, Ref: "req-1"}).Update(sc, s)
		return `<g transform="` + p.Transform + `">` + p.HTML + "</g>"
	}
	expired := busy()
	chain := expired.Chains.List[0]
	expired.get(chain.NextURL(), 410, fmt.Sprintf(`{"kind":"Status","code":410,"message":"too old","metadata":{"continue":%q}}`, token64(-1, 1000)))
	loose := busy()
	chain = loose.Chains.List[0]
	loose.get(chain.NextURL(), 410, fmt.Sprintf(`{"kind":"Status","code":410,"message":"too old","metadata":{"continue":%q}}`, token64(-1, 1000)))
	loose.get(chain.FreshURL(), 200, page(20, 1001, 1253, 1253))

	three := func() *Scene {
		sc := w.scene(800, 22, 0)
		sc.State.Caches = []int64{16, 20, 13}
		return sc
	}
	close := three()
	close.State.Caches = []int64{20, 19, 18}
	far := w.scene(300, 22, 12)
	far.State.Caches = []int64{5}
	lane := *w.Lanes.List[0]
	lane.Replica = 2
	lane.Marks = NewSeries(10)
	lane.Resume = 12
	servers := busy()
	servers.state(20, 8, 20, 17)
	servers.Lanes.List[0].Replica = 1

	for name, got := range map[string]string{
		"ruler-caches": three().RulerBack() + three().RulerFront(),
		"ruler-close":  close.RulerBack() + close.RulerFront(),
		"ruler-far":    far.RulerBack() + far.RulerFront(),
		"lane-held":    three().LaneBack(&lane),
		"list-held":    render(t, LaneList(servers.LaneViews()[2:])),
		"ruler":        sc.RulerBack() + layer(sc, OnRuler, &w.Commits) + sc.RulerFront(),
		"ruler-dense":  narrow.RulerBack() + layer(narrow, OnRuler, &w.Commits) + narrow.RulerFront(),
		"ruler-away":   away.RulerBack() + layer(away, OnRuler, &w.Commits) + away.RulerFront(),
		"lane-open":    sc.LaneBack(w.Lanes.List[0]) + layer(sc, OnLane, &w.Lanes.List[0].Marks),
		"lane-dense":   layer(narrow, OnLane, &w.Lanes.List[0].Marks),
		"lane-initial": sc.LaneBack(w.Lanes.List[1]) + layer(sc, Outline, &w.Lanes.List[1].State) + layer(sc, OnLane, &w.Lanes.List[1].Marks),
		"lane-error":   sc.LaneBack(w.Lanes.List[2]) + layer(sc, OnLane, &w.Lanes.List[2].Marks),
		"lane-away":    away.LaneBack(w.Lanes.List[2]),
		"chain":        sc.ChainBack(w.Chains.List[0]) + layer(sc, Ghost, &w.Chains.List[0].Later),
		"chain-loose":  sc.ChainBack(loose.Chains.List[0]),
		"list-lanes":   render(t, LaneList(w.LaneViews())),
		"list-none":    render(t, LaneList(nil)) + render(t, ChainList(nil)),
		"list-chains":  render(t, ChainList(w.ChainViews(now, false))),
		"list-expired": render(t, ChainList(expired.ChainViews(now, true))),
		"list-loose":   render(t, ChainList(loose.ChainViews(now, false))),
		"readout":      render(t, Readout(w.Readout(10))) + render(t, Readout(w.Readout(5))) + render(t, Readout(w.Readout(99))) + render(t, Readout(w.Readout(19))) + render(t, Readout(servers.Readout(19))),
		"tools":        render(t, Tools(ToolsView{Following: true})) + render(t, Tools(ToolsView{Paused: true, Waiting: 3})),
		"table-ruler":  render(t, RevisionTable(w.RevisionRows(5, 12), 5, 12)),
		"table-lanes":  render(t, LaneTable(w.LaneViews(), w.LaneRows())),
		"table-pages":  render(t, PageTable(w.ChainViews(now, false))),
		"skeleton":     render(t, Skeleton()),
	} {
		t.Run(name, func(t *testing.T) {
			if strings.Contains(got, "style=") || strings.Contains(got, "onclick=") {
				t.Error("an inline style or handler: the page's policy forbids them")
			}
			got = strings.ReplaceAll(got, "><", ">\n<") + "\n"
			wellFormed(t, got)
			file := filepath.Join("testdata", "golden", name, "want.html")
			if *update {
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(want, []byte(got)) {
				t.Errorf("differs from %s at: %s", file, difference(string(want), got))
			}
		})
	}
}

func difference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d\n want %s\n  got %s", i+1, a[i], b[i])
		}
	}
	return "the end"
}

var (
	bare  = regexp.MustCompile(`<(input|option)([^>]*?)/?>`)
	alone = regexp.MustCompile(` (hidden|selected|data-keep)([ >])`)
)

// wellFormed reads the markup as XML, after writing out what HTML may leave out.
func wellFormed(t *testing.T, html string) {
	t.Helper()
	html = alone.ReplaceAllString(alone.ReplaceAllString(html, ` $1=""$2`), ` $1=""$2`)
	html = bare.ReplaceAllStringFunc(html, func(s string) string {
		if strings.HasPrefix(s, "<input") {
			return strings.TrimSuffix(strings.TrimSuffix(s, ">"), "/") + "/>"
		}
		return s
	})
	d := xml.NewDecoder(strings.NewReader("<x>" + html + "</x>"))
	for {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Errorf("not well formed: %v", err)
			return
		}
	}
}

var marked = regexp.MustCompile(`<g class="tl-mark[^>]*data-rev="(\d+)"`)

func revsOf(html string) (out []string) {
	for _, m := range marked.FindAllStringSubmatch(html, -1) {
		out = append(out, m[1])
	}
	return out
}

// TestLayerGrowsAsItWouldBeDrawnAnew feeds a series while the view glides, and
// holds what has been put together against what is drawn at one go.
func TestLayerGrowsAsItWouldBeDrawnAnew(t *testing.T) {
	w := newWorld()
	cam := NewCamera()
	cam.Resize(600)
	l := Layer{Style: OnRuler}
	html, replaced, appended := "", 0, 0
	for rev := int64(1); rev <= 160; rev++ {
		w.state(rev, 0, rev)
		w.commit(rev, revisions.Modified, "default", "a")
		cam.Extend(1, rev, 1)
		cam.Step(16)
		sc := w.scene(0, 0, 0)
		sc.View = cam.View
		p := l.Update(sc, &w.Commits)
		if p.Replace {
			html, replaced = p.HTML, replaced+1
		} else if p.HTML != "" {
			html += p.HTML
			appended++
		}
		if rev%8 != 0 {
			continue
		}
		fresh := Layer{Style: OnRuler}
		want := fresh.Update(sc, &w.Commits)
		lo, hi := cam.Range()
		inSight := func(all []string) (out []string) {
			for _, r := range all {
				var n int64
				fmt.Sscan(r, &n)
				if n >= lo && n <= hi {
					out = append(out, r)
				}
			}
			return out
		}
		if got, want := fmt.Sprint(inSight(revsOf(html))), fmt.Sprint(inSight(revsOf(want.HTML))); got != want {
			t.Fatalf("at revision %d: got %s, want %s", rev, got, want)
		}
	}
	if replaced > 30 || appended < 120 {
		t.Errorf("%d times drawn anew, %d times appended: it should mostly grow", replaced, appended)
	}
}

func TestLayerWithNothingNewOnlyMoves(t *testing.T) {
	w := busy()
	l := Layer{Style: OnRuler}
	sc := w.scene(300, 22, 5)
	l.Update(sc, &w.Commits)
	sc.View.Left += 0.5
	if p := l.Update(sc, &w.Commits); p.Replace || p.HTML != "" || p.Transform == "" {
		t.Errorf("%+v", p)
	}
}

func TestBinsAreNotDrawnAnewForEveryEvent(t *testing.T) {
	w := newWorld()
	l := Layer{Style: OnRuler}
	drawn := 0
	for rev := int64(1); rev <= 1000; rev++ { // one a millisecond
		w.commit(rev, revisions.Modified, "default", "a")
		sc := w.scene(1000, 0.5, 0)
		sc.Now = float64(rev)
		p := l.Update(sc, &w.Commits)
		if p.Replace {
			drawn++
		} else if !p.Again {
			t.Fatal("what was not drawn is not asked for again")
		}
	}
	if drawn < 9 || drawn > 11 {
		t.Errorf("drawn anew %d times in a second", drawn)
	}
}

func TestAPausedPictureHoldsNothingNewer(t *testing.T) {
	w := busy()
	sc := w.scene(800, 22, 0)
	sc.Until = 15
	got := revsOf((&Layer{Style: OnRuler}).Update(sc, &w.Commits).HTML)
	if got[len(got)-1] != "15" || !strings.Contains(sc.RulerFront(), ">15<") {
		t.Errorf("%v", got)
	}
}

// TestFewElementsWhateverTheLength bounds what a frame costs.
func TestFewElementsWhateverTheLength(t *testing.T) {
	w := newWorld()
	for rev := int64(1); rev <= 100_000; rev++ {
		w.commit(rev, revisions.Modified, "default", "a")
	}
	w.state(100_000, 1000, 100_000)
	for _, perRev := range []float64{0.008, 0.1, 1, 7.9, 8, 30, 56} {
		sc := w.scene(1200, perRev, 20_000)
		if n := strings.Count((&Layer{Style: OnRuler}).Update(sc, &w.Commits).HTML, "<"); n > 4000 {
			t.Errorf("%v pixels per revision: %d elements", perRev, n)
		}
	}
}

// TestBinsCountEverything adds up what the bins in sight say.
func TestBinsCountEverything(t *testing.T) {
	w := newWorld()
	verbs := []revisions.Verb{revisions.Added, revisions.Modified, revisions.Deleted, revisions.Modified}
	for rev := int64(1); rev <= 5000; rev++ {
		w.commit(rev, verbs[rev%4], "default", "a")
	}
	sc := w.scene(1000, 0.2, 0)
	html := (&Layer{Style: OnRuler}).Update(sc, &w.Commits).HTML
	var total int
	for _, bin := range regexp.MustCompile(`class="tl-bin"[^>]*`).FindAllString(html, -1) {
		for _, m := range regexp.MustCompile(`(\d+) (added|modified|deleted)`).FindAllStringSubmatch(bin, -1) {
			var n int
			fmt.Sscan(m[1], &n)
			total += n
		}
	}
	total += len(revsOf(html))
	if total != 5000 {
		t.Errorf("the bins hold %d of 5000 events", total)
	}
}

func TestAgo(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0 s", 12 * time.Second: "12 s", 228 * time.Second: "3 m 48 s", 5 * time.Minute: "5 m", 2*time.Hour + 3*time.Minute: "2 h 3 m",
	} {
		if got := Ago(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

func BenchmarkDrawDense(b *testing.B) {
	w := newWorld()
	for rev := int64(1); rev <= 100_000; rev++ {
		w.commit(rev, revisions.Modified, "default", "a")
	}
	sc := w.scene(1100, 0.01, 0)
	for b.Loop() {
		l := Layer{Style: OnRuler}
		l.Update(sc, &w.Commits)
	}
}

func BenchmarkDrawTicks(b *testing.B) {
	w := newWorld()
	for rev := int64(1); rev <= 1000; rev++ {
		w.commit(rev, revisions.Modified, "default", "a")
	}
	sc := w.scene(1100, 8, 500)
	for b.Loop() {
		l := Layer{Style: OnRuler}
		l.Update(sc, &w.Commits)
	}
}
