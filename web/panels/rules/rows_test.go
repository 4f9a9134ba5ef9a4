package rules

import (
	"bytes"
	"context"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/semantics"
	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/tap"
)

// bubble is a Client of a cluster in a synctest bubble, where one can tell that a
// request waits.
type bubble struct {
	t testing.TB
	http.Handler
}

// answer is a ResponseWriter of which the test knows whether it has begun.
type answer struct {
	header http.Header
	status atomic.Int32
	body   bytes.Buffer
}

func (a *answer) Header() http.Header  { return a.header }
func (a *answer) WriteHeader(code int) { a.status.CompareAndSwap(0, int32(code)) }
func (a *answer) Flush()               { a.WriteHeader(http.StatusOK) }
func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}

func (b bubble) Ask(r app.Request) (app.Response, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	req := httptest.NewRequest(r.Method, r.Path, strings.NewReader(r.Body)).WithContext(ctx)
	for _, f := range r.Header {
		req.Header.Set(f.Name, f.Value)
	}
	req.Header.Set(wellknown.ExplainHeader, "1")
	a := &answer{header: http.Header{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil && p != http.ErrAbortHandler {
				panic(p)
			}
		}()
		b.ServeHTTP(a, req)
		a.Flush()
	}()
	synctest.Wait()
	if a.status.Load() == 0 {
		w := apitest.Do(b, "POST", wellknown.ControlPlane+"/advance", `{"seconds":3}`)
		if w.Code > 299 {
			b.t.Fatalf("advance: %d %s", w.Code, w.Body)
		}
		synctest.Wait()
	}
	if a.status.Load() == 0 {
		b.t.Fatalf("%s %s waits for something else than 3 s", r.Method, r.Path)
	}
	cancel()
	<-done
	res := app.Response{Status: int(a.status.Load()), Body: a.body.String()}
	for name := range a.header {
		res.Header = append(res.Header, tap.Field{Name: name, Value: a.header.Get(name)})
	}
	return res, nil
}

// prepared returns a cluster with the past of the rows, and with what must not be in their way.
func prepared(t *testing.T, behind bool) (Client, *Fixture) {
	t.Helper()
	c, err := core.New(core.Options{Clock: clock.NewManual(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)),
		Rand: rand.NewChaCha8([32]byte{1})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	b := bubble{t, c}
	for _, r := range []app.Request{
		{Method: "POST", Path: secrets, Body: `{"metadata":{"name":"b"},"stringData":{"mine":"1"}}`},
		{Method: "POST", Path: secrets, Body: `{"metadata":{"name":"zz"}}`},
		{Method: "PATCH", Path: wellknown.ControlPlane, Header: app.ContentType("application/merge-patch+json"),
			Body: `{"spec":{"compatibility":{"resourceVersionMatch":"Ignore"},"cache":{"replicas":[{"frozen":true},{}],` +
				`"capacity":{"least":1,"most":1}}}}`},
		{Method: "POST", Path: "/api/v1/namespaces/default/resourcequotas",
			Body: `{"metadata":{"name":"none"},"spec":{"hard":{"secrets":"2"}}}`},
		{Method: "POST", Path: "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
			Body: `{"metadata":{"name":"no"},"webhooks":[{
			"name":"no.example.com","clientConfig":{"url":"https://no.example.com/"},
			"sideEffects":"None","admissionReviewVersions":["v1"],
			"rules":[{"apiGroups":[""],"apiVersions":["v1"],"resources":["secrets"],"operations":["*"]}]}]}`},
	} {
		if res, err := b.Ask(r); err != nil || res.Status > 299 {
			t.Fatalf("%s %s: %d %s, %v", r.Method, r.Path, res.Status, res.Body, err)
		}
	}
	fixture, err := Prepare(b, behind)
	if err != nil {
		t.Fatal(err)
	}
	return b, fixture
}

// Every row's request, sent to a server, gets the words that the row has for it.
func TestRows(t *testing.T) {
	for _, behind := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			c, fixture := prepared(t, behind)
			began := time.Now()
			for _, verb := range []string{semantics.Get, semantics.List, semantics.Watch} {
				for _, row := range semantics.Rows(verb) {
					out := Run(c, fixture, row, behind)
					if !out.Matches {
						t.Errorf("%s %s, behind %v: %q, want %q (rule %s, want %s; %s %s)", verb, row.Asked, behind,
							out.Words, out.Expected, out.Source.Rule, row.ID, out.Shows, out.Error)
					}
					if out.Rule != row.Sentence {
						t.Errorf("%s %s: the rule is %q", verb, row.Asked, out.Rule)
					}
				}
			}
			if took := time.Since(began); took > 0 {
				t.Errorf("they took %v of the host's time", took)
			}
		})
	}
}
