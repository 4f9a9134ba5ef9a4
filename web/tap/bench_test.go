package tap

import (
	"strconv"
	"strings"
	"testing"
)

// full returns a log in which every bound has been reached: open watches that were
// there first, and then as many requests as are kept.
func full(watches int) *Log {
	l := &Log{}
	line := strings.Repeat("x", 999) + "\n"
	for id := 1; id <= watches; id++ {
		l.Add(Event{Type: Request, ID: id, Method: "GET", URL: "/api/v1/pods?watch=1"})
		l.Add(Event{Type: Head, ID: id, Status: 200})
	}
	for id := watches + 1; id <= watches+maxEntries; id++ {
		one(l, id)
	}
	for range 2 * MaxBytes / watches / len(line) {
		for id := 1; id <= watches; id++ {
			l.Add(Event{Type: Chunk, ID: id, Text: line})
		}
	}
	return l
}

func one(l *Log, id int) {
	answered(l, id, "", "PUT", "/api/v1/namespaces/default/configmaps/a"+strconv.Itoa(id), 200, "{}")
}

// BenchmarkStreams is an event of one of twenty watches in a full log.
func BenchmarkStreams(b *testing.B) {
	l := full(20)
	line := strings.Repeat("x", 999) + "\n"
	for i := 0; b.Loop(); i++ {
		l.Add(Event{Type: Chunk, ID: 1 + i%20, Text: line})
	}
}

// BenchmarkRequests is a request, with its answer, in a full log.
func BenchmarkRequests(b *testing.B) {
	l := full(20)
	for id := 1_000_000; b.Loop(); id++ {
		one(l, id)
	}
}

// Many streams that continue share the room that all bodies have.
func TestStreamsShareTheRoom(t *testing.T) {
	l := full(20)
	if l.bytes > MaxBytes+MaxBytes/16 {
		t.Errorf("%d bytes are kept, the bound is %d", l.bytes, MaxBytes)
	}
	sum := 0
	for _, x := range l.All() {
		kept := 0
		for _, line := range x.Lines {
			kept += len(line.Text)
		}
		for _, p := range x.pieces {
			kept += len(p)
		}
		if kept != x.kept {
			t.Fatalf("request %d keeps %d bytes, and says %d", x.ID, kept, x.kept)
		}
		sum += x.cost()
	}
	if sum != l.bytes {
		t.Errorf("%d bytes are kept, the log says %d", sum, l.bytes)
	}
	for id := 1; id <= 20; id++ {
		e := l.Get(id)
		if e == nil || !e.Trimmed || len(e.Text())%1000 != 0 || e.kept < MaxBytes/20/4 {
			t.Fatalf("watch %d: trimmed %v, keeps %d", id, e.Trimmed, e.kept)
		}
		if text := e.After(e.Size - 1500); len(text) != 1500 {
			t.Errorf("watch %d: %d bytes since", id, len(text))
		}
	}
}

// eventLine is an event of about 500 bytes.
func eventLine(rev int) string {
	return `{"type":"MODIFIED","object":{"kind":"Pod","metadata":{"name":"a","namespace":"default","resourceVersion":"` +
		strconv.Itoa(rev) + `"},"data":"` + strings.Repeat("x", 400) + `"}}` + "\n"
}

// BenchmarkLongWatch is an event of a watch that has had so many before: the cost is the chunk's, whatever came before.
func BenchmarkLongWatch(b *testing.B) {
	for _, before := range []int{0, 1000, 100_000} {
		b.Run(strconv.Itoa(before), func(b *testing.B) {
			var l Log
			l.Add(Event{Type: Request, ID: 1, Method: "GET", URL: "/api/v1/pods?watch=1"})
			l.Add(Event{Type: Head, ID: 1, Status: 200})
			rev := 0
			event := func() {
				rev++
				l.Add(Event{Type: Chunk, ID: 1, Text: eventLine(rev)})
			}
			for range before {
				event()
			}
			b.ReportAllocs()
			for b.Loop() {
				event()
			}
		})
	}
}
