package reply

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// recorder is a Sink that keeps what it gets, checks the order, and can act
// as a reader of a given speed.
type recorder struct {
	mu     sync.Mutex
	log    []string
	status int
	header http.Header
	body   bytes.Buffer
	chunks int
	err    error
	over   bool
	bad    string
}

func (s *recorder) add(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		s.bad += " " + what + " after the end;"
	}
	if what == "chunk" || what == "end" {
		if len(s.log) == 0 {
			s.bad += " " + what + " before the head;"
		}
	}
	if what != "chunk" || s.log[len(s.log)-1] != "chunk" {
		s.log = append(s.log, what)
	}
	s.over = what == "whole" || what == "end" || what == "fail"
}

func (s *recorder) Whole(status int, h http.Header, body []byte) {
	s.add("whole")
	s.status, s.header = status, h.Clone()
	s.body.Write(body)
}

func (s *recorder) Head(status int, h http.Header) {
	s.add("head")
	s.status, s.header = status, h.Clone()
}

func (s *recorder) Chunk(p []byte) {
	s.add("chunk")
	if len(p) == 0 || len(p) > maxChunk {
		s.bad += fmt.Sprintf(" a chunk of %d bytes;", len(p))
	}
	s.chunks++
	s.body.Write(p)
}

func (s *recorder) End()           { s.add("end") }
func (s *recorder) Fail(err error) { s.add("fail"); s.err = err }

func (s *recorder) seen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.log, " ") + s.bad
}

