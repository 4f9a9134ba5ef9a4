package tap

import (
	"strings"

	"github.com/tabernetes/tabernetes/web/revisions/scan"
)

// A ListAnswer is what a list's body says of the list.
type ListAnswer struct {
	Rev       int64
	Continue  string
	Remaining int64 // -1: the answer does not say
	Count     int64
	First     string // the first and the last item's key: name or namespace/name
	Last      string
	Message   string // of a Status
	Reason    string
}

// listReader reads a ListAnswer.
type listReader struct {
	ListAnswer
	pause func()
}

// ParseList reads a list or a Status, whole objects, partial ones and tables
// alike. It costs one pass over the body and keeps none of it.
func ParseList(body string) (ListAnswer, error) { return ParseLongList(body, nil) }

// pauseAfter is how many items are read between two calls of pause.
const pauseAfter = 128

// ParseLongList is ParseList for a body of any size: pause, which may wait, is called between pieces of the work, each
// of which takes less than a millisecond.
func ParseLongList(body string, pause func()) (ListAnswer, error) {
	a := listReader{ListAnswer{Remaining: -1}, pause}
	c := scan.New(body)
	err := c.Object(func(key string) (err error) {
		switch key {
		case "metadata":
			err = a.metadata(c)
		case "items":
			err = c.Array(func() error { return a.item(c) })
		case "rows":
			err = c.Array(func() error {
				return c.Object(func(key string) error {
					if key != "object" {
						return c.Skip()
					}
					return a.item(c)
				})
			})
		case "message":
			a.Message, err = text(c)
		case "reason":
			a.Reason, err = text(c)
		default:
			err = c.Skip()
		}
		return err
	})
	if err == nil && !c.End() {
		err = scan.ErrSyntax
	}
	if err != nil {
		return ListAnswer{}, err
	}
	a.First, a.Last = strings.Clone(a.First), strings.Clone(a.Last)
	return a.ListAnswer, nil
}

func (a *listReader) metadata(c *scan.Cursor) error {
	return c.Object(func(key string) (err error) {
		switch key {
		case "resourceVersion":
			var s string
			if s, err = c.Raw(); err == nil && s != `""` {
				a.Rev, err = scan.New(s).Int()
			}
		case "continue":
			a.Continue, err = text(c)
		case "remainingItemCount":
			var raw string
			if raw, err = c.Raw(); err == nil && raw != "null" {
				a.Remaining, err = scan.New(raw).Int()
			}
		default:
			err = c.Skip()
		}
		return err
	})
}

func (a *listReader) item(c *scan.Cursor) error {
	var namespace, name string
	err := c.Object(func(key string) error {
		if key != "metadata" {
			return c.Skip()
		}
		return c.Object(func(key string) (err error) {
			switch key {
			case "namespace":
				namespace, err = c.String()
			case "name":
				name, err = c.String()
			default:
				err = c.Skip()
			}
			return err
		})
	})
	if namespace != "" {
		name = namespace + "/" + name
	}
	if a.Count == 0 {
		a.First = name
	}
	a.Last = name
	if a.Count++; a.pause != nil && a.Count%pauseAfter == 0 {
		a.pause()
	}
	return err
}

func text(c *scan.Cursor) (string, error) {
	s, err := c.String()
	return strings.Clone(s), err
}
