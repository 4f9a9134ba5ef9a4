package answer

import (
	"errors"
	"strings"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/tap"
	"github.com/tabernetes/tabernetes/web/text"
	"github.com/tabernetes/tabernetes/web/ui"
)

// A laid is the layout of a body as it is shown, for one state of one entry.
type laid struct {
	of   laidKey
	body text.Body
}

type laidKey struct {
	id, changed int
	format      string
	limit       int
}

var errOther = errors.New("another body is shown")

// code shows a body as lines. Of a long one the first lines are laid out at once;
// how many there are is counted in the background.
func (r *response) code(e *tap.Exchange, format string) templ.Component {
	l := &r.laid
	if want := (laidKey{e.ID, e.Changed, format, r.limit}); l.of != want {
		*l = laid{of: want}
		r.layOut(e, l)
	}
	lines := text.Fold(l.body.Lines, r.unfolded)
	total := l.body.Total
	if !r.unfolded {
		total -= l.body.Folded
	}
	shown := min(len(lines), r.limit)
	return ui.Code(text.Blocks(lines[:shown], e.Info.GroupResource()), shown, total)
}

func (r *response) layOut(e *tap.Exchange, l *laid) {
	body := e.Text()
	as := text.AsJSON
	switch l.of.format {
	case "json":
	case "yaml":
		as = text.AsYAML
	case "hex":
		lines := text.Hex(body)
		l.body = text.Body{Lines: lines, Total: len(lines)}
		return
	default:
		lines := text.Split(body)
		l.body = text.Body{Lines: lines, Total: len(lines)}
		return
	}
	if len(body) <= longBody {
		l.body, _ = text.LayOut(body, as, l.of.limit, nil)
		return
	}
	if e.Live() { // it is no JSON before its end
		lines := text.Split(body[:longBody])
		l.body = text.Body{Lines: lines, Total: len(lines) + strings.Count(body[longBody:], "\n")}
		return
	}
	var whole bool
	if l.body, whole = text.LayOutHead(body, as, min(l.of.limit, headLines)); whole {
		return
	}
	of := l.of
	go func() {
		b, err := text.LayOut(body, as, of.limit, func() error {
			if r.Yield(); r.laid.of != of {
				return errOther
			}
			return nil
		})
		if err == nil && r.laid.of == of {
			r.laid.body = b
			r.draw()
		}
	}()
}
