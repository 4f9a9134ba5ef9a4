package apitest

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// An Answer is one that can be read while it is written.
type Answer struct {
	// Begun is closed as soon as there are Code and Header.
	Begun  <-chan struct{}
	Code   int
	Header http.Header
	// Body ends when the handler returns. Once it is closed, the handler cannot write any more.
	Body io.ReadCloser
	// Ended is closed when the handler has returned.
	Ended <-chan struct{}
}

// Open has a handler answer a request in the background. The handler may abort the answer by a panic, as
// http.ErrAbortHandler says.
func Open(h http.Handler, r *http.Request) *Answer {
	begun, ended := make(chan struct{}), make(chan struct{})
	reader, writer := io.Pipe()
	a := &Answer{Begun: begun, Header: http.Header{}, Body: reader, Ended: ended}
	w := &answerWriter{a, begun, writer}
	go func() {
		defer close(ended)
		defer writer.Close()
		defer w.begin()
		defer func() {
			if p := recover(); p != nil && p != http.ErrAbortHandler {
				panic(p)
			}
		}()
		h.ServeHTTP(w, r)
	}()
	return a
}

// An answerWriter is the handler's side of an Answer.
type answerWriter struct {
	answer *Answer
	begun  chan<- struct{}
	body   *io.PipeWriter
}

func (w *answerWriter) Header() http.Header { return w.answer.Header }
func (w *answerWriter) Flush()              {}

func (w *answerWriter) WriteHeader(code int) {
	w.answer.Code = code
	close(w.begun)
}

func (w *answerWriter) Write(b []byte) (int, error) {
	w.begin()
	return w.body.Write(b)
}

// begin begins the answer, unless the handler has begun it.
func (w *answerWriter) begin() {
	if w.answer.Code == 0 {
		w.WriteHeader(http.StatusOK)
	}
}

// A Tail follows a stream of JSON lines.
type Tail struct {
	// Lines are those that are still to be read.
	Lines  *bufio.Scanner
	t      testing.TB
	answer *Answer
	cancel context.CancelFunc
}

// Follow opens the stream at a path, which ends with the test at the latest.
func Follow(t testing.TB, h http.Handler, path string) *Tail {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	answer := Open(h, httptest.NewRequest("GET", path, nil).WithContext(ctx))
	s := &Tail{bufio.NewScanner(answer.Body), t, answer, cancel}
	s.Lines.Buffer(nil, 1<<20)
	t.Cleanup(s.Stop)
	<-answer.Begun
	if answer.Code != http.StatusOK {
		t.Fatalf("GET %s: %d", path, answer.Code)
	}
	return s
}

// Next returns the next line; nil at the end of the stream.
func (s *Tail) Next() map[string]any {
	s.t.Helper()
	if !s.Lines.Scan() {
		return nil
	}
	var obj map[string]any
	if err := json.Unmarshal(s.Lines.Bytes(), &obj); err != nil {
		s.t.Fatalf("%v in %q", err, s.Lines.Text())
	}
	return obj
}

// Stop ends the stream from the client's side and waits for the handler.
func (s *Tail) Stop() {
	s.cancel()
	for s.Lines.Scan() {
	}
	<-s.answer.Ended
}
