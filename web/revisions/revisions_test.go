package revisions

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

const stream = `{"type":"STATE","state":{"head":1287,"caches":[1287,1280],"compacted":1034,"cluster":"c1"}}` + "\n" +
	`{"type":"COMMIT","commit":{"revision":5,"time":"2026-11-20T23:00:00.123Z","verb":"ADDED",` +
	`"group":"","version":"v1","resource":"pods","kind":"Pod","namespace":"default","name":"a","uid":"u1"}}` + "\n" +
	`{"type":"LATER","later":{"x":[1]}}` + "\n" +
	`{"type":"COMMIT","commit":{"revision":6,"time":"2026-11-20T23:00:01Z","verb":"DELETED",` +
	`"group":"apps","version":"v1","resource":"deployments","kind":"Deployment",` +
	`"namespace":"default","name":"b","uid":"u2","user":"ada-x","manager":"kubectl","request":"ada.7"}}` + "\n"

func wanted() []Frame {
	return []Frame{
		{State: &State{Head: 1287, Caches: []int64{1287, 1280}, Compacted: 1034, Cluster: "c1"}},
		{Commit: &Commit{5, time.Date(2026, 11, 20, 23, 0, 0, 123e6, time.UTC), Added, "", "v1", "pods", "Pod", "default",
			"a", "u1", "", "", ""}},
		{},
		{Commit: &Commit{6, time.Date(2026, 11, 20, 23, 0, 1, 0, time.UTC), Deleted, "apps", "v1", "deployments",
			"Deployment", "default", "b", "u2", "ada-x", "kubectl", "ada.7"}},
	}
}

func TestFeedHoweverItIsCut(t *testing.T) {
	for cut := 1; cut < len(stream); cut++ {
		var d Decoder
		var got []Frame
		each := func(f Frame) { got = append(got, f) }
		if err := d.Feed(stream[:cut], each); err != nil {
			t.Fatal(err)
		}
		if err := d.Feed(stream[cut:], each); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, wanted()) {
			t.Fatalf("cut at %d: got %+v", cut, got)
		}
	}
}

func TestBadLines(t *testing.T) {
	for _, line := range []string{``, `{`, `[]`, `{"commit":5}`, `{"state":{"head":"x"}}`,
		`{"commit":{"time":"yesterday"}}`, `{} {}`} {
		if f, err := parse([]byte(line)); err == nil || f.State != nil || f.Commit != nil {
			t.Errorf("%q: got %+v, %v", line, f, err)
		}
	}
	var d Decoder
	n := 0
	err := d.Feed("nonsense\n"+stream, func(Frame) { n++ })
	if err == nil || !strings.Contains(err.Error(), "nonsense") || n != 4 {
		t.Errorf("a bad line must be named and must not hide the others: %v, %d frames", err, n)
	}
}

func TestRef(t *testing.T) {
	for _, tc := range []struct {
		c    Commit
		want string
	}{
		{Commit{Resource: "pods", Namespace: "default", Name: "a"}, "obj-pods/default/a"},
		{Commit{Group: "apps", Resource: "deployments", Namespace: "x", Name: "b"}, "obj-deployments.apps/x/b"},
		{Commit{Resource: "nodes", Name: "n"}, "obj-nodes/_/n"},
	} {
		if got := tc.c.Ref(); got != tc.want {
			t.Errorf("got %s, want %s", got, tc.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, line := range strings.Split(stream, "\n") {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		fr, err := parse([]byte(line))
		if err != nil && (fr.State != nil || fr.Commit != nil) {
			t.Fatalf("an error and a frame: %+v, %v", fr, err)
		}
	})
}

func BenchmarkFeed(b *testing.B) {
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, `{"type":"COMMIT","commit":{"revision":%d,"time":"2026-11-20T23:00:00.123Z","verb":"ADDED",`+
			`"group":"","version":"v1","resource":"pods","kind":"Pod","namespace":"default","name":"pod-%d",`+
			`"uid":"75e3b9d4-9745-4106-ad26-5840a05da311"}}`+"\n", i, i)
	}
	var d Decoder
	for b.Loop() {
		n := 0
		if err := d.Feed(text.String(), func(Frame) { n++ }); err != nil || n != 1000 {
			b.Fatal(n, err)
		}
	}
	b.ReportMetric(float64(b.N)*1000/b.Elapsed().Seconds(), "commits/s")
}

