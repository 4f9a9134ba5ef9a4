package stage

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/horizon"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/panels/stage/timeline"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/ui"
)

// A Narration is one fact of the stage in a sentence. Its sign is one of those of Sign.
type Narration = app.Sentence

// NarrateRevision says what a revision changed, and which clients received it. kind returns the kind of a resource.
func (sc *Scene) NarrateRevision(rev int64, kind func(timeline.Object) string) Narration {
	k, ok := sc.Commits.Find(rev)
	if !ok {
		return Narration{Text: "Revision " + itoa(rev) + ": no write is known."}
	}
	o := sc.Objects.Get(k.Obj)
	did := map[timeline.Kind]string{timeline.Added: "created", timeline.Deleted: "deleted"}[k.Kind]
	if did == "" {
		did = "changed"
	}
	n := Narration{Sign: k.Kind.Class(), Text: fmt.Sprintf("%d %s the %s `%s`", rev, did, kind(o), o.Name)}
	if l, ok := sc.Programs.Of(rev); ok {
		n.Text += ", by " + l.By()
		if l.After > 0 {
			n.Text += ", after " + itoa(l.After)
		}
	}
	var heard, why []string
	skipped := map[string][]string{}
	for _, l := range sc.Lanes.List {
		if _, ok := l.Delivered(rev); ok {
			heard = append(heard, l.ID())
			continue
		}
		reason := sc.Why(l, rev)
		if reason == "" {
			continue
		}
		if skipped[reason] == nil {
			why = append(why, reason)
		}
		skipped[reason] = append(skipped[reason], l.ID())
	}
	var parts []string
	if len(heard) > 0 {
		parts = append(parts, some(heard)+" received it")
	}
	for _, reason := range why {
		parts = append(parts, some(skipped[reason])+" did not ("+reason+")")
	}
	if len(parts) > 0 {
		n.Text += ": " + strings.Join(parts, ", ")
	}
	n.Text += "."
	return n
}

// most is how many lanes are named; of more only their number is said.
const most = 3

// some names lanes, or says how many they are.
func some(ids []string) string {
	n := len(ids)
	switch {
	case n == 1:
		return ids[0]
	case n > most:
		return strconv.Itoa(n) + " watches"
	}
	return strings.Join(ids[:n-1], ", ") + " and " + ids[n-1]
}

// NarrateLane says what a client's watch does, or how it ended.
func (sc *Scene) NarrateLane(l *timeline.Lane) Narration {
	what := l.Target.Short()
	said := func(sign, format string) Narration {
		return Narration{Sign: sign, Text: fmt.Sprintf(format, l.ID(), l.EndHead)}
	}
	switch {
	case l.Code == 410:
		words := cmp.Or(l.Gone.Short("", itoa(l.StartRev)), itoa(l.StartRev)+" is too old")
		return Narration{Sign: "410", Text: "410: " + words + ". " + l.ID() + " has to list again."}
	case l.Code != 0:
		code := strconv.Itoa(l.Code)
		return Narration{Sign: code, Text: code + " ended " + l.ID() + ": " + strings.TrimSuffix(l.Message, ".") + "."}
	case l.Over() && sc.cut(&l.Conn) && l.Resume > 0:
		return said("cut", "%s was cut after %d: it can resume from "+itoa(l.Resume)+".")
	case l.Over() && sc.cut(&l.Conn):
		return said("cut", "%s was cut after %d: it has no version to resume from.")
	case l.Ending == timeline.Aborted:
		return said("ended", "%s was closed by its client after %d.")
	case l.Over():
		return said("ended", "%s ended after %d: its time was over.")
	}
	n := Narration{Sign: "open"}
	switch {
	case len(l.Past) > 0:
		n.Text = fmt.Sprintf("%s resumed after %d", l.ID(), l.StartRev)
		if missed := sc.replayed(l); missed > 0 {
			n.Text += fmt.Sprintf(": %d %s that it missed came at once", missed, plural(int64(missed), "event", "events"))
		}
	case l.Start == timeline.FromExact:
		n.Text = fmt.Sprintf("%s watches %s after %d", l.ID(), what, l.StartRev)
	case !l.Initial:
		n.Text = fmt.Sprintf("%s watches %s from now on", l.ID(), what)
	default:
		from := "the newest state"
		if l.Start == timeline.FromAny {
			from = "a state of the cache"
		}
		count := int64(l.State.Total())
		n.Text = fmt.Sprintf("%s watches %s: first %s, %d %s", l.ID(), what, from, count, plural(count, "object", "objects"))
	}
	n.Text += "."
	return n
}

