package history

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/tap"
)

// all is a budget that looks through everything.
const all = 1 << 30

func answered(l *tap.Log, id int, origin, method, url string, status int, text string) {
	l.Add(tap.Event{Type: tap.Request, ID: id, Method: method, URL: url, Origin: origin, Time: at(id)})
	l.Add(tap.Event{Type: tap.Head, ID: id, Status: status, Time: at(id + 1)})
	l.Add(tap.Event{Type: tap.Chunk, ID: id, Text: text})
	l.Add(tap.Event{Type: tap.End, ID: id, Time: at(id + 2)})
}

// shown writes a View's rows: the newest ID, how many more there are, an ! for each that failed.
func shown(v *View) string {
	var out []string
	for _, r := range v.Rows(0, v.Len()) {
		s := fmt.Sprint(r.ID)
		if r.Run != 0 && r.Open {
			s += "o"
		}
		out = append(out, s+strings.Repeat("+", r.Count-1)+strings.Repeat("!", r.Failed))
	}
	return strings.Join(out, " ")
}

func sampleLog() *tap.Log {
	l := &tap.Log{}
	answered(l, 1, "console", "POST", "/api/v1/namespaces/a/pods", 201, "")
	answered(l, 2, "sample", "POST", "/api/v1/namespaces/a/pods", 201, "")
	answered(l, 3, "sample", "POST", "/api/v1/namespaces/a/pods", 409, "")
	answered(l, 4, "sample", "POST", "/api/v1/namespaces/a/services", 201, "")
	answered(l, 5, "page", "GET", "/api", 200, "Versions of the API")
	answered(l, 6, "page", "GET", "/api/v1/pods?watch=1", 200, `{"type":"ADDED","object":{"kind":"Pod"}}`+"\n")
	answered(l, 7, "page", "GET", "/api/v1/pods?watch=1&resourceVersion=1", 200, `{"type":"ERROR","object":{"code":410}}`+
		"\n")
	l.Add(tap.Event{Type: tap.Request, ID: 8, Method: "GET", URL: "/api/v1/pods", Origin: "lesson", Time: at(8),
		Header: []tap.Field{{Name: "X-Tag", Value: "Blue"}}})
	return l
}

func TestViewFilters(t *testing.T) {
	l := sampleLog()
	v := NewView(l)
	for _, c := range []struct {
		filter Filter
		want   string
	}{
		{Filter{}, "8 7! 6 5 4 3+! 1"},
		{Filter{Kind: Reads}, "8 5"},
		{Filter{Kind: Writes}, "4 3+! 1"},
		{Filter{Kind: Watches}, "7! 6"},
		{Filter{Kind: Errors}, "7! 3!"},
		{Filter{Origin: "sample"}, "4 3+!"},
		{Filter{Origin: "sample", Kind: Reads}, ""},
		{Filter{Text: "POST"}, "4 3+! 1"},
		{Filter{Text: "services"}, "4"},
		{Filter{Text: "409"}, "3!"},
		{Filter{Text: "versions OF"}, "5"},
		{Filter{Text: "x-tag: blue"}, "8"},
		{Filter{Text: `"kind":"Pod"`}, "6"},
		{Filter{Text: "pod", Kind: Watches}, "7! 6"},
		{Filter{Text: "no such"}, ""},
	} {
		v.SetFilter(c.filter)
		if v.Update(all) {
			t.Errorf("%+v: there is more", c.filter)
		}
		if got := shown(v); got != c.want {
			t.Errorf("%+v: got %s, want %s", c.filter, got, c.want)
		}
	}
}