func TestTheLeversOfAState(t *testing.T) {
	f, err := parse([]byte(`{"type":"STATE","state":{"head":9,"caches":[9,4,7],"compacted":2,"cluster":"c",` +
		`"replicas":[{"lagSeconds":0,"frozen":false},{"lagSeconds":0,"frozen":true,"later":1},{"lagSeconds":5,` +
		`"frozen":false}],` +
		`"clock":{"paused":true,"offsetSeconds":0,"now":"2026-11-20T23:00:00.5Z","later":{}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 20, 23, 0, 0, 5e8, time.UTC)
	want := &State{
		Head: 9, Caches: []int64{9, 4, 7}, Compacted: 2, Cluster: "c",
		Replicas: []Replica{{}, {Frozen: true}, {Lag: 5}}, Clock: Clock{Paused: true, Now: at},
	}
	if !reflect.DeepEqual(f.State, want) {
		t.Fatalf("got %+v", f.State)
	}
	s := *f.State
	if s.Slowest() != 4 || s.Cache(2) != 7 || s.Cache(3) != 9 || s.Cache(-1) != 9 {
		t.Error("a cache is not where it is")
	}
	if got := s.Missing(7); !reflect.DeepEqual(got, []string{"C1"}) {
		t.Errorf("missing 7: %v", got)
	}
	if got := (State{Head: 9, Caches: []int64{4}}).Missing(7); !reflect.DeepEqual(got, []string{"cache"}) {
		t.Errorf("missing 7: %v", got)
	}
	if got := s.Clock.At(at.Add(time.Hour)); !got.Equal(at) {
		t.Errorf("a paused clock went on to %v", got)
	}
	if got := (Clock{Offset: 90}).At(at); !got.Equal(at.Add(90 * time.Second)) {
		t.Errorf("90 s ahead is %v", got)
	}
}

func TestAClockThatIsFaster(t *testing.T) {
	f, err := parse([]byte(`{"type":"STATE","state":{"head":9,` +
		`"clock":{"paused":false,"offsetSeconds":90,"rate":60,"since":"2026-11-20T23:00:00Z"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	since := time.Date(2026, 11, 20, 23, 0, 0, 0, time.UTC)
	if got, want := f.State.Clock.At(since.Add(2*time.Second)), since.Add(210*time.Second); !got.Equal(want) {
		t.Errorf("after two seconds it is %v, want %v", got, want)
	}
	moved := Clock{Faster: 59, Offset: 90}
	if got := moved.At(since); !got.Equal(since.Add(90 * time.Second)) {
		t.Errorf("while it is moved it is %v", got)
	}
}

func TestChaos(t *testing.T) {
	var d Decoder
	f, err := d.Parse(`{"type":"STATE","state":{"head":7,"chaos":{"seed":-42,"acts":3,"last":{"act":"Lag",` +
		`"time":"2026-11-20T23:00:00Z","server":1,"lagSeconds":4}}}}`)
	if want := (Chaos{On: true, Seed: -42, Acts: 3, Last: "Lag"}); err != nil || f.State.Chaos != want {
		t.Errorf("%+v, %v", f.State, err)
	}
	if f, _ := d.Parse(`{"type":"STATE","state":{"head":7}}`); f.State.Chaos.On {
		t.Error("chaos is on though nobody said so")
	}
}

func TestBy(t *testing.T) {
	for request, want := range map[string]int{"p1.17": 17, "p1.": 0, "p1.x": 0, "p2.17": 0, "": 0, "p1": 0, ".17": 0} {
		f, err := parse([]byte(`{"type":"COMMIT","commit":{"revision":3,"request":"` + request + `"}}`))
		if err != nil || f.Commit.Request != request || f.Commit.By("p1") != want || f.Commit.By("") != 0 {
			t.Errorf("%q: %+v, %v", request, f.Commit, err)
		}
	}
}

// parse reads one line of the stream.
func parse(line []byte) (Frame, error) { return new(Decoder).Parse(string(line)) }

func TestOriginOfACommit(t *testing.T) {
	for request, want := range map[string]Origin{
		"kube-controller-manager/deployment~42":        {"kube-controller-manager", "deployment", 42, ""},
		"kube-controller-manager/deployment~42~status": {"kube-controller-manager", "deployment", 42, "status"},
		"kubelets/~0": {"kubelets", "", 0, ""},
	} {
		c := Commit{Request: request}
		if got, ok := c.Origin(); !ok || got != want {
			t.Errorf("%s: %+v %v", request, got, ok)
		}
	}
	for _, request := range []string{"", "p1abc.7", "a/b", "/b~1", "a/b~x"} {
		c := Commit{Request: request}
		if got, ok := c.Origin(); ok {
			t.Errorf("%q was made by %+v", request, got)
		}
	}
}