func serve(t *testing.T, method string, h http.HandlerFunc) *recorder {
	t.Helper()
	s := &recorder{}
	w := New(t.Context(), s)
	r, err := Request(w.Context(), method, "http://tab.example/x?y=1", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	w.Serve(h, r)
	if w.Context().Err() == nil {
		t.Error("the request's context outlives the request")
	}
	return s
}

func TestReplies(t *testing.T) {
	big := strings.Repeat("0123456789abcdef", wholeLimit/16) + "!"
	tests := map[string]struct {
		method string
		h      http.HandlerFunc
		want   string
		status int
		body   string
		header map[string]string
		err    string
	}{
		"nothing written": {h: func(http.ResponseWriter, *http.Request) {}, want: "whole", status: 200,
			header: map[string]string{"Content-Length": "0", "Content-Type": ""}},
		"a short body": {h: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(201)
			w.Header().Set("Late", "yes")
			fmt.Fprint(w, `{"a":`)
			fmt.Fprint(w, `1}`)
			w.WriteHeader(500)
		}, want: "whole", status: 201, body: `{"a":1}`,
			header: map[string]string{"Content-Type": "application/json", "Content-Length": "7", "Late": ""}},
		"a body without a type": {h: func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html><p>hello") },
			want: "whole", status: 200, body: "<html><p>hello",
			header: map[string]string{"Content-Type": "text/html; charset=utf-8"}},
		"early hints are dropped": {h: func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(103)
			w.WriteHeader(418)
		}, want: "whole", status: 418},
		"flush with nothing sends the head": {h: func(w http.ResponseWriter, _ *http.Request) {
			w.(http.Flusher).Flush()
			synctest.Wait()
		}, want: "head end", status: 200},
		"a response controller flushes": {h: func(w http.ResponseWriter, _ *http.Request) {
			if err := http.NewResponseController(w).Flush(); err != nil {
				panic(err)
			}
			synctest.Wait()
			fmt.Fprint(w, "tail")
		}, want: "head chunk end", status: 200, body: "tail"},
		"a flush the handler does not wait for": {h: func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "a")
			w.(http.Flusher).Flush()
		}, want: "whole or streamed", status: 200, body: "a"},
		"a huge body streams": {h: func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, big) },
			want: "head chunk end", status: 200, body: big},
		"no content": {h: func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(204)
			if _, err := w.Write([]byte("x")); !errors.Is(err, http.ErrBodyNotAllowed) {
				panic(fmt.Sprint("writing a body to 204: ", err))
			}
		}, want: "whole", status: 204, header: map[string]string{"Content-Length": "", "Content-Type": ""}},
		"head": {method: "HEAD", h: func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") },
			want: "whole", status: 200,
			header: map[string]string{"Content-Length": "5", "Content-Type": "text/plain; charset=utf-8"}},
		"head with a declared length": {method: "HEAD", h: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "77")
		}, want: "whole", status: 200, header: map[string]string{"Content-Length": "77"}},
		"head flushed": {method: "HEAD", h: func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "hello")
			w.(http.Flusher).Flush()
			synctest.Wait()
		}, want: "head end", status: 200},
		"shorter than declared": {h: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "9")
			io.WriteString(w, "short")
		}, want: "fail", err: "declared 9 bytes and wrote 5"},
		"longer than declared": {h: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "3")
			io.WriteString(w, "abc")
			if _, err := io.WriteString(w, "d"); !errors.Is(err, http.ErrContentLength) {
				panic(fmt.Sprint("writing past the declared length: ", err))
			}
		}, want: "whole", status: 200, body: "abc"},
		"a length that is none": {h: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "many")
			io.WriteString(w, "abc")
		}, want: "whole", status: 200, body: "abc", header: map[string]string{"Content-Length": "3"}},
		"panic": {h: func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "half")
			panic("ouch")
		}, want: "fail", err: "the server panicked: ouch"},
		"invalid status": {h: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(7) },
			want: "fail", err: "invalid status 7"},
		"panic in a stream": {h: func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "half")
			w.(http.Flusher).Flush()
			synctest.Wait()
			panic(http.ErrAbortHandler)
		}, want: "head chunk fail", status: 200, body: "half", err: "abort"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				method := tt.method
				if method == "" {
					method = "GET"
				}
				s := &recorder{}
				w := New(t.Context(), s)
				r, err := Request(w.Context(), method, "/x", "", nil)
				if err != nil {
					t.Fatal(err)
				}
				// One reader that takes whatever comes.
				go func() {
					for range 100 {
						w.Pull(wholeLimit)
					}
				}()
				w.Serve(tt.h, r)
				synctest.Wait()
				got := s.seen()
				either := tt.want == "whole or streamed" && (got == "whole" || got == "head chunk end")
				if got != tt.want && !either {
					t.Errorf("the sink saw %q, want %q", got, tt.want)
				}
				if s.status != tt.status {
					t.Errorf("status %d, want %d", s.status, tt.status)
				}
				if got := s.body.String(); got != tt.body {
					t.Errorf("body of %d bytes %.60q, want %d bytes %.60q", len(got), got, len(tt.body), tt.body)
				}
				for n, want := range tt.header {
					if got := s.header.Get(n); got != want {
						t.Errorf("header %s: %q, want %q", n, got, want)
					}
				}
				if tt.err != "" && (s.err == nil || !strings.Contains(s.err.Error(), tt.err)) {
					t.Errorf("failed with %v, want %q", s.err, tt.err)
				}
			})
		})
	}
}

func TestManySmallEventsBecomeFewChunks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var first int
		s := &recorder{}
		w := New(t.Context(), s)
		w.Pull(100 << 20)
		r, _ := Request(w.Context(), "GET", "/", "", nil)
		w.Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "first\n")
			w.(http.Flusher).Flush()
			synctest.Wait() // the handler waits for its next event
			first = s.chunks
			for range 10_000 {
				w.Write(make([]byte, 1500))
				w.(http.Flusher).Flush()
			}
		}), r)
		if first != 1 {
			t.Errorf("%d chunks when the handler first waited, want 1", first)
		}
		if s.body.Len() != 6+10_000*1500 {
			t.Errorf("%d bytes arrived", s.body.Len())
		}
		// The flusher may get its turn at any time on several processors: the
		// bound that always holds is one chunk an event.
		t.Logf("%d chunks", s.chunks)
		if s.seen() != "head chunk end" {
			t.Errorf("the sink saw %q", s.seen())
		}
	})
}

