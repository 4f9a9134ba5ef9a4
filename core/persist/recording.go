package persist

import (
	"bytes"
	"fmt"
	"sort"
	"strconv"

	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
)

// maxNotes is how many notes of a recording are kept.
const maxNotes = 500

// A collected is a record of a recording, which is loaded when all of them are there.
type collected struct {
	mvcc.Record
	// before is the record before it of the same key; nil if there is none.
	before *collected
	// gone is set for a key that was found to be deleted, at this revision at the latest.
	gone bool
}

func (c *collected) sameKey(o *collected) bool { return c.Key == o.Key && c.Bucket == o.Bucket }

// after returns the revision of the record before it.
func (c *collected) after() int64 {
	if c.before == nil {
		return 0
	}
	return c.before.Revision
}

// note keeps a note of a recording.
func (l *loader) note(text []byte) error {
	tree, err := object.DecodeAny(text)
	if err == nil && len(l.notes) < maxNotes {
		l.notes = append(l.notes, tree)
	}
	return err
}

// settle loads what was collected: in the order of the revisions, each once. The clock is set to the last of them,
// since it tells the time of the recorded cluster.
func (l *loader) settle() error {
	all := place(l.collected)
	l.collected, l.bytes = nil, 0
	var last *collected
	for _, c := range all {
		if last != nil && last.Revision == c.Revision {
			if last.sameKey(c) {
				continue // it was recorded twice
			}
			return fmt.Errorf("revision %d is of %s %s and of %s %s", c.Revision, last.Bucket, last.Key, c.Bucket, c.Key)
		}
		if c.Deleted {
			if c.before == nil || c.before.Deleted {
				continue // what it was is not known
			}
			if c.gone {
				c.Value = atRevision(c.before.Value, c.before.Revision, c.Revision)
			}
		}
		if last != nil && c.Time.Before(last.Time) {
			c.Time = last.Time
		}
		if err := l.load(&c.Record); err != nil {
			return err
		}
		last = c
	}
	if l.Header.Clock == nil && last != nil && last.Time.Year() <= lastYear {
		l.Clock.Set(last.Time)
	}
	return nil
}

// place returns all records in the order of their revisions. It gives the deletions of keys that were found to be gone
// revisions that nothing else has: the last possible ones. There are enough, since each of these deletions has had one.
func place(all []*collected) []*collected {
	sort.Slice(all, func(i, j int) bool {
		a, b := all[i], all[j]
		if a.Bucket != b.Bucket {
			return a.Bucket < b.Bucket
		}
		if a.Key != b.Key {
			return a.Key < b.Key
		}
		return a.Revision < b.Revision
	})
	var gone, placed []*collected
	for i, c := range all {
		if i > 0 && c.sameKey(all[i-1]) {
			c.before = all[i-1]
		}
		if c.gone {
			gone = append(gone, c)
		} else {
			placed = append(placed, c)
		}
	}
	sort.Slice(placed, func(i, j int) bool { return placed[i].Revision < placed[j].Revision })
	// Those whose last version is the latest have the fewest revisions to choose from.
	sort.Slice(gone, func(i, j int) bool { return gone[i].after() > gone[j].after() })
	for _, c := range gone {
		i := sort.Search(len(placed), func(i int) bool { return placed[i].Revision > c.Revision })
		for j := i; j > 0 && placed[j-1].Revision == c.Revision; i = j {
			for c.Revision--; j > 0 && placed[j-1].Revision > c.Revision; {
				j--
			}
		}
		if c.Revision > c.after() {
			placed = append(placed, nil)
			copy(placed[i+1:], placed[i:])
			placed[i] = c
		}
	}
	return placed
}

// atRevision returns an object's text with another resourceVersion.
func atRevision(value []byte, from, to int64) []byte {
	field := func(rev int64) []byte { return []byte(`"resourceVersion":"` + strconv.FormatInt(rev, 10) + `"`) }
	return bytes.Replace(value, field(from), field(to), 1)
}

// finish completes what is said of a recording: by its notes, and if it was cut off, by that.
func (l *loader) finish(found *journal.Found) {
	about := l.Header.Recording
	if len(l.notes) > 0 {
		earlier, _ := about["notes"].([]any)
		about["notes"] = append(earlier, l.notes...)
	}
	if found.Complete && found.Problem != nil && found.Beyond == 0 {
		about["cutOff"] = found.Problem.Error()
		found.Problem = nil
	}
}
