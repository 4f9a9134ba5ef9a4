package torture

import (
	"strings"
	"sync"
)

// prefix is what the keys of the writers begin with; others are the server's own.
const prefix = "t-"

// A Ledger records what clients were answered and shown since the last check.
type Ledger struct {
	*Findings
	mu sync.Mutex
	// base is the revision of the last check, and state what there was then.
	base  int64
	state State
	// head is the greatest revision that a client was shown.
	head      int64
	versions  map[int64]entry
	latest    map[string]Version // of each key, the last that was shown
	deletions map[string]string  // acknowledged: uid to key
	outcomes  map[string]outcome // by tokens
	lists     []snapshot
	figures   Figures
}

type entry struct {
	Version
	client string
	acked  bool
}

// outcome is what is known of a write.
type outcome int

const (
	unknown outcome = iota
	acknowledged
	refused
)

// snapshot is what a list showed.
type snapshot struct {
	client   string
	revision int64
	state    State
}

// maxLists bounds the lists that are compared with the history.
const maxLists = 200

// NewLedger begins with a server that is at a revision, in a state.
func NewLedger(base int64, state State) *Ledger {
	l := &Ledger{Findings: new(Findings)}
	l.begin(base, state)
	return l
}

// begin forgets all but what was checked.
func (l *Ledger) begin(base int64, state State) {
	l.base, l.head, l.state = base, base, state
	l.versions, l.latest = map[int64]entry{}, map[string]Version{}
	l.deletions, l.outcomes, l.lists = map[string]string{}, map[string]outcome{}, nil
	for key, v := range state {
		l.latest[key] = v
	}
}

// Head returns the greatest revision that a client was shown.
func (l *Ledger) Head() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.head
}

// Latest returns the last version of a key that a client was shown.
func (l *Ledger) Latest(key string) Version {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.latest[key]
}

// Attempt notes that a write begins, whose outcome is unknown until it is answered.
func (l *Ledger) Attempt(token string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.outcomes[token] = unknown
}

// Refuse notes that a write was answered with an error that says it has no effect.
func (l *Ledger) Refuse(token string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.outcomes[token] = refused
}

// Acknowledge notes the answer to a write. floor is what Head was when it began.
func (l *Ledger) Acknowledge(client, token string, v Version, floor int64) {
	if v.Token != token {
		l.add(Diverged, "%s wrote %s and was answered %v", client, token, v)
	}
	if v.Revision <= floor {
		l.add(Reused, "%s began to write when revision %d had been shown, and was answered %v", client, floor, v)
	}
	l.mu.Lock()
	l.outcomes[token] = acknowledged
	l.figures.Acknowledged++
	l.mu.Unlock()
	l.show(client, v, true)
}

// AcknowledgeDeletion notes that an object was said to be deleted.
func (l *Ledger) AcknowledgeDeletion(key, uid string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.figures.Acknowledged++
	l.deletions[uid] = key
}

// Unanswered notes that a write got no answer.
func (l *Ledger) Unanswered() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.figures.Unknown++
}

// Show notes a version that a client was shown.
func (l *Ledger) Show(client string, v Version) { l.show(client, v, false) }

func (l *Ledger) show(client string, v Version, acked bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.figures.Shown++
	l.head = max(l.head, v.Revision)
	if v.Revision <= l.base {
		if known := l.state[v.Key]; known != v {
			l.add(Reused, "%s was shown %v, but at revision %d it was %v", client, v, l.base, known)
		}
		return
	}
	known, ok := l.versions[v.Revision]
	if ok && known.Version != v {
		l.add(Reused, "%s was shown %v, but %s was shown %v", client, v, known.client, known.Version)
		return
	}
	l.versions[v.Revision] = entry{v, client, acked || known.acked}
	if v.Revision > l.latest[v.Key].Revision {
		l.latest[v.Key] = v
	}
}

// ShowHead notes a revision of the collection: of a list, or of a bookmark.
func (l *Ledger) ShowHead(revision int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.head = max(l.head, revision)
}

// ShowList notes a whole list, at one revision.
func (l *Ledger) ShowList(client string, revision int64, state State) {
	for _, v := range state {
		l.Show(client, v)
	}
	l.ShowHead(revision)
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.lists) < maxLists {
		l.lists = append(l.lists, snapshot{client, revision, state})
	}
}