func TestCredit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &recorder{}
		w := New(t.Context(), s)
		r, _ := Request(w.Context(), "GET", "/", "", nil)
		const total = 3 * Window
		go w.Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.(http.Flusher).Flush()
			time.Sleep(time.Nanosecond) // of the bubble's time: until all others wait
			for range total / 1024 {
				w.Write(make([]byte, 1024))
			}
		}), r)
		time.Sleep(time.Second) // of the bubble's time
		synctest.Wait()
		got := s.body.Len()
		if got < Window || got > Window+maxChunk {
			t.Fatalf("%d bytes were sent on a credit of %d", got, Window)
		}
		w.Pull(0)
		w.Pull(-5)
		synctest.Wait()
		if s.body.Len() != got {
			t.Fatal("credit of nothing let bytes through")
		}
		for i := range 1000 {
			if s.seen() == "head chunk end" {
				break
			}
			if i == 999 {
				t.Fatal("the stream does not end, whatever the credit")
			}
			w.Pull(Window / 4)
			synctest.Wait()
		}
		if s.body.Len() != total {
			t.Errorf("%d bytes arrived, want %d", s.body.Len(), total)
		}
	})
}

func TestCancel(t *testing.T) {
	cause := errors.New("navigated away")
	tests := map[string]struct {
		h    http.HandlerFunc
		want string
	}{
		"before anything is written": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "fail"},
		"while a stream waits": {func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, "head fail"},
		"while a write has no credit": {func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			for {
				if _, err := w.Write(make([]byte, 1000)); err != nil {
					if !errors.Is(err, cause) {
						panic(err)
					}
					return
				}
			}
		}, "head chunk fail"},
		"a handler that does not care": {func(w http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			if _, err := io.WriteString(w, "done anyway"); !errors.Is(err, cause) {
				panic(err)
			}
		}, "fail"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &recorder{}
				w := New(t.Context(), s)
				r, _ := Request(w.Context(), "GET", "/", "", nil)
				go w.Serve(tt.h, r)
				synctest.Wait()
				w.Cancel(cause)
				synctest.Wait()
				if s.seen() != tt.want {
					t.Errorf("the sink saw %q, want %q", s.seen(), tt.want)
				}
				if !errors.Is(s.err, cause) {
					t.Errorf("failed with %v", s.err)
				}
				w.Cancel(errors.New("again"))
				w.Pull(5)
			})
		})
	}
}

func TestHandlerLeavesAGoroutineBehind(t *testing.T) {
	var late http.ResponseWriter
	s := serve(t, "GET", func(w http.ResponseWriter, _ *http.Request) { late = w })
	late.(http.Flusher).Flush()
	late.WriteHeader(500)
	if _, err := late.Write([]byte("x")); !errors.Is(err, ErrFinished) {
		t.Errorf("a late write gives %v", err)
	}
	if s.seen() != "whole" || s.status != 200 {
		t.Errorf("the sink saw %q with status %d", s.seen(), s.status)
	}
}

func BenchmarkWhole(b *testing.B) {
	body := make([]byte, 2048)
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write(body)
	})
	b.ReportAllocs()
	for b.Loop() {
		w := New(context.Background(), discard{})
		r, err := Request(w.Context(), "GET", "/api/v1/namespaces/default/pods/x", "accept: application/json\n", nil)
		if err != nil {
			b.Fatal(err)
		}
		w.Serve(h, r)
	}
}

type discard struct{}

func (discard) Whole(int, http.Header, []byte) {}
func (discard) Head(int, http.Header)          {}
func (discard) Chunk([]byte)                   {}
func (discard) End()                           {}
func (discard) Fail(error)                     {}
