package faults

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// pieces is a response that records its calls: the code, each piece of the body, and "/" for each
// Flush.
type pieces struct{ seen []string }

func (p *pieces) Header() http.Header  { return http.Header{} }
func (p *pieces) WriteHeader(code int) { p.seen = append(p.seen, fmt.Sprint(code)) }
func (p *pieces) Flush()               { p.seen = append(p.seen, "/") }
func (p *pieces) Write(b []byte) (int, error) {
	p.seen = append(p.seen, string(b))
	return len(b), nil
}

func TestWriter(t *testing.T) {
	const cut = "panic: net/http: abort Handler"
	for name, test := range map[string]struct {
		effect Effect
		body   string // what is written at once is separated by a space
		want   []string
	}{
		"pieces": {Effect{ChunkBytes: 2}, "abc defg",
			[]string{"200", "ab", "/", "c", "/", "de", "/", "fg", "/"}},
		"pieces of a character":  {Effect{ChunkBytes: 1}, "é", []string{"200", "\xc3", "/", "\xa9", "/"}},
		"cut at once":            {Effect{CutAfterBytes: ptr(0)}, "abc", []string{"200", "/", cut}},
		"cut in a piece":         {Effect{CutAfterBytes: ptr(4)}, "abc def", []string{"200", "abc", "d", "/", cut}},
		"cut after a piece":      {Effect{CutAfterBytes: ptr(3)}, "abc def", []string{"200", "abc", "/", cut}},
		"cut in a character":     {Effect{CutAfterBytes: ptr(2)}, "aé", []string{"200", "a\xc3", "/", cut}},
		"not so long":            {Effect{CutAfterBytes: ptr(7)}, "abc def", []string{"200", "abc", "def"}},
		"late":                   {Effect{Delay: time.Second}, "abc def", []string{"wait", "200", "abc", "def"}},
		"nothing of the answer":  {Effect{Status: 500}, "abc", []string{"200", "abc"}},
		"a watch, by its events": {Effect{CutAfterEvents: ptr(0)}, "abc", []string{"200", "abc"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := new(pieces)
			w := test.effect.Writer(p, func() { p.seen = append(p.seen, "wait") })
			func() {
				defer func() {
					if p, v := p, recover(); v != nil {
						p.seen = append(p.seen, fmt.Sprintf("panic: %v", v))
					}
				}()
				w.WriteHeader(200)
				for _, part := range strings.Fields(test.body) {
					if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
						t.Errorf("%d bytes of %q, %v", n, part, err)
					}
				}
			}()
			if !slices.Equal(p.seen, test.want) {
				t.Errorf("%q, want %q", p.seen, test.want)
			}
		})
	}
}

// TestWriterWithoutAHead checks that a first write, and a flush, are delayed as WriteHeader is.
func TestWriterWithoutAHead(t *testing.T) {
	for what, send := range map[string]func(http.ResponseWriter) error{
		"abc": func(w http.ResponseWriter) error { _, err := w.Write([]byte("abc")); return err },
		"/":   func(w http.ResponseWriter) error { return http.NewResponseController(w).Flush() },
	} {
		p := new(pieces)
		e := Effect{Delay: time.Second}
		w := e.Writer(p, func() { p.seen = append(p.seen, "wait") })
		if err := send(w); err != nil || !slices.Equal(p.seen, []string{"wait", what}) {
			t.Errorf("%q, %v", p.seen, err)
		}
	}
}
