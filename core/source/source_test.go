package source

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestString(t *testing.T) {
	for _, test := range []struct {
		source Source
		want   string
	}{
		{Source{}, ""},
		{Source{Server: 1, Head: 46, From: Cache}, ""},
		{Source{Rule: "list-invalid"}, "server=0, rule=list-invalid"},
		{Source{From: Cache, Revision: 38, Head: 46, Rule: "list-any"},
			"server=0, from=cache, revision=38, head=46, rule=list-any"},
		{Source{Server: 2, From: Etcd, Revision: 46, Head: 46, Rule: "list-latest", Waited: 1500 * time.Millisecond},
			"server=2, from=etcd, revision=46, head=46, rule=list-latest, waited=1500"},
		{Source{From: Etcd, Head: 31, Rule: "write", Wrote: []Span{{30, 31}}},
			"server=0, from=etcd, head=31, rule=write, wrote=(30;to=31)"},
		{Source{From: Etcd, Head: 1285, Rule: "write", Wrote: []Span{{30, 30}, {33, 1285}}, More: 7},
			"server=0, from=etcd, head=1285, rule=write, wrote=(30 33;to=1285), more=7"},
		{Source{From: Cache, Revision: 1<<63 - 1, Head: 46, Rule: "watch-from"},
			"server=0, from=cache, head=46, rule=watch-from"},
	} {
		got := test.source.String()
		if got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
		if got == "" || test.source.Revision > most {
			continue
		}
		if again, err := Parse(got); err != nil || !reflect.DeepEqual(again, &test.source) {
			t.Errorf("%s is read as %+v, %v", got, again, err)
		}
	}
}

func TestWrite(t *testing.T) {
	var s Source
	for _, rev := range []int64{30, 31, 32, 40} {
		s.Write(rev)
	}
	if want := []Span{{30, 32}, {40, 40}}; !reflect.DeepEqual(s.Wrote, want) {
		t.Errorf("got %v, want %v", s.Wrote, want)
	}
	for rev := int64(50); len(s.Wrote) < MaxSpans; rev += 2 {
		s.Write(rev)
	}
	last := s.Wrote[MaxSpans-1].Last
	s.Write(last + 1) // continues where the last span ends
	for _, rev := range []int64{2, 10, 11} {
		s.Write(last + 1 + rev)
	}
	if len(s.Wrote) != MaxSpans || s.Wrote[MaxSpans-1].Last != last+1 || s.More != 3 {
		t.Errorf("%d spans, the last %v, and %d more", len(s.Wrote), s.Wrote[MaxSpans-1], s.More)
	}
}

func TestWait(t *testing.T) {
	var s Source
	s.Wait(0)
	s.Wait(1500*time.Millisecond + 999*time.Microsecond)
	if want := 1501 * time.Millisecond; s.Waited != want {
		t.Errorf("got %v, want %v", s.Waited, want)
	}
}

func TestContext(t *testing.T) {
	ctx := context.Background()
	if Of(ctx) != nil || Without(ctx) != ctx {
		t.Error("a context that nobody asked")
	}
	s := new(Source)
	ctx = With(ctx, s)
	if Of(ctx) != s || Of(Without(ctx)) != nil {
		t.Error("the source is lost, or not hidden")
	}
}

func TestAsked(t *testing.T) {
	const no = "no"
	for value, want := range map[string]string{
		"1": "", "true": "", "True": "", "t": "", "?1": "",
		"?1;id=p4f2.17": "p4f2.17", "1; id=a": "a", "?1;x;id=a;y=2": "a",
		// not an ID
		"?1;": "", "?1;id": "", "?1;id=": "", "?1;id=7": "", "?1;id=a b": "", "?1;name=a": "",
		"?1;id=" + strings.Repeat("a", maxRequest+1): "",
		"": no, "0": no, "false": no, "?0": no, "yes": no, "1, 1": no, "?0;id=a": no, ";id=a": no,
	} {
		if s := Asked(value); (s == nil) != (want == no) || s != nil && s.Request != want {
			t.Errorf("%q: %+v, want %s", value, s, want)
		}
	}
}

func TestParse(t *testing.T) {
	want := &Source{Server: 1, From: Etcd, Revision: 5, Head: 7, Rule: "get-latest", Wrote: []Span{{3, 3}, {5, 9}}}
	for _, text := range []string{
		"server=1, from=etcd, revision=5, head=7, rule=get-latest, wrote=(3 5;to=9)",
		"  rule=get-latest,wrote=( 3  5;x;to=9;y=1.5 );a=b , \t from=etcd;q=0.5,head=7,revision=5,server=1 ",
		"server=1, from=etcd, revision=5, head=7, rule=get-latest, wrote=(3 5;to=9), new, other=?0, text=\"a\\\"b\", " +
			"b=:YQ==:, d=-1.25, l=()",
		"server=9, from=cache, revision=5, head=7, rule=get-latest, wrote=(3 5;to=9), server=1, from=etcd",
	} {
		if got, err := Parse(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"", "server=0", "rule", "rule=\"list-any\"", "rule=1", "rule=a,", "rule=a b=c", "rule=a, , b", "Rule=a", "rule=a, b=",
		"rule=",
		"rule=a, server=-1", "rule=a, server=3000000000", "rule=a, server=1.5", "rule=a, from=disk", "rule=a, head=0",
		"rule=a, revision=x",
		"rule=a, head=1000000000000000", "rule=a, waited=-1", "rule=a, waited=10000000000000", "rule=a, more=0",
		"rule=a, wrote=3", "rule=a, wrote=()", "rule=a, wrote=(3", "rule=a, wrote=(3 3)", "rule=a, wrote=(3;to=3)",
		"rule=a, wrote=(3;to=5 4)",
		"rule=a, wrote=(a)", "rule=a, wrote=(3;to=b)", "rule=a, wrote=(1)x", "rule=a, wrote=(1\"2\")",
		"rule=a, b=?2", "rule=a, b=\"", "rule=a, b=\"\\a\"",
		"rule=a, b=:YQ", "rule=a, b=1.", "rule=a, b=1.2345", "rule=a, b=-", "rule=a, b=é", "rule=a;=1", "rule=a, b=(1;)",
		"rule=a, wrote=(" + strings.TrimSpace(strings.Repeat("1 ", MaxSpans+1)) + ")",
	} {
		if got, err := Parse(text); err == nil {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}

// String and Parse are inverse.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"server=0, from=cache, revision=38, head=46, rule=list-any", "rule=a, wrote=(30 33;to=1285), more=7, waited=1500",
		`rule=a;b="c\\", x=?0, y=:YQ==:, z=(1.5 a;b)`, "rule=*/:, server=12",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		if again, err := Parse(s.String()); err != nil || !reflect.DeepEqual(again, s) {
			t.Errorf("%q: %+v is written as %s and read as %+v, %v", text, s, s, again, err)
		}
	})
}
