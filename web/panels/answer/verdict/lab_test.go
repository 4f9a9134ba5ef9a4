package verdict

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

// A lab is a cluster whose exchanges are observed as the page observes them, with its revisions stream.
type lab struct {
	t testing.TB
	http.Handler
	token string // of an administrator, where one is needed

	mu      sync.Mutex
	last    int // the newest request's id
	log     tap.Log
	all     []*tap.Exchange // also those that the log has forgotten
	state   revisions.State
	commits revisions.Log
	made    map[int][]revisions.Commit // by request, as the stream says
	moved   chan struct{}              // closed at each frame
	stops   []func()                   // close the watches that are open
	close   func()
}

// page is what the lab's page is called.
const page = "page"

func newLab(t testing.TB, o core.Options) *lab {
	t.Helper()
	o.Clock, o.Rand = clock.Real(), rand.NewChaCha8([32]byte{7})
	cluster, err := core.New(o)
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{t: t, Handler: cluster, made: map[int][]revisions.Commit{}, moved: make(chan struct{})}
	for _, t := range o.Tokens {
		l.token = t.Token
	}
	ctx, stop := context.WithCancel(context.Background())
	followed := make(chan struct{})
	go func() {
		defer close(followed)
		l.follow(ctx)
	}()
	l.close = func() {
		for _, stop := range l.stops {
			stop()
		}
		stop()
		<-followed
		if err := cluster.Close(); err != nil {
			t.Error(err)
		}
	}
	return l
}

// follow reads the revisions stream, and opens it again when it ends.
func (l *lab) follow(ctx context.Context) {
	for ctx.Err() == nil {
		r := httptest.NewRequest("GET", wellknown.ControlPlane+"/revisions", nil).WithContext(ctx)
		if l.token != "" {
			r.Header.Set("Authorization", "Bearer "+l.token)
		}
		answer := apitest.Open(l.Handler, r)
		var d revisions.Decoder
		buf := make([]byte, 64<<10)
		for {
			n, err := answer.Body.Read(buf)
			d.Feed(string(buf[:n]), l.frame)
			if err != nil {
				break
			}
		}
	}
}

func (l *lab) frame(f revisions.Frame) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := f.State; s != nil {
		if s.Cluster != l.state.Cluster {
			l.commits.Clear()
		}
		l.state = *s
	}
	if c := f.Commit; c != nil {
		if _, known := l.commits.Find(c.Revision); !known {
			l.commits.Add(*c)
			if id := c.By(page); id > 0 {
				l.made[id] = append(l.made[id], *c)
				l.log.Wrote(id, c.Revision)
			}
		}
	}
	close(l.moved)
	l.moved = make(chan struct{})
}

// await waits until the stream has come to the revisions that a request has made.
func (l *lab) await(e *tap.Exchange) {
	if len(e.Source.Wrote) == 0 {
		return
	}
	last := e.Source.Wrote[len(e.Source.Wrote)-1].Last
	late := time.After(5 * time.Minute)
	for {
		l.mu.Lock()
		known := slices.ContainsFunc(l.made[e.ID], func(c revisions.Commit) bool { return c.Revision == last })
		moved := l.moved
		l.mu.Unlock()
		if known {
			return
		}
		select {
		case <-moved:
		case <-late:
			l.t.Errorf("%s %s: the revisions stream does not say that it made %d", e.Method, e.URL, last)
			return
		}
	}
}

// ServeHTTP answers a request, and observes that.
func (l *lab) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		l.t.Error(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	l.mu.Lock()
	l.last++
	ev := tap.Event{Type: tap.Request, ID: l.last, Time: time.Now(), Method: r.Method, URL: r.URL.RequestURI(),
		Body: string(body), Origin: "page"}
	for name, values := range r.Header {
		for _, v := range values {
			ev.Header = append(ev.Header, tap.Field{Name: name, Value: v})
		}
	}
	r.Header.Set(wellknown.ExplainHeader, fmt.Sprintf("?1;id=%s.%d", page, l.last))
	l.all = append(l.all, l.log.Add(ev))
	l.mu.Unlock()
	o := &observedWriter{ResponseWriter: w, lab: l, id: ev.ID}
	defer func() {
		o.WriteHeader(http.StatusOK)
		if r.Context().Err() != nil {
			l.add(tap.Event{Type: tap.Fail, ID: ev.ID, Aborted: true, Err: "aborted"})
		} else {
			l.add(tap.Event{Type: tap.End, ID: ev.ID})
		}
	}()
	l.Handler.ServeHTTP(o, r)
}

