package text

import "math"

// A Format says how a body is laid out.
type Format byte

// The formats.
const (
	AsJSON Format = iota
	AsYAML
)

// all is how many lines are wanted of a body that is laid out whole.
const all = math.MaxInt

// pauseAfter is how many lines are laid out between two calls of pause.
const pauseAfter = 256

// A Body is a text that has been laid out, or the beginning of one.
type Body struct {
	Lines []Line
	// Total is how many lines the whole body has; Folded is how many of them are not
	// seen while its managedFields are folded.
	Total, Folded int
	// OK reports whether the text is JSON; if it is not, its lines are as they came.
	OK bool
}

// LayOut lays out a JSON text, and keeps the first lines of it: wanted ones at
// least, not counting those of managedFields that are folded. Beyond them lines
// are only counted. Text that is not JSON comes back line by line, whole.
//
// pause is called every few hundred lines, unless it is nil: it may wait. An error
// of it ends the work, and is returned with what there is by then.
func LayOut(src string, format Format, wanted int, pause func() error) (Body, error) {
	l := layout{s: src, wanted: wanted}
	var stopped error
	if pause != nil {
		l.pause = func() error {
			stopped = pause()
			return stopped
		}
	}
	err := l.whole(format)
	if stopped == nil && err != nil {
		lines := Split(src)
		return Body{Lines: lines, Total: len(lines)}, nil
	}
	return Body{Lines: l.out, Total: l.total, Folded: l.folded, OK: true}, stopped
}

// LayOutHead lays out the beginning of a JSON text: as many lines as are wanted.
// It does not look at the rest, so that Total is how many there are by then. whole
// reports whether that was all.
func LayOutHead(src string, format Format, wanted int) (b Body, whole bool) {
	l := layout{s: src, wanted: wanted, head: true}
	if l.whole(format) == errFull {
		return Body{Lines: l.out, Total: l.total, Folded: l.folded, OK: true}, false
	}
	b, _ = LayOut(src, format, wanted, nil)
	return b, true
}

// whole lays out the text.
func (l *layout) whole(format Format) (err error) {
	l.next()
	if format == AsYAML {
		err = l.yaml(0, "", "", "")
	} else {
		err = l.json(0, "", "")
	}
	if err == nil && l.i < len(l.s) {
		err = errSyntax
	}
	return err
}

// add takes a line.
func (l *layout) add(line Line) error {
	if !l.full && l.managed == 0 && l.total-l.folded >= l.wanted {
		l.full = true
	}
	if l.full && l.head {
		return errFull
	}
	if !l.full {
		l.out = append(l.out, line)
	}
	if l.total++; l.pause != nil && l.total%pauseAfter == 0 {
		return l.pause()
	}
	return nil
}

// comma parts the line that was added last from the next one.
func (l *layout) comma() {
	if !l.full {
		l.out[len(l.out)-1].Tail += ","
	}
}

// brackets returns those of an empty object or list.
func brackets(open, closing byte) string {
	if open == '[' {
		return "[]"
	}
	return "{}"
}
