package app

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/web/tap"
)

func unpacked(batch, bodies string) (out []tap.Event) {
	unpackEvents(batch, bodies, func(e tap.Event) { out = append(out, e) })
	return out
}

func TestUnpackEvents(t *testing.T) {
	at := time.UnixMicro(1_700_000_000_123_456)
	const time = "\x1f1700000000123456"
	for name, c := range map[string]struct {
		batch, bodies string
		want          []tap.Event
	}{
		"nothing": {"", "", nil},
		"request": {
			"request\x1f1" + time + "\x1fPOST\x1f/api/v1/pods?a=b\x1fAccept\x1ca/b\x1dX\x1c\x1f2\x1fpage\x1ftab", "{}",
			[]tap.Event{{Type: tap.Request, ID: 1, Time: at, Method: "POST", URL: "/api/v1/pods?a=b",
				Header: []tap.Field{{Name: "Accept", Value: "a/b"}, {Name: "X"}}, Body: "{}", Origin: "page", Place: "tab"}},
		},
		"head": {
			"head\x1f2" + time + "\x1f200\x1f\x1fserver=0, rule=watch", "",
			[]tap.Event{{Type: tap.Head, ID: 2, Time: at, Status: 200, Source: &source.Source{Rule: "watch"}}},
		},
		"the others": {
			"chunk\x1f3" + time + "\x1f3\x1eend\x1f3" + time + "\x1efail\x1f4" + time + "\x1fno answer\x1f1\x1efail\x1f5" +
				time + "\x1fno answer\x1f\x1echunk\x1f3" + time + "\x1f2\x1echunk\x1f3" + time + "\x1f9", "a\nb\x1e\xff",
			[]tap.Event{
				{Type: tap.Chunk, ID: 3, Time: at, Text: "a\nb"},
				{Type: tap.End, ID: 3, Time: at},
				{Type: tap.Fail, ID: 4, Time: at, Err: "no answer", Aborted: true},
				{Type: tap.Fail, ID: 5, Time: at, Err: "no answer"},
				{Type: tap.Chunk, ID: 3, Time: at, Text: "\x1e\xff"},
				{Type: tap.Chunk, ID: 3, Time: at}, // there are not as many bytes
			},
		},
		"what is none is passed over": {
			"chunk\x1f3" + time + "\x1echunk\x1fx" + time + "\x1f\x1eend\x1f3\x1f\x1ebegin\x1f3" + time + "\x1eend\x1f3" + time +
				"\x1f\x1e" +
				"end" + strings.Repeat(time, 10) + "\x1eend\x1f6" + time, "",
			[]tap.Event{{Type: tap.End, ID: 6, Time: at}},
		},
	} {
		if got := unpacked(c.batch, c.bodies); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func FuzzUnpackEvents(f *testing.F) {
	f.Add("request\x1f1\x1f5\x1fPOST\x1f/api\x1fAccept\x1ca/b\x1f2\x1fpage\x1ehead\x1f1\x1f6\x1f200\x1f\x1fserver=0, "+
		"rule=watch", "{}")
	f.Add("chunk\x1f3\x1f7\x1f3\x1efail\x1f4\x1f7\x1fno\x1f1\x1eend\x1f3\x1f8", "a\nb")
	f.Fuzz(func(t *testing.T, batch, bodies string) {
		all := unpacked(batch, bodies)
		if most := strings.Count(batch, "\x1e") + 1; len(all) > most {
			t.Fatalf("%d events of %d lines", len(all), most)
		}
		taken := 0
		for _, e := range all {
			taken += len(e.Text) + len(e.Body)
			if e.Type == "" || taken > len(bodies) || strings.ContainsAny(e.URL+e.Err, "\x1e\x1f") {
				t.Fatalf("%+v", e)
			}
		}
	})
}

// BenchmarkUnpackEvents is an event of a watch.
func BenchmarkUnpackEvents(b *testing.B) {
	const many = 32
	const line = "chunk\x1f12345\x1f1700000000123456\x1f451"
	batch := strings.Repeat(line+"\x1e", many-1) + line
	bodies := strings.Repeat(strings.Repeat("x", 450)+"\n", many)
	b.ReportAllocs()
	for i := 0; i < b.N; i += many {
		unpackEvents(batch, bodies, func(tap.Event) {})
	}
}