func (l *lab) add(ev tap.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	ev.Time = time.Now()
	l.log.Add(ev)
}

// observedWriter passes an answer on.
type observedWriter struct {
	http.ResponseWriter
	lab   *lab
	id    int
	begun bool
}

func (w *observedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
func (w *observedWriter) Flush() {
	w.WriteHeader(http.StatusOK)
	if f, ok := w.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}

func (w *observedWriter) WriteHeader(code int) {
	if w.begun {
		return
	}
	w.begun = true
	ev := tap.Event{Type: tap.Head, ID: w.id, Status: code,
		Source: tap.ParseSource(w.Header().Get(wellknown.SourceHeader))}
	w.Header().Del(wellknown.SourceHeader)
	for name, values := range w.Header() {
		for _, v := range values {
			ev.Header = append(ev.Header, tap.Field{Name: name, Value: v})
		}
	}
	w.lab.add(ev)
	w.ResponseWriter.WriteHeader(code)
}

func (w *observedWriter) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	w.lab.add(tap.Event{Type: tap.Chunk, ID: w.id, Text: string(b)})
	return w.ResponseWriter.Write(b)
}

// ask makes a request: "METHOD path", with lines of headers, and a body that begins with a brace or a bracket. A watch
// stays open until the lab is closed.
func (l *lab) ask(request string) *tap.Exchange {
	l.t.Helper()
	lines := strings.Split(request, "\n")
	method, target, _ := strings.Cut(lines[0], " ")
	body := ""
	for i, line := range lines {
		if line != "" && (line[0] == '{' || line[0] == '[') {
			lines, body = lines[:i], strings.Join(lines[i:], "\n")
			break
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := httptest.NewRequest(method, target, strings.NewReader(body)).WithContext(ctx)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, line := range lines[1:] {
		if name, value, ok := strings.Cut(line, ": "); ok {
			r.Header.Set(name, value)
		}
	}
	l.mu.Lock()
	id := l.last + 1
	l.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { // of a connection that the server breaks off
			if p := recover(); p != nil && p != http.ErrAbortHandler {
				panic(p)
			}
		}()
		l.ServeHTTP(httptest.NewRecorder(), r)
	}()
	if tap.Classify(method, target).Verb == "watch" {
		select {
		case <-done:
		case <-time.After(10 * time.Second): // of a synctest bubble
		}
		l.stops = append(l.stops, func() { cancel(); <-done })
		return l.entry(id)
	}
	<-done
	cancel()
	e := l.entry(id)
	l.await(e)
	return e
}

func (l *lab) entry(id int) *tap.Exchange {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all[id-1]
}

// judge returns the verdict on an exchange, with its commits or without.
func (l *lab) judge(e *tap.Exchange, commits bool) Verdict {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Of(l.facts(e, commits))
}

func (l *lab) facts(e *tap.Exchange, commits bool) Facts {
	f := Facts{Exchange: e, State: l.state}
	if commits {
		f.Commits = l.commits.Between
	}
	return f
}

// rowOf returns the name of the row that makes a verdict.
func rowOf(known Facts) string {
	f := &facts{Facts: known}
	f.read()
	for i := range rows {
		if rows[i].fits(f) {
			return rows[i].name
		}
	}
	return ""
}

// check wants, when no request is under way any more, all verdicts to say what the commits do, and calls each with what
// they are made of.
func (l *lab) check(each func(*tap.Exchange, Facts)) {
	for _, e := range l.all {
		l.await(e)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.all {
		for _, commits := range []bool{false, true} {
			known := l.facts(e, commits)
			each(e, known)
			if wrong := contradiction(Of(known), e, l.made[e.ID]); wrong != "" {
				l.t.Error(wrong)
			}
		}
	}
}