// replayed returns how many events the newest connection caught up on.
func (sc *Scene) replayed(l *timeline.Lane) int {
	n := 0
	for i := l.Marks.Index(l.StartRev + 1); i < l.Marks.Len() && l.Marks.At(i).Rev <= l.Opened; i++ {
		if k := l.Marks.At(i).Kind; k == timeline.Added || k == timeline.Modified || k == timeline.Deleted {
			n++
		}
	}
	return n
}

// NarrateState says what has changed in the cluster's state besides its revisions; nothing if nothing has.
func NarrateState(was, now revisions.State) Narration {
	if was.Cluster != now.Cluster {
		return Narration{}
	}
	if now.Compacted > was.Compacted {
		return Narration{Sign: "wall", Text: "etcd was compacted: history starts at " + itoa(now.Compacted) + "."}
	}
	if a, b := len(was.Replicas), len(now.Replicas); a != b && b > 1 {
		return Narration{Sign: "server", Text: strconv.Itoa(b) + " API servers answer now, each with its own caches."}
	} else if a != b && a > 1 {
		return Narration{Sign: "server", Text: "One API server answers now."}
	}
	for i, r := range now.Replicas {
		if i < len(was.Replicas) && r != was.Replicas[i] {
			if n := narrateServer(now, i, was.Replicas[i], r); n.Text != "" {
				return n
			}
		}
	}
	switch {
	case now.Clock.Paused && !was.Clock.Paused:
		return Narration{Sign: "server", Text: "The cluster’s clock is paused."}
	case was.Clock.Paused && !now.Clock.Paused:
		return Narration{Sign: "server", Text: "The cluster’s clock is running again."}
	case now.Clock.Faster > 0 && now.Clock.Faster != was.Clock.Faster:
		return Narration{Sign: "server", Text: "The cluster’s clock is " + ui.Off(now.Clock) + " as ours."}
	case now.Clock.Faster < was.Clock.Faster:
		return Narration{Sign: "server", Text: "The cluster’s clock is as fast as ours again."}
	}
	if now.Clock.Since.IsZero() && !was.Clock.Since.IsZero() {
		return Narration{} // it is being moved
	}
	if later := now.Clock.At(now.Clock.Since).Sub(was.Clock.At(now.Clock.Since)); later >= 2*time.Second {
		later := ui.Span(int64(later / time.Second))
		return Narration{Sign: "server", Text: "The cluster’s clock is " + later + " later."}
	}
	return Narration{}
}

// narrateServer says what has changed of an API server.
func narrateServer(s revisions.State, i int, was, now revisions.Replica) Narration {
	name := "The API server"
	if len(s.Caches) > 1 {
		name = s.CacheName(i)
	}
	words := ""
	switch {
	case now.Since > was.Since && now.Why == horizon.Restarted:
		words = " was restarted: its caches begin with " + itoa(now.Since) + "."
	case now.Since > was.Since && now.Why == horizon.Forgotten:
		words = " has dropped everything older than " + itoa(now.Since) + "."
	case now.Frozen && !was.Frozen:
		words = " is frozen: its cache stays at " + itoa(s.Cache(i)) + "."
	case now.Frozen || now.Lag == was.Lag && now.Frozen == was.Frozen:
		return Narration{}
	case now.Lag > 0:
		words = " learns of each write " + ui.Span(now.Lag) + " late."
	default:
		words = " keeps up with etcd again."
	}
	return Narration{Sign: "server", Text: name + words}
}
