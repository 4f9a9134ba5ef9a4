package persist

import (
	"bytes"
	"sort"
	"strconv"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// maxNotes is how many notes of a recording are kept.
const maxNotes = 500

// A collected is a record of a recording, which is loaded when all of them are there.
type collected struct {
	mvcc.Record
	row *schema.Resource // of its type; nil for a custom one
	// gone is set for a key that was found to be deleted, at this revision at the latest.
	gone bool
}

// note keeps a note of a recording.
func (l *loader) note(text []byte) error {
	about := l.Header.Recording
	notes, _ := about["notes"].([]any)
	if len(notes) == maxNotes {
		return nil
	}
	tree, err := object.DecodeAny(text)
	about["notes"] = append(notes, tree)
	return err
}

// settle loads what was collected, in the order of the revisions. The clock is set to the last of them, since it tells
// the time of the recorded cluster.
func (l *loader) settle() error {
	all := l.collected
	l.collected, l.bytes = nil, 0
	sort.Slice(all, func(i, j int) bool {
		return all[i].Revision < all[j].Revision || all[i].Revision == all[j].Revision && !all[i].gone && all[j].gone
	})
	place(all)
	exist := map[string]*collected{}
	for i, c := range all {
		if i > 0 && all[i-1].Revision == c.Revision && all[i-1].Key == c.Key && all[i-1].Bucket == c.Bucket {
			continue // it was recorded twice
		}
		id := c.Bucket + " " + c.Key
		present := exist[id]
		if c.Deleted {
			if present == nil {
				continue // what it was is not known
			}
			if c.gone {
				c.Value = atRevision(present.Value, present.Revision, c.Revision)
			}
			exist[id] = nil
		} else {
			exist[id] = c
		}
		if c.Time.Before(l.latest) {
			c.Time = l.latest
		}
		if err := l.load(&c.Record, c.row); err != nil {
			return err
		}
	}
	if l.Header.Clock == nil && clock.Lasts(l.latest) && len(all) > 0 {
		l.Clock.Set(l.latest)
	}
	return nil
}

// place gives the deletions of keys that were found to be gone revisions that nothing else has, the last possible ones,
// and puts them there.
func place(all []*collected) {
	for i := len(all) - 1; i >= 0; i-- {
		c := all[i]
		if !c.gone {
			continue
		}
		if i+1 < len(all) {
			c.Revision = min(c.Revision, all[i+1].Revision-1)
		}
		for j := i; j > 0 && !all[j-1].gone && all[j-1].Revision >= c.Revision; j-- {
			all[j], all[j-1] = all[j-1], c
			c.Revision = all[j].Revision - 1
		}
	}
}

// atRevision returns an object's text with another resourceVersion.
func atRevision(value []byte, from, to int64) []byte {
	field := func(rev int64) []byte { return []byte(`"resourceVersion":"` + strconv.FormatInt(rev, 10) + `"`) }
	return bytes.Replace(value, field(from), field(to), 1)
}