// The list is of one cluster; what happens in another one meanwhile is there when it is asked for.
func TestViewOfAPlace(t *testing.T) {
	var l tap.Log
	v := NewView(&l)
	ask := func(id int, place, method, url string) {
		l.Add(tap.Event{Type: tap.Request, ID: id, Method: method, URL: url, Place: place, Time: at(id)})
		l.Add(tap.Event{Type: tap.Head, ID: id, Status: 200})
		l.Add(tap.Event{Type: tap.End, ID: id, Time: at(id)})
	}
	want := func(place, rows string) {
		t.Helper()
		v.SetFilter(Filter{Place: place})
		v.Update(all)
		if got := shown(v); got != rows || l.In(place) != v.Len() {
			t.Errorf("%s: %s, want %s; %d are known", place, got, rows, l.In(place))
		}
	}
	ask(1, "tab", "GET", "/api/v1/pods")
	ask(2, "devserver", "GET", "/api/v1/pods")
	want("tab", "1")
	ask(3, "tab", "POST", wellknown.ControlPlane+"/compact")
	want("devserver", "2")
	if e := Compacted(&l, "devserver", 9, at(3)); e != nil {
		t.Errorf("request %d has compacted another cluster", e.ID)
	}
	ask(4, "devserver", "GET", "/api/v1/nodes")
	want("devserver", "4 2")
	want("tab", "3 1")
	if e := Compacted(&l, "tab", 9, at(3)); e == nil || e.ID != 3 {
		t.Errorf("compacted by %+v", e)
	}
	ask(5, "scene 1", "GET", "/api/v1/pods")
	l.Drop(func(x *tap.Exchange) bool { return x.Place == "tab" })
	want("tab", "")
	want("devserver", "4 2")
}

func TestViewSorts(t *testing.T) {
	l := sampleLog()
	l.Get(1).Source.Wrote = []Span{{First: 30, Last: 30}}
	l.Get(5).Source.Revision, l.Get(5).Source.Server = 29, 2
	v := NewView(l)
	for _, c := range []struct {
		order Order
		want  string
	}{
		{Order{}, "8 7! 6 5 4 3+! 1"},
		{Order{Ascending: true}, "1 3+! 4 5 6 7! 8"},
		{Order{By: ByStatus}, "3! 4 2 1 7! 6 5 8"},
		{Order{By: ByMethod, Ascending: true}, "5 6 7! 8 1 2 3! 4"},
		{Order{By: ByPath, Ascending: true}, "5 1 2 3! 8 6 7! 4"},
		{Order{By: ByRevision}, "1 5 8 7! 6 4 3! 2"},
		{Order{By: ByServer}, "5 8 7! 6 4 3! 2 1"},
		{Order{By: ByDuration}, "8 7! 6 5 4 3! 2 1"},
		{Order{By: BySize}, "6 7! 5 8 4 3! 2 1"},
	} {
		v.SetOrder(c.order)
		v.Update(all)
		if got := shown(v); got != c.want {
			t.Errorf("%+v: got %s, want %s", c.order, got, c.want)
		}
	}
	if o := (Order{}).Next(ByStarted); o != (Order{By: ByStarted, Ascending: true}) {
		t.Errorf("started again: %+v", o)
	}
	if o := (Order{}).Next(ByPath); o != (Order{By: ByPath, Ascending: true}) || o.Next(ByPath).Ascending ||
		o.Next(BySize).Ascending {
		t.Errorf("path, then size: %+v", o)
	}
}

func TestViewUnfoldsRuns(t *testing.T) {
	l := sampleLog()
	v := NewView(l)
	v.Update(all)
	if i := v.Index(2); i != 5 || v.Index(3) != 5 || v.Index(99) != -1 {
		t.Errorf("row %d", i)
	}
	run := v.Rows(5, 6)[0].Run
	v.Fold(run, true)
	v.Update(all)
	if got := shown(v); got != "8 7! 6 5 4 3o+! 2o 1" || v.Index(2) != 6 {
		t.Errorf("unfolded: %s", got)
	}
	v.SetOrder(Order{Ascending: true})
	v.Update(all)
	if got := shown(v); got != "1 2o+ 3o! 4 5 6 7! 8" {
		t.Errorf("ascending: %s", got)
	}
	v.Fold(run, false)
	v.SetFilter(Filter{Origin: "console"})
	v.Update(all)
	if got := shown(v); got != "1" || v.Index(2) != -1 {
		t.Errorf("without the run: %s", got)
	}
	l.Drop(func(*tap.Exchange) bool { return true })
	v.SetFilter(Filter{})
	v.Update(all)
	if got := shown(v); got != "8" {
		t.Errorf("after Clear: %s", got)
	}
}

