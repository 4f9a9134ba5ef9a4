package objects

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/web/revisions"
)

// What one may not read is left out of the past, and what cannot be read is said.
func TestLeftOut(t *testing.T) {
	for code, want := range map[int]bool{403: true, 404: true, 405: true, 410: false, 429: false, 500: false} {
		if leftOut(code) != want {
			t.Errorf("%d is left out: %t", code, !want)
		}
	}
}

func TestPast(t *testing.T) {
	var log revisions.Log
	for i, c := range []struct {
		verb revisions.Verb
		name string
	}{{revisions.Added, "a"}, {revisions.Added, "b"}, {revisions.Modified, "a"}, {revisions.Deleted, "b"},
		{revisions.Added, "c"}, {revisions.Added, "b"}} {
		log.Add(revisions.Commit{Revision: int64(i + 2), Verb: c.verb, Resource: "pods", Namespace: "d", Name: c.name})
	}
	say := func(v PastView) string {
		var out []string
		for _, r := range v.Rows {
			s := fmt.Sprint(r.Object, "@", r.Revision, r.Here)
			if r.Later {
				s = "(" + s + ")"
			}
			out = append(out, s)
		}
		return strings.Join(out, " ")
	}
	for at, want := range map[int64]string{
		2: "d/a@2added (d/b@3) (d/c@6)",
		4: "d/a@4changed d/b@3 (d/c@6)",
		5: "d/a@4 (d/c@6) (d/b@7)",
		7: "d/b@7added d/c@6 d/a@4",
	} {
		if v := pastView(at, &log, nil); say(v) != want || !v.Notes {
			t.Errorf("at %d: %s, want %s", at, say(v), want)
		}
	}
	exact := map[string]PastRow{"obj-pods/d/old": {Key: "obj-pods/d/old", Object: "d/old", Revision: 1}}
	if v := pastView(4, &log, exact); say(v) != "d/old@1 (d/c@6) (d/b@7)" || v.Notes || v.Count != 1 {
		t.Errorf("by exact reads: %s", say(v))
	}
}
