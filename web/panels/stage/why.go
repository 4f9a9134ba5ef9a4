package stage

import (
	"strconv"
	"time"

	"github.com/tabernetes/tabernetes/web/panels/stage/timeline"
)

// Delay returns how long after its request an event arrived: "+4 ms". Empty where
// the time of the request is not known.
func (sc *Scene) Delay(l *timeline.Lane, k timeline.Mark) string {
	if l.Replayed(k.Rev) {
		return "replayed"
	}
	began, ok := sc.Began(k.Rev)
	if !ok || k.At < began {
		return ""
	}
	d := time.Duration(k.At-began) * time.Millisecond
	if d < time.Second {
		return "+" + strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	}
	return "+" + strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
}

// Why returns why a client got no event of a revision, in a few words.
func (sc *Scene) Why(l *timeline.Lane, rev int64) string {
	k, known := sc.Commits.Find(rev)
	if !known {
		return ""
	}
	o := sc.Objects.Get(k.Obj)
	t := l.Target
	switch {
	case o.Resource != t.Resource || o.Group != t.Group:
		return "other type"
	case t.Namespace != "" && t.Namespace != o.Namespace:
		return "other namespace"
	case t.Name != "" && t.Name != o.Name:
		return "other object"
	case l.Code != 0:
		return "got " + strconv.Itoa(l.Code)
	case rev <= l.First().StartRev:
		if l.First().Initial {
			return "in its list or before" // the initial state holds the newest version only
		}
		return "before it began"
	case l.Over() && rev > l.EndHead:
		if sc.cut(&l.Conn) {
			return "cut off"
		}
		return "closed"
	case !l.Over() && rev > sc.State.Cache(l.Replica):
		return "not yet cached"
	case t.Selectors() != "":
		return "not selected"
	}
	return "not received"
}
