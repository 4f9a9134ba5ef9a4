package stage

import (
	"strconv"

	"github.com/tabernetes/tabernetes/web/panels/stage/timeline"
	"github.com/tabernetes/tabernetes/web/text"
)

// LaneWords describes a lane's row in a sentence: "w1, default/pods, open, 8 events, cut after 22, resume after 31".
// buffer says what the API server remembers of its type; empty if that is not known.
func LaneWords(l *timeline.Lane, gone bool, buffer string) string {
	s := l.ID() + ", " + l.Target.Short()
	if sel := l.Target.Selectors(); sel != "" {
		s += " " + sel
	}
	s += ", " + l.Doing()
	if !l.Binary {
		s += ", " + itoa(int64(l.Events())) + plural(int64(l.Events()), " event", " events")
	}
	for i := range l.Past {
		s += ", cut after " + itoa(l.Past[i].EndHead)
	}
	switch {
	case l.Code != 0:
		s += ", error " + strconv.Itoa(l.Code)
	case l.Resume > 0:
		s += ", resume after " + itoa(l.Resume)
	}
	if gone {
		s += ", which is gone"
	}
	if buffer != "" {
		s += "; " + buffer
	}
	return s
}

// PageWords describes a list's row in a sentence.
func PageWords(c *timeline.Chain) string {
	s := c.ID() + ", " + c.Target.Short() + ", " + itoa(int64(len(c.Pages))) +
		plural(int64(len(c.Pages)), " page", " pages")
	if c.Snapshot > 0 {
		s += ", as of " + itoa(c.Snapshot)
	}
	switch {
	case c.Gone != "":
		s += ", its token has expired"
	case c.Done():
		s += ", whole"
	case c.Remaining > 0:
		s += ", " + text.Count(c.Remaining) + " remain"
	}
	if c.Inconsistent() {
		s += ", combined from several states"
	}
	return s
}

// Revision describes a revision in a sentence.
func (sc *Scene) Revision(rev int64) string {
	s := "Revision " + itoa(rev)
	if f, in := sc.View.Folded(rev); in {
		return "Revisions " + itoa(f.Lo) + " to " + itoa(f.Hi) + ", " + f.Name + ", one mark; Enter unfolds them"
	}
	k, ok := sc.Commits.Find(rev)
	if !ok {
		if rev > sc.head() {
			return s + ", not written yet"
		}
		return s + ", no write is known"
	}
	s += ": " + k.Kind.Word() + " " + sc.Objects.Get(k.Obj).String()
	if rev < sc.State.Compacted {
		s += ", compacted"
	}
	told := ""
	for _, l := range sc.Lanes.List {
		if _, ok := l.Delivered(rev); ok {
			told += " " + l.ID()
		}
	}
	if told != "" {
		s += "; received by:" + told
	}
	return s
}
