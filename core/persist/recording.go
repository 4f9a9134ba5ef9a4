package persist

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
)

// maxNotes is how many notes of a recording are kept.
const maxNotes = 500

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
	all := l.collected
	l.collected, l.bytes = nil, 0
	slices.SortStableFunc(all, func(a, b mvcc.Record) int { return cmp.Compare(a.Revision, b.Revision) })
	all = place(all)
	if l.Header.Clock == nil && len(all) > 0 {
		latest := slices.MaxFunc(all, func(a, b mvcc.Record) int { return a.Time.Compare(b.Time) }).Time
		if latest.Year() <= lastYear {
			l.Clock.Set(latest)
		}
	}
	type key struct{ bucket, key string }
	last := map[key]*mvcc.Record{} // the versions that exist
	var before *mvcc.Record
	for i := range all {
		r := &all[i]
		at := key{r.Bucket, r.Key}
		if before != nil && before.Revision == r.Revision {
			if at != (key{before.Bucket, before.Key}) {
				return fmt.Errorf("revision %d is of %s %s and of %s %s", r.Revision, before.Bucket, before.Key, r.Bucket, r.Key)
			}
			continue // it was recorded twice
		}
		if before != nil && r.Time.Before(before.Time) {
			r.Time = before.Time
		}
		present := last[at]
		if r.Deleted && present == nil {
			continue // what it was is not known
		}
		if r.Deleted && r.Value == nil {
			r.Created, r.Value = present.Created, atRevision(present.Value, present.Revision, r.Revision)
		}
		if err := l.load(registry.ResourceOf(l.Registry.Table, r.Bucket), *r); err != nil {
			return err
		}
		l.Registry.MaybeYield()
		if before, last[at] = r, r; r.Deleted {
			delete(last, at)
		}
	}
	return nil
}

// place gives the deletions of keys that were found to be gone revisions that nothing else has: the last possible
// ones. There are enough, since each of these deletions has had one. It returns all records in order.
func place(all []mvcc.Record) []mvcc.Record {
	isGone := func(r mvcc.Record) bool { return r.Deleted && r.Created == 0 && len(r.Value) == 0 }
	if !slices.ContainsFunc(all, isGone) {
		return all
	}
	type key struct{ bucket, key string }
	type deletion struct {
		mvcc.Record
		after int64 // the revision of the last version before it
	}
	var gone []deletion
	versions, taken := map[key]int64{}, map[int64]bool{}
	kept := all[:0:0]
	for _, r := range all {
		if isGone(r) {
			gone = append(gone, deletion{r, versions[key{r.Bucket, r.Key}]})
			continue
		}
		kept, versions[key{r.Bucket, r.Key}], taken[r.Revision] = append(kept, r), r.Revision, true
	}
	// Those whose last version is the latest have the fewest revisions to choose from.
	slices.SortStableFunc(gone, func(a, b deletion) int { return cmp.Compare(b.after, a.after) })
	for _, g := range gone {
		for taken[g.Revision] {
			g.Revision--
		}
		if g.after == 0 || g.Revision <= g.after {
			continue
		}
		taken[g.Revision] = true
		kept = append(kept, g.Record)
	}
	slices.SortStableFunc(kept, func(a, b mvcc.Record) int { return cmp.Compare(a.Revision, b.Revision) })
	return kept
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
