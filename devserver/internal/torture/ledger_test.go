package torture

import (
	"fmt"
	"strings"
	"testing"
)

// Revisions in these tests: 10 is the last check, with a at 8; since then b was made
// at 11, a was changed at 12, and b was deleted at 14.
var (
	a8  = Version{Key: "t-a", Revision: 8, UID: "a", Token: "1", Hash: 8}
	b11 = Version{Key: "t-b", Revision: 11, UID: "b", Token: "2", Hash: 11}
	a12 = Version{Key: "t-a", Revision: 12, UID: "a", Token: "3", Hash: 12}
	b14 = Version{Key: "t-b", Revision: 14, UID: "b", Token: "2", Hash: 14, Deleted: true}
)

// past returns a ledger to which all of that was shown and acknowledged.
func past() *Ledger {
	l := NewLedger(10, State{"t-a": a8})
	l.Show("reader", a8)
	for _, token := range []string{"2", "3", "open"} {
		l.Attempt(token)
	}
	l.Acknowledge("writer", "2", b11, 10)
	l.Acknowledge("writer", "3", a12, 11)
	l.Show("follower", b11)
	l.ShowList("lister", 13, State{"t-a": a12, "t-b": b11})
	l.Show("follower", b14)
	l.AcknowledgeDeletion("t-b", "b")
	return l
}

func told(events ...Version) History {
	return History{From: 10, Head: 14, Shown: 14, State: State{"t-a": a8}, Events: events}
}

func TestSoundHistoryIsAccepted(t *testing.T) {
	open := Version{Key: "t-c", Revision: 15, Token: "open"}
	for name, h := range map[string]History{
		"as it was":                told(b11, a12, b14),
		"with an unanswered write": told(b11, a12, b14, open),
		"compacted": {From: 13, Head: 14, Shown: 14, State: State{"t-a": a12, "t-b": b11},
			Events: []Version{b14}},
	} {
		l := past()
		end := l.Check(h)
		if l.Any() {
			t.Errorf("%s: %v", name, l.Texts())
		}
		if end["t-a"] != a12 || end["t-b"].Key != "" {
			t.Errorf("%s: it ends with %v", name, end)
		}
		if l.Base() < 14 || l.Latest("t-a") != a12 {
			t.Errorf("%s: the next check begins at %d with %v", name, l.Base(), l.Latest("t-a"))
		}
	}
}

func TestFaultsAreFound(t *testing.T) {
	other := a12
	other.Hash++
	behind := told(b11, a12, b14)
	behind.Head = 13
	elsewhere := told(b11, a12, b14)
	elsewhere.State = State{}
	twice := Version{Key: "t-a", Revision: 15, UID: "a", Token: "3", Hash: 15}
	unmade := Version{Key: "t-a", Revision: 15, UID: "a", Token: "from before", Hash: 15}
	for name, c := range map[string]struct {
		History
		want Fault
	}{
		"a lost creation":            {told(a12, b14), Lost},
		"a lost update":              {told(b11, b14), Lost},
		"a lost deletion":            {told(b11, a12), Lost},
		"a deletion that was shown":  {told(b11, a12), Gone},
		"a head that went back":      {behind, Gone},
		"another event":              {told(b11, other, b14), Reused},
		"a write that is lost by it": {told(b11, other, b14), Lost},
		"a base that changed":        {elsewhere, Diverged},
		"a list of what never was": {told(b11, a12, Version{Key: "t-b", Revision: 13, UID: "b", Token: "open"}, b14),
			Diverged},
		"a write done twice": {told(b11, a12, b14, twice), Diverged},
		"a write of nobody":  {told(b11, a12, b14, unmade), Diverged},
	} {
		l := past()
		l.Check(c.History)
		if l.Count(c.want) == 0 {
			t.Errorf("%s: %v", name, l.Texts())
		}
	}
}

func TestRefusedWritesAreLookedFor(t *testing.T) {
	l := past()
	l.Attempt("no")
	l.Refuse("no")
	l.Check(told(b11, a12, b14, Version{Key: "t-c", Revision: 15, Token: "no"}))
	if l.Count(Diverged) != 1 {
		t.Error(l.Texts())
	}
}

// TestContradictions are found at once, before any check.
func TestContradictions(t *testing.T) {
	other := a12
	other.Hash++
	old := a8
	old.Hash++
	for name, show := range map[string]func(*Ledger){
		"a revision of two events":         func(l *Ledger) { l.Show("reader", other) },
		"a revision before the last check": func(l *Ledger) { l.Show("reader", old) },
		"a write at an old revision":       func(l *Ledger) { l.Acknowledge("writer", "3", a12, 12) },
	} {
		l := past()
		show(l)
		if l.Count(Reused) != 1 {
			t.Errorf("%s: %v", name, l.Texts())
		}
	}
}

func TestFollowersAreCompared(t *testing.T) {
	follow := func(events ...event) (*follower, error) {
		f := newFollower("follower", past(), false, 1)
		f.begin(State{"t-a": a8}, 10)
		for _, e := range events {
			if err := f.take(e); err != nil {
				return f, err
			}
		}
		return f, nil
	}
	added, modified, deleted := event{Type: "ADDED", Version: b11}, event{Type: "MODIFIED", Version: a12},
		event{Type: "DELETED", Version: b14}
	mark := event{Type: "BOOKMARK", Version: Version{Revision: 13}}
	h, end := told(b11, a12, b14), State{"t-a": a12}

	f, err := follow(added, modified, mark, deleted)
	if f.check(h, 14, end); err != nil || f.ledger.Any() {
		t.Error(err, f.ledger.Texts())
	}
	f, err = follow(modified, mark)
	if f.check(h, 14, end); err != nil || !strings.Contains(fmt.Sprint(f.ledger.Texts()), "told of 12") {
		t.Error("an event that a follower missed:", err, f.ledger.Texts())
	}
	f, err = follow(added, modified)
	if f.check(told(b11, a12), 14, end); err != nil ||
		!strings.Contains(fmt.Sprint(f.ledger.Texts()), "a list at 14 shows") {
		t.Error("an object that a follower has and nobody else:", err, f.ledger.Texts())
	}
	for name, events := range map[string][]event{
		"an event twice":              {added, added},
		"an event of the past":        {modified, added},
		"an object that is there":     {{Type: "ADDED", Version: a12}},
		"a change of what is not":     {{Type: "MODIFIED", Version: b11}},
		"an event at a bookmark's":    {{Type: "BOOKMARK", Version: Version{Revision: 12}}, modified},
		"a bookmark that goes back":   {modified, {Type: "BOOKMARK", Version: Version{Revision: 11}}},
		"a deletion of what is there": {{Type: "DELETED", Version: b11}},
	} {
		if _, err := follow(events...); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}
