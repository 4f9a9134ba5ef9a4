package tap

import "github.com/tabernetes/tabernetes/web/revisions/scan"

// A WatchEvent is what one line of a watch's answer says.
type WatchEvent struct {
	Type       string // ADDED, MODIFIED, DELETED, BOOKMARK, ERROR
	Rev        int64
	Namespace  string
	Name       string
	InitialEnd bool // a bookmark that ends the initial events
	Code       int  // of an ERROR's Status
	Reason     string
	Message    string
}

// ParseWatchEvent reads one line of a watch stream: whole objects, partial ones
// and tables alike. Its strings are parts of the line.
func ParseWatchEvent(line string) (WatchEvent, error) {
	var e WatchEvent
	c := scan.New(line)
	err := c.Object(func(key string) (err error) {
		switch key {
		case "type":
			e.Type, err = c.String()
		case "object":
			err = e.object(c)
		default:
			err = c.Skip()
		}
		return err
	})
	if err == nil && (!c.End() || e.Type == "") {
		err = scan.ErrSyntax
	}
	if err != nil {
		return WatchEvent{}, err
	}
	return e, nil
}

func (e *WatchEvent) object(c *scan.Cursor) error {
	return c.Object(func(key string) (err error) {
		switch key {
		case "metadata":
			err = e.metadata(c)
		case "code", "reason", "message":
			// Only a Status has these as read here; a custom object may have
			// fields of such names of any type at its top.
			var raw string
			if raw, err = c.Raw(); err == nil {
				e.status(key, raw)
			}
		case "rows": // a Table: its one row holds the object
			err = c.Array(func() error {
				return c.Object(func(key string) error {
					if key != "object" {
						return c.Skip()
					}
					return c.Object(func(key string) error {
						if key != "metadata" {
							return c.Skip()
						}
						return e.metadata(c)
					})
				})
			})
		default:
			err = c.Skip()
		}
		return err
	})
}

func (e *WatchEvent) status(key, raw string) {
	if key == "code" {
		if n, err := scan.New(raw).Int(); err == nil {
			e.Code = int(n)
		}
		return
	}
	s, err := scan.New(raw).String()
	if err != nil {
		return
	}
	if key == "reason" {
		e.Reason = s
	} else {
		e.Message = s
	}
}

func (e *WatchEvent) metadata(c *scan.Cursor) error {
	return c.Object(func(key string) (err error) {
		switch key {
		case "resourceVersion":
			var n int64
			// A Table's own metadata may hold an empty version: its row's counts.
			if raw, _ := c.Raw(); raw != `""` {
				if n, err = scan.New(raw).Int(); err == nil && n != 0 {
					e.Rev = n
				}
			}
		case "namespace":
			e.Namespace, err = c.String()
		case "name":
			e.Name, err = c.String()
		case "annotations":
			err = c.Object(func(key string) error {
				if key != "k8s.io/initial-events-end" {
					return c.Skip()
				}
				v, err := c.String()
				e.InitialEnd = v == "true"
				return err
			})
		default:
			err = c.Skip()
		}
		return err
	})
}
