//go:build js && wasm

package answer

import (
	"errors"

	"github.com/tabernetes/tabernetes/web/history"
	"github.com/tabernetes/tabernetes/web/timeline"
	"github.com/tabernetes/tabernetes/web/verdict"
)

const (
	// longBody is the size of a body that is read, and laid out, in pieces, in bytes.
	longBody = 128 << 10
	// keptLists is of how many answers the parsed lists are kept.
	keptLists = 16
)

// errReading says that a body is still being read.
var errReading = errors.New("still being read")

// listed is what the answer of a list says, for one state of one entry.
type listAnswer struct {
	changed int
	answer  timeline.ListAnswer
	err     error
}

// list reads the answer of a list, once. A long one is read in the background, and
// what shows it is drawn again.
func (r *response) list(e *history.Entry) (timeline.ListAnswer, error) {
	if known, ok := r.lists[e.ID]; ok && known.changed == e.Changed {
		return known.answer, known.err
	}
	if len(r.lists) >= keptLists {
		clear(r.lists)
	}
	body, changed := e.Text(), e.Changed
	if len(body) <= longBody || e.Binary {
		a, err := verdict.ReadList(e)
		r.lists[e.ID] = listAnswer{changed, a, err}
		return a, err
	}
	r.lists[e.ID] = listAnswer{changed: changed, err: errReading}
	go func() {
		a, err := timeline.ParseLongList(body, r.Yield)
		if r.lists[e.ID].changed == changed {
			r.lists[e.ID] = listAnswer{changed, a, err}
			r.draw()
			r.judge()
		}
	}()
	return timeline.ListAnswer{}, errReading
}
