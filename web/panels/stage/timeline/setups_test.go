package timeline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

func TestSetups(t *testing.T) {
	for _, test := range []struct {
		commits string // who makes each, from revision 60 on: s a setup, l a lesson, - nobody of the page
		want    string
	}{
		{"", ""},
		{"l--l", ""},
		{"s", "60–60"},
		{"ss-s--l", "60–63"},
		{"sls", "60–60 62–62"},
		{"l-ss-lss", "62–63 66–67"},
	} {
		m := newWorld()
		m.Page = "page"
		for i, who := range test.commits {
			origin, request := map[rune]string{'s': "setup", 'l': "lesson"}[who], fmt.Sprintf("page.%d", i+1)
			if who == '-' {
				request = ""
			} else {
				m.Tap(tap.Event{Type: tap.Request, ID: i + 1, Method: "POST", URL: "/api/v1/namespaces", Origin: origin})
			}
			m.Frame(revisions.Frame{Commit: &revisions.Commit{Revision: int64(60 + i), Verb: revisions.Added,
				Resource: "namespaces", Name: "a", Request: request}})
		}
		var got []string
		for _, s := range m.Setups.List {
			got = append(got, fmt.Sprintf("%d–%d", s.First, s.Last))
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: got %v, want %s", test.commits, got, test.want)
		}
	}
}

// The newest setups are kept.
func TestSetupsAreBounded(t *testing.T) {
	var s Setups
	for rev := int64(1); rev <= 200; rev++ {
		s.add(rev, rev%2 == 0)
	}
	if n := len(s.List); n != keptSetups || s.List[n-1].First != 200 {
		t.Errorf("%d are kept, up to %v", n, s.List[n-1])
	}
}
