package history

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/web/tap"
)

func TestKeepAndRestore(t *testing.T) {
	l := sampleLog()
	l.Get(1).Source.Wrote = []Span{{First: 30, Last: 31}}
	l.Get(5).ResHeader = []tap.Field{{Name: "Content-Type", Value: "application/json"}}
	text := Keep(l, at(500))

	var n tap.Log
	n.Add(tap.Event{Type: tap.Request, ID: 1, Method: "GET", URL: "/version", Time: at(1000)})
	v := NewView(&n)
	v.Update(all)
	if err := Restore(&n, text); err != nil {
		t.Fatal(err)
	}
	v.Update(all)
	if got := shown(v); got != "1 -1 -2! -3 -4 -5 -6+! -8" {
		t.Errorf("rows: %s", got)
	}
	for i := 1; i <= 8; i++ {
		was, e := l.Get(9-i), n.Get(-i)
		if e == nil || !e.Kept || e.Live() {
			t.Fatalf("request %d: %+v", -i, e)
		}
		if e.Method != was.Method || e.URL != was.URL || e.Status != was.Status || e.Text() != was.Text() ||
			e.Size != was.Size || e.ErrorCode != was.ErrorCode ||
			!e.Started.Equal(was.Started) || !reflect.DeepEqual(e.Header, was.Header) ||
			!reflect.DeepEqual(e.ResHeader, was.ResHeader) || !reflect.DeepEqual(e.Info, was.Info) {
			t.Errorf("request %d is %+v, was %+v", -i, e, was)
		}
		if !reflect.DeepEqual(e.Source, was.Source) {
			t.Errorf("request %d: source %+v, was %+v", -i, e.Source, was.Source)
		}
	}
	if e := n.Get(-1); e.Phase != tap.Aborted || e.Err != "the page was reloaded" || !e.Ended.Equal(at(500)) {
		t.Errorf("what was under way: %+v", e)
	}
	// And once more, with what came since.
	var m tap.Log
	if err := Restore(&m, Keep(&n, at(2000))); err != nil || m.Len() != 9 || m.Get(-1).URL != "/version" ||
		m.Get(-9).Method != "POST" {
		t.Errorf("%d requests, %v", m.Len(), err)
	}
	if l.Size() == 0 || m.Size() == 0 {
		t.Error("nothing is counted")
	}
	m.Drop(func(*tap.Exchange) bool { return true })
	if m.Len() != 0 || m.Size() != 0 {
		t.Errorf("after Drop %d requests, %d bytes", m.Len(), m.Size())
	}
}

func TestKeepIsBounded(t *testing.T) {
	var l tap.Log
	for id := 1; id <= 200; id++ {
		answered(&l, id, "page", "GET", "/api/v1/pods", 200, strings.Repeat("x", 20<<10))
	}
	answered(&l, 201, "page", "GET", "/api/v1/pods", 200, strings.Repeat("y", 1+maxKeptBody))
	l.Add(tap.Event{Type: tap.Request, ID: 202, Method: "PUT", URL: "/x", Body: strings.Repeat("z", 1+maxKeptBody)})
	text := Keep(&l, at(0))
	var n tap.Log
	if err := Restore(&n, text); err != nil {
		t.Fatal(err)
	}
	if len(text) > maxKept*5/4 || n.Len() < 40 || n.Len() > 60 {
		t.Errorf("%d requests in %d bytes", n.Len(), len(text))
	}
	if e := n.Get(-1); !e.Bodyless || e.Body != "" {
		t.Errorf("a long body is kept: %d bytes", len(e.Body))
	}
	if e := n.Get(-2); !e.Trimmed || e.Text() != "" || e.Size != 1+maxKeptBody {
		t.Errorf("a long answer is kept: %d bytes of %d", len(e.Text()), e.Size)
	}
}

func FuzzRestore(f *testing.F) {
	f.Add(Keep(sampleLog(), at(1)))
	f.Add(`{"form":1,"entries":[{"phase":200,"size":-1},null]}`)
	f.Add(`{"form":3}`)
	f.Add(`[`)
	f.Fuzz(func(t *testing.T, text string) {
		var l tap.Log
		if err := Restore(&l, text); err != nil {
			if !errors.Is(err, ErrKept) || l.Len() > 0 {
				t.Fatalf("%v, with %d requests", err, l.Len())
			}
			return
		}
		v := NewView(&l)
		v.SetOrder(Order{By: ByPath})
		v.Update(all)
		if again := Keep(&l, at(0)); l.Len() > 0 && again != "" {
			var n tap.Log
			if err := Restore(&n, again); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := HAR(l.All(), "http://x", at(0)); err != nil {
			t.Fatal(err)
		}
	})
}

// TestKeepBytes wants what is no text to come back as it was.
func TestKeepBytes(t *testing.T) {
	const body = "k8s\x00\xff\xfe"
	var l, again tap.Log
	l.Add(tap.Event{Type: tap.Request, ID: 1, Method: "GET", URL: "/api/v1/pods/a"})
	l.Add(tap.Event{Type: tap.Head, ID: 1, Status: 200, Header: []tap.Field{{Name: "Content-Type",
		Value: "application/vnd.kubernetes.protobuf"}}})
	l.Add(tap.Event{Type: tap.Chunk, ID: 1, Text: body})
	l.Add(tap.Event{Type: tap.End, ID: 1})
	if err := Restore(&again, Keep(&l, at(9))); err != nil {
		t.Fatal(err)
	}
	if e := again.All()[0]; e.Text() != body || !e.Binary || e.Size != len(body) {
		t.Errorf("%q, %+v", e.Text(), e)
	}
}