// What a lesson is set up with is one row, whatever the requests are.
func TestViewFoldsSetups(t *testing.T) {
	l := &tap.Log{}
	for i, r := range [][3]string{
		{"GET", "/version", "console"}, {"DELETE", "/api/v1/namespaces/a", "setup"},
		{"POST", "/api/v1/namespaces", "setup"}, {"POST", "/api/v1/namespaces/a/secrets", "setup"},
		{"GET", "/api/v1/pods", "lesson"}, {"POST", "/api/v1/namespaces", "setup"},
	} {
		l.Add(tap.Event{Type: tap.Request, ID: i + 1, Method: r[0], URL: r[1], Origin: r[2]})
	}
	v := NewView(l)
	v.Update(all)
	if got := shown(v); got != "6 5 4++ 1" {
		t.Errorf("folded: %s", got)
	}
	rows := v.Rows(0, v.Len())
	if !rows[2].Setup() || rows[2].Count != 3 || rows[0].Setup() || rows[1].Setup() {
		t.Errorf("%+v", rows)
	}
	v.Fold(rows[2].Run, true)
	v.Update(all)
	if v.Len() != 6 || v.Rows(2, 3)[0].Setup() {
		t.Errorf("unfolded: %s", shown(v))
	}
}

// A folded run's chip names what all of its requests wrote, an unfolded one's what its own did.
func TestChipOfARun(t *testing.T) {
	l := &tap.Log{}
	v := NewView(l)
	for i, wrote := range [][]Span{{{First: 63, Last: 63}}, {{First: 65, Last: 67}}, nil, {{First: 64, Last: 64}},
		{{First: 70, Last: 70}}} {
		l.Add(tap.Event{Type: tap.Request, ID: i + 1, Method: "PATCH", URL: "/api/v1/pods/a", Origin: "sample"})
		v.Update(all)
		l.Add(tap.Event{Type: tap.Head, ID: i + 1, Status: 200, Source: &tap.Source{Rule: "write", Wrote: wrote}})
		l.Add(tap.Event{Type: tap.End, ID: i + 1})
		v.Update(all)
	}
	row := v.Rows(0, v.Len())[0]
	if c := row.Chip("", ""); v.Len() != 1 || c != (Chip{Kind: Wrote, Text: "→ 63–67, 70", Revision: 63}) {
		t.Errorf("folded: %d rows, %+v", v.Len(), c)
	}
	v.Fold(row.Run, true)
	v.Update(all)
	if c := v.Rows(0, 1)[0].Chip("", ""); v.Len() != 5 || c.Text != "→ 70" {
		t.Errorf("unfolded: %d rows, %+v", v.Len(), c)
	}
}

// A search takes no more at a time than it may, and follows a stream.
func TestViewSearchesInPieces(t *testing.T) {
	l := &tap.Log{}
	v := NewView(l)
	l.Add(tap.Event{Type: tap.Request, ID: 1, Method: "GET", URL: "/api/v1/pods?watch=1"})
	l.Add(tap.Event{Type: tap.Head, ID: 1, Status: 200})
	for range 100 {
		l.Add(tap.Event{Type: tap.Chunk, ID: 1, Text: strings.Repeat("x", 99) + "\n"})
	}
	l.Add(tap.Event{Type: tap.Chunk, ID: 1, Text: "...nee"})
	v.SetFilter(Filter{Text: "NeedLe"})
	steps := 0
	for v.Update(1000) {
		if steps++; steps > 20 {
			t.Fatal("it does not end")
		}
	}
	if steps < 5 || v.Len() != 0 {
		t.Errorf("%d steps, %d rows", steps, v.Len())
	}
	l.Add(tap.Event{Type: tap.Chunk, ID: 1, Text: "dle"}) // the text lies across pieces
	if v.Update(1000) || shown(v) != "1" {
		t.Errorf("not found in what came later: %q", shown(v))
	}
}