// A History is what a server says of its past after a start.
type History struct {
	// Head is where the server was when it had started, and Shown the greatest
	// revision that anybody had been shown before it was asked.
	Head, Shown int64
	// From is where it begins: at the last check, unless that was compacted, and
	// State what there was then.
	From  int64
	State State
	// Events is what has happened since, in order.
	Events []Version
}

// Check compares a history with what was answered and shown, and continues from its
// end. It returns the state there.
func (l *Ledger) Check(h History) State {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h.Head < h.Shown {
		l.add(Gone, "revision %d was shown; the server is at %d", h.Shown, h.Head)
	}
	if h.From == l.base {
		if d := l.state.difference(h.State); d != "" {
			l.add(Diverged, "at revision %d there was, and is: %s", l.base, d)
		}
	}
	l.checkVersions(h)
	l.checkTokens(h)
	end := l.checkLists(h)
	l.begin(max(h.Head, endOf(h)), end)
	return end
}

func endOf(h History) int64 {
	if len(h.Events) == 0 {
		return h.From
	}
	return h.Events[len(h.Events)-1].Revision
}

// checkVersions looks in the history for everything that was shown.
func (l *Ledger) checkVersions(h History) {
	events, deleted := map[int64]Version{}, map[string]bool{}
	for _, e := range h.Events {
		events[e.Revision] = e
		if e.Deleted {
			deleted[e.UID] = true
		}
	}
	for revision, v := range l.versions {
		fault := Gone
		if v.acked {
			fault = Lost
		}
		e, ok := events[revision]
		switch {
		case revision <= h.From:
			// Compacted: what is left is at least as late.
			if at, there := h.State[v.Key]; there && (at.Revision < revision || at.Revision == revision && at != v.Version) {
				l.add(fault, "%s was shown %v; at revision %d it is %v", v.client, v.Version, h.From, at)
			}
		case !ok:
			l.add(fault, "%s was shown %v, of which the history knows nothing", v.client, v.Version)
		case e != v.Version:
			l.add(Reused, "%s was shown %v, but the history has %v", v.client, v.Version, e)
			if v.acked {
				l.add(Lost, "%v was acknowledged to %s", v.Version, v.client)
			}
		}
	}
	for uid, key := range l.deletions {
		_, there := h.State[key]
		if !deleted[uid] && (h.From == l.base || there && h.State[key].UID == uid) {
			l.add(Lost, "the deletion of %s, uid %s, was acknowledged; the history knows nothing of it", key, uid)
		}
	}
}

// checkTokens looks for writes in the history that must not be there.
func (l *Ledger) checkTokens(h History) {
	seen := map[string]int64{}
	for _, e := range h.Events {
		if e.Deleted || !strings.HasPrefix(e.Key, prefix) {
			continue
		}
		outcome, attempted := l.outcomes[e.Token]
		switch {
		case !attempted:
			l.add(Diverged, "nobody has written %v since the last check", e)
		case outcome == refused:
			l.add(Diverged, "the write of %v was refused", e)
		case seen[e.Token] != 0:
			l.add(Diverged, "%v took effect at revision %d before", e, seen[e.Token])
		}
		seen[e.Token] = e.Revision
	}
}

// checkLists compares lists with the history, and returns its end.
func (l *Ledger) checkLists(h History) State {
	at := map[int64][]snapshot{}
	for _, s := range l.lists {
		at[s.revision] = append(at[s.revision], s)
	}
	state := State{}
	for key, v := range h.State {
		state[key] = v
	}
	// Between two events of the collection there may be revisions of others.
	revision := h.From
	upTo := func(end int64) {
		for ; revision < end; revision++ {
			for _, s := range at[revision] {
				if d := s.state.difference(state); d != "" {
					l.add(Diverged, "%s listed at revision %d, and the history has: %s", s.client, s.revision, d)
				}
			}
		}
	}
	for _, e := range h.Events {
		upTo(e.Revision)
		state.apply(e)
	}
	upTo(max(h.Head, endOf(h)) + 1)
	return state
}

// Base returns the revision of the last check.
func (l *Ledger) Base() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.base
}
