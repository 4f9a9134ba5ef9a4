package record

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/mvcc"
)

// A gap is what a watch could not tell: a type's events between two revisions.
type gap struct {
	*follower
	why      string
	from, to int64
	changed  []change
	// missing is how many of the changed objects may have versions that are not recorded.
	missing int
}

const (
	// maxQuestions is how many requests are made to fill a gap.
	maxQuestions = 3000
	// gapQuiet is how long nothing has to be heard of another gap before a note reports those there were.
	gapQuiet = 3 * time.Second
)

var errTooMany = errors.New("too many versions are missing")

// fill reads the versions that a gap has lost, as long as etcd has them, and notes the gap.
func (r *Recorder) fill(g *gap) {
	r.filling.Go(func() {
		r.fillers <- struct{}{}
		defer func() { <-r.fillers }()
		f := &filler{gap: g, ctx: r.fillContext}
		for _, c := range g.changed {
			if err := f.object(c); err != nil {
				g.missing++
				if c.deleted {
					r.file.gone(g.bucket, c.key, c.to)
				}
			}
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.gaps, r.gapHeard = append(r.gaps, g), time.Now()
	})
}

// noteGaps notes the gaps that were filled; those of several types that have one reason in one note.
func (r *Recorder) noteGaps(now bool) {
	r.mu.Lock()
	if len(r.gaps) == 0 || !now && time.Since(r.gapHeard) < gapQuiet {
		r.mu.Unlock()
		return
	}
	gaps := r.gaps
	r.gaps = nil
	r.mu.Unlock()
	n := note{Kind: "gap", From: gaps[0].from, To: gaps[0].to}
	changed, missing := 0, 0
	var incomplete []string
	for _, g := range gaps {
		n.Types = append(n.Types, g.name())
		n.From, n.To = min(n.From, g.from), max(n.To, g.to)
		changed, missing = changed+len(g.changed), missing+g.missing
		if g.missing > 0 {
			incomplete = append(incomplete, g.name())
		}
	}
	slices.Sort(n.Types)
	n.Types = slices.Compact(n.Types)
	slices.Sort(incomplete)
	n.Text = fmt.Sprintf("Watches of %s could not go on (%s). Of %d objects that changed meanwhile ", listed(n.Types),
		gaps[0].why, changed)
	if missing == 0 && changed > 0 {
		n.Text += "all versions were read from etcd."
	} else if missing == 0 {
		n.Text = strings.Replace(n.Text, "Of 0 objects that changed meanwhile ", "No object has another version now.", 1)
	} else {
		n.Text += fmt.Sprintf("%d may lack versions (%s), and deletions may have later revisions than they had.", missing,
			listed(slices.Compact(incomplete)))
	}
	n.Text += " Objects that were made and deleted meanwhile are missing."
	r.file.note(n)
}

// A filler reads versions from etcd.
type filler struct {
	*gap
	ctx   context.Context
	asked int
}

// at returns the version that an object had at a revision; nil if it did not exist.
func (f *filler) at(key string, rev int64) (m *meta, text []byte, err error) {
	if f.asked++; f.asked > maxQuestions {
		return nil, nil, errTooMany
	}
	namespace, name, both := strings.Cut(key, "/")
	if !both {
		namespace, name = "", key
	}
	q := f.query()
	q.Set("fieldSelector", "metadata.name="+name)
	q.Set("resourceVersion", strconv.FormatInt(rev, 10))
	q.Set("resourceVersionMatch", "Exact")
	_, _, err = f.r.client.list(f.ctx, f.path(namespace), q, func(item json.RawMessage) (err error) {
		text = item
		m, err = readMeta(item)
		return err
	})
	return m, text, err
}

// object reads the versions of an object between two that are known, from the last one back.
func (f *filler) object(c change) error {
	rev := c.to - 1
	if c.deleted {
		rev = c.to
	}
	for rev > c.from {
		m, text, err := f.at(c.key, rev)
		if err != nil {
			return err
		}
		if m == nil {
			if c.from == 0 {
				return nil // it did not exist before
			}
			var deleted int64
			if m, text, deleted, err = f.deletion(c.key, c.from, rev); err != nil {
				return err
			}
			f.record(c.key, m, text, deleted)
		}
		if m.rev <= c.from {
			return nil
		}
		f.record(c.key, m, text, 0)
		rev = m.rev - 1
	}
	return nil
}

// deletion finds the revision that deleted an object, which existed at from and does not at to, and its last version.
func (f *filler) deletion(key string, from, to int64) (m *meta, text []byte, deleted int64, err error) {
	for to-from > 1 {
		middle := from + (to-from)/2
		found, value, err := f.at(key, middle)
		switch {
		case err != nil:
			return nil, nil, 0, err
		case found == nil:
			to = middle
		default:
			from, m, text = middle, found, value
		}
	}
	if m == nil {
		if m, text, err = f.at(key, from); err == nil && m == nil {
			err = errors.New("it did not exist")
		}
	}
	return m, text, to, err
}

// record writes a version, or if deleted is a revision, the deletion after it.
func (f *filler) record(key string, m *meta, text []byte, deleted int64) {
	value, err := f.version(text, m)
	if err != nil {
		return // as when it comes by a watch
	}
	rec := &mvcc.Record{Bucket: f.bucket, Key: key, Revision: m.rev, Time: m.changed(), Value: value}
	if deleted > 0 {
		version := func(rev int64) []byte { return []byte(`"resourceVersion":"` + strconv.FormatInt(rev, 10) + `"`) }
		rec.Revision, rec.Deleted = deleted, true
		rec.Value = bytes.Replace(value, version(m.rev), version(deleted), 1) // as events of deletions have it
	}
	f.r.file.version(rec)
}
