// More than 400 lines: the cases share one lesson.

package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/tap"
)

// taps feeds a session what the shim would report.
type taps struct {
	t  *testing.T
	s  *Session
	id int
}

// observe has the log and the session take an event.
func (p *taps) observe(ev tap.Event, open bool) bool {
	p.s.log.Add(ev)
	return p.s.Observe(ev, open)
}

// open makes a request and begins its answer.
func (p *taps) open(method, url string, status int) int {
	p.id++
	p.observe(tap.Event{Type: tap.Request, ID: p.id, Method: method, URL: url}, true)
	p.observe(tap.Event{Type: tap.Head, ID: p.id, Status: status}, true)
	return p.id
}

func (p *taps) text(id int, s string) {
	p.observe(tap.Event{Type: tap.Chunk, ID: id, Text: s}, true)
}

func (p *taps) end(id int) { p.observe(tap.Event{Type: tap.End, ID: id}, true) }

// do is a whole exchange.
func (p *taps) do(method, url string, status int, body string) {
	id := p.open(method, url, status)
	p.text(id, body)
	p.end(id)
}

// passed asserts how many steps are passed.
func (p *taps) passed(want int) {
	p.t.Helper()
	p.s.Recheck()
	if got := p.s.Passed(); got != want {
		p.t.Fatalf("%d steps passed, want %d; step: %+v", got, want, p.s.Step(min(got, len(p.s.Lesson.Steps)-1)))
	}
}

func session(t *testing.T, checks ...string) *taps {
	t.Helper()
	return &taps{t: t, s: New(parsed(t, markdownOf(checks)), Progress{}, new(tap.Log))}
}

// markdownOf returns a lesson with a step for each check.
func markdownOf(checks []string) string {
	src := "# T\n"
	for i, c := range checks {
		src += fmt.Sprintf("## Step %d\n```http\nGET /api\n```\n```check\n%s\n```\n", i+1, strings.TrimSpace(c))
	}
	return src
}

