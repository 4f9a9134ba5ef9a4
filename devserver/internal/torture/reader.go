package torture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
)

// A reader reads objects and lists.
type reader struct {
	name   string
	ledger *Ledger
	random *rand.Rand
	pinned int64 // the revision of a list before
}

func newReader(id int, l *Ledger, seed uint64) *reader {
	return &reader{name: fmt.Sprintf("reader %d", id), ledger: l, random: rand.New(rand.NewPCG(seed, uint64(100+id)))}
}

// read reads until the server is gone or ctx ends.
func (r *reader) read(ctx context.Context, s *Server) {
	r.pinned = 0
	for ctx.Err() == nil && !s.Dead() {
		var err error
		if r.random.IntN(4) > 0 {
			err = r.get(s)
		} else {
			err = r.list(s)
		}
		if errors.Is(err, errWrong) {
			r.ledger.add(Diverged, "%s: %v", r.name, err)
		}
		if err != nil {
			waitToRetry(ctx, s)
		}
	}
}

func (r *reader) get(s *Server) error {
	key := fmt.Sprintf("%sshared-%d", prefix, r.random.IntN(sharedKeys))
	if r.random.IntN(2) == 0 {
		key = fmt.Sprintf("%sw%d-%d", prefix, r.random.IntN(writers), r.random.IntN(ownKeys))
	}
	before := r.ledger.Latest(key)
	a, err := s.do("GET", collection+"/"+key, "", "")
	if err != nil || a.code != http.StatusOK {
		return err
	}
	v, err := parse(a.body)
	if err != nil {
		return err
	}
	r.ledger.Show(r.name, v)
	if v.Revision < before.Revision {
		r.ledger.add(Gone, "%s was shown %v after somebody had been shown %v", r.name, v, before)
	}
	return nil
}

// list lists in pages or at once, as of now, of any time, or of a time before.
func (r *reader) list(s *Server) error {
	query, size := url.Values{}, []int{0, 3, 10}[r.random.IntN(3)]
	kind := r.random.IntN(4)
	switch {
	case kind == 0:
		query.Set("resourceVersion", "0")
		size = 0
	case kind == 1 && r.pinned > r.ledger.Base():
		query = exactly(r.pinned)
	case kind == 2 && r.pinned != 0:
		query.Set("resourceVersion", strconv.FormatInt(r.pinned, 10))
		query.Set("resourceVersionMatch", "NotOlderThan")
	}
	floor, now := r.ledger.Head(), len(query) == 0
	revision, state, err := s.list(size, query)
	if err != nil {
		return err
	}
	r.ledger.ShowList(r.name, revision, state)
	if now && revision < floor {
		r.ledger.add(Gone, "%s lists at revision %d after somebody had been shown %d", r.name, revision, floor)
	}
	r.pinned = revision
	return nil
}