// A View that has followed along shows what a new one does, and both what plain loops make of it.
func TestViewIsWhatItWouldBeAnew(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		l := &tap.Log{}
		v := NewView(l)
		id := 0
		words := []string{"red", "green", "blue"}
		for range 300 {
			switch n := r.IntN(20); {
			case n < 8:
				id++
				origin := []string{"sample", "page"}[r.IntN(2)]
				url := []string{"/api/v1/pods", "/api/v1/namespaces/a/pods", "/api/v1/pods?watch=1"}[r.IntN(3)]
				method := []string{"GET", "POST"}[r.IntN(2)]
				l.Add(tap.Event{Type: tap.Request, ID: id, Method: method, URL: url, Origin: origin, Time: at(id)})
			case n < 11 && id > 0:
				l.Add(tap.Event{Type: tap.Head, ID: 1 + r.IntN(id), Status: []int{200, 201, 404}[r.IntN(3)], Time: at(id)})
			case n < 14 && id > 0:
				l.Add(tap.Event{Type: tap.Chunk, ID: 1 + r.IntN(id), Text: words[r.IntN(3)]})
			case n < 17 && id > 0:
				l.Add(tap.Event{Type: []tap.Type{tap.End, tap.Fail}[r.IntN(2)], ID: 1 + r.IntN(id), Time: at(id)})
			case n == 17:
				v.SetFilter(Filter{Kind: []Kind{All, Reads, Writes, Watches, Errors}[r.IntN(5)],
					Text: append(words, "", "", "reen")[r.IntN(6)]})
			case n == 18:
				v.SetOrder(Order{By: []Column{ByStarted, ByStatus, ByPath, BySize, ByDuration}[r.IntN(5)],
					Ascending: r.IntN(2) == 0})
			case n == 19 && r.IntN(10) == 0:
				l.Drop(func(*tap.Exchange) bool { return true })
			}
			if r.IntN(4) == 0 {
				v.Update(r.IntN(10))
			}
		}
		v.Update(all)
		fresh := NewView(l)
		fresh.SetFilter(v.Filter())
		fresh.SetOrder(v.Order())
		fresh.Update(all)
		if got, want := shown(v), shown(fresh); got != want {
			t.Fatalf("seed %d: %+v %+v\n%s\nanew\n%s", seed, v.Filter(), v.Order(), got, want)
		}
		var plain []*tap.Exchange
		for _, e := range l.All() {
			text := e.Method + " " + e.URL + " " + fmt.Sprint(e.Status) + e.Err + "\n" + e.Text()
			if v.Filter().passes(e) && strings.Contains(text, v.Filter().Text) {
				plain = append(plain, e)
			}
		}
		if got := v.Listed(); !slices.Equal(got, plain) {
			t.Fatalf("seed %d: %d listed, want %d", seed, len(got), len(plain))
		}
		if by := v.Order().Column(); by != ByStarted {
			slices.SortStableFunc(plain, func(a, b *tap.Exchange) int { return keyOf(a, by).compare(keyOf(b, by)) })
			if !v.Order().Ascending {
				slices.Reverse(plain)
			}
			for i, row := range v.Rows(0, v.Len()) {
				if row.Exchange != plain[i] {
					t.Fatalf("seed %d: row %d is request %d, want %d", seed, i, row.ID, plain[i].ID)
				}
			}
		}
	}
}

// benchLog returns a full log, with bodies of a kilobyte.
func benchLog(b *testing.B) *tap.Log {
	l := &tap.Log{}
	body := strings.Repeat("x", 1000)
	for id := 1; id <= 2000; id++ {
		answered(l, id, "page", "POST", "/api/v1/namespaces/default/configmaps", 201, body)
	}
	b.ReportAllocs()
	b.ResetTimer()
	return l
}

// What a request costs the list, with a full log: a frame with one new request in it.
func BenchmarkViewFollows(b *testing.B) {
	for _, order := range []Order{{}, {By: BySize}} {
		b.Run(string(order.Column()), func(b *testing.B) {
			l := benchLog(b)
			v := NewView(l)
			v.SetOrder(order)
			v.Update(all)
			for i := range b.N {
				answered(l, 2000+1+i, "page", "GET", "/api/v1/namespaces/default/configmaps", 200, "")
				v.Update(all)
			}
		})
	}
}

// What another filter, order or text costs.
func BenchmarkViewAnew(b *testing.B) {
	for name, set := range map[string]func(v *View, i int){
		"kind":   func(v *View, i int) { v.SetFilter(Filter{Kind: []Kind{Writes, All}[i%2]}) },
		"order":  func(v *View, i int) { v.SetOrder(Order{By: []Column{BySize, ByPath}[i%2]}) },
		"search": func(v *View, i int) { v.SetFilter(Filter{Text: []string{"xxy", "xxz"}[i%2]}) },
	} {
		b.Run(name, func(b *testing.B) {
			v := NewView(benchLog(b))
			for i := range b.N {
				set(v, i)
				v.Update(all)
			}
		})
	}
}