func parsed(t *testing.T, src string) *format.Lesson {
	t.Helper()
	l, err := format.Parse("1-t.md", src)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

const (
	listRow = "- Listed\n  list: GET /api/v1/pods -> 200\n  request.query.watch is absent\n  " +
		"response.body.metadata.resourceVersion is present\n"
	watchRow = "- Watched\n  watch: GET /api/v1/pods -> 200\n  request.query.watch = 1 or true\n  " +
		"request.query.resourceVersion = {{list.response.body.metadata.resourceVersion}}\n"
	eventRow = "- Created\n  made: POST /pods -> 201\n- Seen\n  seen: ADDED in watch\n  object.metadata.uid = " +
		"{{made.response.body.metadata.uid}}\n"
)

func list(rv string) string { return `{"metadata": {"resourceVersion": "` + rv + `"}}` }

func TestListThenWatch(t *testing.T) {
	p := session(t, listRow, watchRow, eventRow)
	p.passed(0)
	p.do("GET", "/api/v1/pods", 500, list("4"))
	p.passed(0)
	if got := p.s.Step(0).Miss; got != "it was answered 500, not 200" {
		t.Errorf("miss %q", got)
	}
	p.do("GET", "/api/v1/pods", 200, list("5"))
	p.passed(1)
	w := p.open("GET", "/api/v1/pods?watch=1&resourceVersion=4", 200)
	p.passed(1)
	if got := p.s.Step(1).Miss; got != "request.query.resourceVersion is 4, not = 5" {
		t.Errorf("miss %q", got)
	}
	p.end(w)
	w = p.open("GET", "/api/v1/pods?watch=true&resourceVersion=5", 200)
	p.passed(2)
	// The event overtakes the answer to the write.
	made := p.open("POST", "/pods", 201)
	p.text(w, `{"type":"ADDED","object":{"metadata":{"uid":"o"}}}`+"\n"+`{"type":"ADDED","object":`)
	p.text(w, `{"metadata":{"uid":"u"}}}`)
	p.passed(2)
	p.text(w, "\n")
	p.passed(2)
	if st := p.s.Step(2); st.Rows[0].Done || st.Rows[1].Done {
		t.Errorf("a row is done before the POST was answered: %+v", st)
	}
	p.text(made, `{"metadata":{"uid":"u"}}`)
	p.end(made)
	p.passed(3)
	if st := p.s.Step(2); !st.Passed || !st.Rows[1].Done || st.Miss != "" {
		t.Errorf("got %+v", st)
	}
}

// TestEndsSoon wants nothing to be said against a watch that is open and will end by itself.
func TestEndsSoon(t *testing.T) {
	p := session(t, "- Watched\n  w: GET /api/v1/pods -> 200\n  response.ended = true else \"It is open.\"\n")
	p.open("GET", "/api/v1/pods?watch=1", 200)
	p.passed(0)
	if got := p.s.Step(0).Miss; got != "It is open." {
		t.Errorf("told %q", got)
	}
	w := p.open("GET", "/api/v1/pods?watch=1&timeoutSeconds=2", 200)
	p.passed(0)
	if got := p.s.Step(0).Miss; got != "" {
		t.Errorf("told %q of a watch that ends by itself", got)
	}
	p.end(w)
	p.passed(1)
}

func TestStepsCountOnlyWhatFollows(t *testing.T) {
	second := strings.ReplaceAll(listRow, "list:", "again:")
	p := session(t, listRow, second)
	p.do("GET", "/api/v1/pods", 200, list("5"))
	p.passed(1)
	p.do("GET", "/api/v1/pods", 200, list("5"))
	p.passed(2)
	p.s.Reset(0)
	p.passed(1) // the second stays passed, the first has to be done again
	p.do("GET", "/api/v1/pods", 200, list("6"))
	p.passed(2)
	p.s.ResetAll()
	p.passed(0)
}

func TestEarlierRowsMeanAnyMatch(t *testing.T) {
	p := session(t, listRow, watchRow)
	p.do("GET", "/api/v1/pods", 200, list("5"))
	p.passed(1)
	p.do("GET", "/api/v1/pods", 200, list("8")) // lists again before watching
	p.open("GET", "/api/v1/pods?watch=1&resourceVersion=8", 200)
	p.passed(2)
}

func TestOrder(t *testing.T) {
	check := "- One\n  one: GET /a\n- Two\n  two: GET /b\n- Between\n  mid: PUT /c -> 200\n  after one\n  before two\n"
	p := session(t, check)
	p.do("PUT", "/c", 200, "{}")
	p.do("GET", "/a", 200, "{}")
	p.do("GET", "/b", 200, "{}")
	p.do("PUT", "/c", 200, "{}")
	p.passed(0)
	if st := p.s.Step(0); !st.Rows[1].Done || st.Rows[2].Done {
		t.Errorf("got %+v", st)
	}
	p.do("GET", "/b", 200, "{}")
	p.passed(1)
}

func TestAnyOrder(t *testing.T) {
	p := session(t, "- One\n  one: GET /a\n- Two\n  two: GET /b -> 200\n  in any order\n- Three\n  three: GET /c\n")
	p.do("GET", "/b", 200, "{}")
	p.s.Recheck()
	if got, want := p.s.Step(0).Miss, "That counts, for a row below. This is still to be done."; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
	p.do("GET", "/a", 200, "{}")
	if p.s.Recheck(); !p.s.Step(0).Rows[1].Done {
		t.Errorf("got %+v", p.s.Step(0))
	}
	p.do("GET", "/c", 200, "{}")
	p.passed(1)
}

func TestConditions(t *testing.T) {
	body := `{"n": 10, "s": "abc", "l": ["x", "y"], "z": null}`
	for cond, want := range map[string]bool{
		"response.body.n = 10": true, "response.body.n > 9": true, "response.body.n < 9": false,
		"response.body.n >= 10": true, "response.body.n <= 10": true, "response.body.n != 10": false,
		"response.body.s = abd or abc": true, "response.body.s != abd or abc": false, "response.body.s != q or r": true,
		"response.body.s contains b": true, "response.body.s lacks b": false, "response.body.s < abd": true,
		"response.body.l contains y": true, "response.body.l lacks y": false, "response.body.l lacks q or y": false,
		"response.body.no != 1": true, "response.body.no lacks 1": true, "response.body.no = 1": false,
		"response.body.no is absent": true, "response.body.n is absent": false, "response.body.z is present": true,
		"request.query.q = \"a b\"": true, "request.method = GET": true, "response.status = 200": true,
		"response.headers.X-A = 1": true, "request.origin = \"\"": true, "response.ended = true": true,
		"response.events is absent": true, "response.body.l.length = 2": true,
		"response.body.no or response.body.s = abc": true, "response.body.s or response.body.no is present": true,
		"response.body.no or response.body.m or response.body.n > 9": true, "response.body.no or response.body.s = b": false,
		"response.body.no or response.body.m is present":                 false,
		"request.accepts contains application/json":                      true,
		"request.accepts contains application/json;as=Table":             false,
		"request.accepts[0] = application/json;as=Table;v=v1":            true,
		"request.accepts contains a/b or */*":                            true,
		"request.accepts contains application/json;as=Table;v=v1 or a/b": true,
	} {
		p := session(t, "- R\n  a: GET /x\n  "+cond)
		p.id = 1
		p.observe(tap.Event{Type: tap.Request, ID: 1, Method: "GET", URL: "/x?q=a%20b", Header: []tap.Field{
			{Name: "accept", Value: "application/json; as=Table;v=v1, application/json;q=0.5"},
			{Name: "Accept", Value: "*/*"}}}, true)
		p.observe(tap.Event{Type: tap.Head, ID: 1, Status: 200, Header: []tap.Field{{Name: "x-a", Value: "1"}}}, true)
		p.text(1, body)
		p.end(1)
		p.s.Recheck()
		if got := p.s.Passed() == 1; got != want {
			t.Errorf("%s: %v (%s)", cond, got, p.s.Step(0).Miss)
		}
	}
}

func TestElse(t *testing.T) {
	p := session(t, "- R\n  a: GET /x\n  request.query.limit = 500 else \"Say limit=500.\"\n")
	p.do("GET", "/x", 200, "{}")
	p.s.Recheck()
	if got := p.s.Step(0).Miss; got != "Say limit=500." {
		t.Errorf("miss %q", got)
	}
}

func TestElseOfAStatus(t *testing.T) {
	p := session(t, "- R\n  a: GET /x -> 200 or 201 else \"Do y first.\"\n")
	p.do("GET", "/x", 410, "{}")
	p.s.Recheck()
	if got := p.s.Step(0).Miss; got != "it was answered 410, not 200 or 201. Do y first." {
		t.Errorf("miss %q", got)
	}
}

func TestMatchPath(t *testing.T) {
	for _, test := range []struct {
		pattern, path string
		want          bool
	}{
		{"/api/v1/pods", "/api/v1/pods", true}, {"/api/v1/pods", "/api/v1/pods/", false}, {"/api/v1/pods", "/api/v1", false},
		{"/n/*/pods", "/n/a/pods", true}, {"/n/*/pods", "/n//pods", false}, {"/n/*/pods", "/n/a/b/pods", false},
		{"/n/*", "/n/a", true},
	} {
		if got := format.MatchPath(test.pattern, test.path); got != test.want {
			t.Errorf("%s %s: %v", test.pattern, test.path, got)
		}
	}
}

func TestClosedLessonFollowsOnlyWhatItKnows(t *testing.T) {
	p := session(t, listRow, watchRow, eventRow)
	p.do("GET", "/api/v1/pods", 200, list("5"))
	w := p.open("GET", "/api/v1/pods?watch=1&resourceVersion=5", 200)
	p.passed(2)
	made := p.open("POST", "/pods", 201)
	p.observe(tap.Event{Type: tap.Chunk, ID: w, Text: `{"type":"ADDED","object":{"metadata":{"uid":"u"}}}` + "\n"},
		false)
	p.observe(tap.Event{Type: tap.Chunk, ID: made, Text: `{"metadata":{"uid":"u"}}`}, false)
	p.observe(tap.Event{Type: tap.End, ID: made}, false)
	p.passed(3)

	q := session(t, listRow)
	q.s.Observe(tap.Event{Type: tap.Request, ID: 1, Method: "GET", URL: "/api/v1/pods"}, false)
	q.s.Observe(tap.Event{Type: tap.Head, ID: 1, Status: 200}, false)
	q.s.Observe(tap.Event{Type: tap.Chunk, ID: 1, Text: list("5")}, false)
	q.s.Observe(tap.Event{Type: tap.End, ID: 1}, false)
	q.passed(0)
}

func TestProgress(t *testing.T) {
	p := session(t, listRow, watchRow, eventRow)
	p.s.SetCluster("one")
	p.do("GET", "/api/v1/pods", 200, list("5"))
	p.passed(1)
	kept := p.s.Progress().String()
	again := &taps{t: t, s: New(p.s.Lesson, ParseProgress(kept), new(tap.Log))}
	again.passed(1)
	if again.s.SetCluster("one") {
		t.Error("the same cluster is called another one")
	}
	again.open("GET", "/api/v1/pods?watch=1&resourceVersion=5", 200)
	again.passed(2) // from the version that the earlier visit listed

	other := &taps{t: t, s: New(p.s.Lesson, ParseProgress(kept), new(tap.Log))}
	if !other.s.SetCluster("two") {
		t.Error("another cluster went unnoticed")
	}
	other.open("GET", "/api/v1/pods?watch=1&resourceVersion=5", 200)
	other.passed(1)
	other.do("GET", "/api/v1/pods", 200, list("2"))
	other.open("GET", "/api/v1/pods?watch=1&resourceVersion=2", 200)
	other.passed(2)

	for _, bad := range []string{"", "x", "[1]", `{"passed": 1}`} {
		if got := ParseProgress(bad); len(got.Passed)+len(got.Saved) != 0 {
			t.Errorf("%q gave %+v", bad, got)
		}
	}
}

func TestAStreamBrokenOffIsStillAStream(t *testing.T) {
	p := session(t, listRow, watchRow,
		"- Resumed\n  again: GET /api/v1/pods -> 200\n  request.query.resourceVersion = "+
			"{{watch.response.events[-1].object.metadata.resourceVersion}}\n")
	p.do("GET", "/api/v1/pods", 200, list("5"))
	w := p.open("GET", "/api/v1/pods?watch=1&resourceVersion=5", 200)
	p.passed(2)
	p.text(w, `{"type":"ADDED","object":{"metadata":{"resourceVersion":"7"}}}`+"\n")
	p.observe(tap.Event{Type: tap.Fail, ID: w, Aborted: true}, true)
	p.open("GET", "/api/v1/pods?watch=1&resourceVersion=7", 200)
	p.passed(3)
}

func TestBrokenAnswersDoNotCount(t *testing.T) {
	p := session(t, listRow)
	id := p.open("GET", "/api/v1/pods", 200)
	p.text(id, list("5"))
	p.passed(0)
	p.observe(tap.Event{Type: tap.Fail, ID: id}, true)
	p.passed(0)
}

// fake answers from a table.
type fake func(ctx context.Context, r format.Outgoing, head func(int, []tap.Field), text func(string)) error

func (f fake) Do(ctx context.Context, r format.Outgoing, _ Origin, head func(int, []tap.Field),
	text func(string)) error {
	return f(ctx, r, head, text)
}

// lineOf returns a line of a watch's answer.
func lineOf(text string) *tap.Line {
	l := &tap.Line{Text: text}
	l.WatchEvent, _ = tap.ParseWatchEvent(text)
	return l
}

func TestSummary(t *testing.T) {
	for raw, want := range map[string]string{
		`{"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"7"}}}`:    "BOOKMARK Pod 7",
		`{"type":"ERROR","object":{"kind":"Status","code":410,"message":"too old: 1 (2)"}}`: "ERROR 410 too old: 1 (2)",
		`garbage`: "",
	} {
		if got := (event{lineOf(raw)}).summary(); got != want {
			t.Errorf("%s: %q", raw, got)
		}
	}
}

func TestRun(t *testing.T) {
	src := "# T\n## S\n```http\n# @name list\nGET /api/v1/pods\n###\n# @name watch\nGET " +
		"/api/v1/pods?watch=1&resourceVersion={{list.response.body.metadata.resourceVersion}}\n###\n" +
		"GET /api/v1/pods?watch=1&resourceVersion={{watch.response.events[-1].object.metadata.resourceVersion}}\n###\n" +
		"# @repeat 20\nPOST /pods\n\n{\"n\": {{$index}}}\n```\n```check\n" + listRow + "```\n"
	l, err := format.Parse("1-t.md", src)
	if err != nil {
		t.Fatal(err)
	}
	s := New(l, Progress{}, new(tap.Log))
	var sent []string
	posts := make(chan string, 100)
	transport := fake(func(ctx context.Context, r format.Outgoing, head func(int, []tap.Field), text func(string)) error {
		if r.Method == "POST" {
			posts <- r.Body
			if r.Body == `{"n": 03}` {
				head(409, nil)
			} else {
				head(201, nil)
			}
			text(`{"message": "there already"}`)
			return nil
		}
		sent = append(sent, r.Target)
		head(200, nil)
		if !strings.Contains(r.Target, "watch") {
			text(list("5"))
			return nil
		}
		text(`{"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"a","resourceVersion":"6"}}}` + "\n")
		<-ctx.Done()
		return ctx.Err()
	})
	run := func(ctx context.Context, at string, each func(Report)) Report {
		var last Report
		s.Run(ctx, transport, l.Request(at), func(r Report) {
			last = r
			if each != nil {
				each(r)
			}
		})
		if !last.Done {
			t.Errorf("%s: the last report is %+v", at, last)
		}
		return last
	}
	var missing *MissingError
	if r := run(t.Context(), "0/0/1", nil); !errors.As(r.Err, &missing) || missing.Ref.Name != "list" {
		t.Errorf("watch before list: %+v", r)
	}
	if r := run(t.Context(), "0/0/0", nil); r.Status != 200 || r.Sent != 1 || r.Err != nil {
		t.Errorf("list: %+v", r)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r := run(ctx, "0/0/1", func(r Report) {
		if r.Events == 1 && r.Sent == 0 {
			if !r.Streaming || r.Last != "ADDED Pod a 6" {
				t.Errorf("streaming: %+v", r)
			}
			cancel()
		}
	})
	if !errors.Is(r.Err, context.Canceled) || r.Streaming {
		t.Errorf("stopped: %+v", r)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	run(done, "0/0/2", nil)
	want := "[/api/v1/pods /api/v1/pods?watch=1&resourceVersion=5 /api/v1/pods?watch=1&resourceVersion=6]"
	if fmt.Sprint(sent) != want {
		t.Errorf("sent %v", sent)
	}
	r = run(t.Context(), "0/0/3", nil)
	if r.Sent != 20 || r.Statuses[201] != 19 || r.Statuses[409] != 1 || len(posts) != 20 {
		t.Errorf("repeated: %+v, %d posts", r, len(posts))
	}
	if got := s.Progress().Saved["watch.response.events[-1].object.metadata.resourceVersion"]; got != "6" {
		t.Errorf("saved %q", got)
	}
}

// TestRanMoves wants the requests that were run to be known when a step was put in before theirs, and those of progress
// that has the steps' numbers.
func TestRanMoves(t *testing.T) {
	step := func(title string) string {
		name := strings.ToLower(title)
		return "\n## " + title + "\n\n```http\n# @name " + name + "\nGET /api/v1\n```\n\n```check\n- It was read\n  " + name +
			": GET /api/v1\n```\n"
	}
	parse := func(titles ...string) *format.Lesson {
		text := "# Title\n"
		for _, title := range titles {
			text += step(title)
		}
		l, err := format.Parse("01-steps.md", text)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	was := New(parse("One", "Two"), Progress{}, new(tap.Log))
	was.NoteRun("1/0/0")
	kept := was.Progress()
	if !slices.Equal(kept.Ran, []string{"two/0/0"}) {
		t.Errorf("kept as %q", kept.Ran)
	}
	is := New(parse("One", "Between", "Two"), kept, new(tap.Log))
	if is.HasRun("1/0/0") || !is.HasRun("2/0/0") {
		t.Errorf("run are %q", is.Progress().Ran)
	}
	if old := New(parse("One", "Two"), Progress{Ran: []string{"1/0/0"}}, new(tap.Log)); !old.HasRun("1/0/0") {
		t.Errorf("of numbers, run are %q", old.Progress().Ran)
	}
}

// FuzzNothingDone wants a session with nothing done to pass nothing, whatever the lesson.
func FuzzNothingDone(f *testing.F) {
	f.Add("# T\n## S\n```http\n# @repeat 3\nPOST /{{$index}}\nA: b\n\n{}\n```\n```check\n- R\n  a: ADDED or ERROR in " +
		"b\n  object[\"a.b\"][0] = \"x y\" or {{a.b[-1]}} else \"no\"\n```\n---\n")
	f.Add("# T\n## S\n```http\nGET /api\n```\n```check\n" + listRow + "- None\n  none: POST /pods\n```\n")
	f.Fuzz(func(t *testing.T, src string) {
		l, err := format.Parse("1-fuzz.md", src)
		if err != nil {
			return
		}
		if s := New(l, Progress{}, new(tap.Log)); len(s.Recheck()) != 0 {
			t.Fatalf("passed without an attempt: %q", src)
		}
	})
}
