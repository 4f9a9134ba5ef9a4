package answer

import (
	"errors"

	"github.com/tabernetes/tabernetes/web/panels/answer/verdict"
	"github.com/tabernetes/tabernetes/web/tap"
)

// longBody is the size of a body that is read, and laid out, in pieces, in bytes.
const longBody = 128 << 10

// errReading says that a body is still being read.
var errReading = errors.New("still being read")

// list reads the answer of a list, once. A long one is read in the background, and
// what shows it is drawn again.
func (r *response) list(e *tap.Exchange) (tap.ListAnswer, error) {
	if e.Binary || e.Len() <= longBody || e.Listed() {
		return verdict.ReadList(e)
	}
	if r.read != e {
		r.read = e
		go func() {
			e.List(r.Yield)
			r.Attend()
			r.draw()
			r.judge()
		}()
	}
	return tap.ListAnswer{}, errReading
}
