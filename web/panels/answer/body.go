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
	// counted is how far the lines of a body are counted that still arrives, in bytes.
	counted int

	blocks   []string // HTML of the lines; nil: still to be made
	shown    int      // how many lines they are
	unfolded bool
}

type laidKey struct {
	id, changed int // changed is 0 of a body that still arrives: what is shown of it stays
	format      string
	limit       int
}

var errOther = errors.New("another body is shown")

// code shows a body as lines. Of a long one the first lines are laid out at once;
// how many there are is counted in the background, or as they arrive.
func (r *response) code(e *tap.Exchange, format string) templ.Component {
	l, want := &r.laid, laidKey{e.ID, e.Changed, format, r.limit}
	arrives := e.Live() && e.Len() > longBody && (format == "json" || format == "yaml") // it is no JSON before its end
	if arrives {
		want.changed = 0
	}
	if l.of != want {
		*l = laid{of: want}
		if arrives {
			l.body.Lines = text.Split(e.Head(longBody))
			l.body.Total, l.counted = len(l.body.Lines), e.Size-e.Len()+longBody
		} else {
			r.layOut(e, l)
		}
	}
	if arrives {
		l.body.Total += strings.Count(e.After(l.counted), "\n")
		l.counted = e.Size
	}
	if l.blocks == nil || l.unfolded != r.unfolded {
		lines := text.Fold(l.body.Lines, r.unfolded)
		l.shown, l.unfolded = min(len(lines), r.limit), r.unfolded
		l.blocks = text.Blocks(lines[:l.shown], e.Info.GroupResource())
	}
	total := l.body.Total
	if !r.unfolded {
		total -= l.body.Folded
	}
	return ui.Code(l.blocks, l.shown, total)
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
			r.laid.body, r.laid.blocks = b, nil
			r.draw()
		}
	}()
}
