package objects

import (
	"strings"

	"github.com/tabernetes/tabernetes/web/revisions/scan"
)

// A PodStatus is why a Pod does not run, as far as its status says.
type PodStatus struct {
	Phase string
	// Said are the conditions that are not so, and the reasons of containers that do not run.
	Said []Said
}

// A Said is what a program has written down of a Pod, in its words.
type Said struct {
	What    string // the condition, the container, or the Event
	Reason  string
	Message string
	By      string // of an Event: who reported it
	Times   int64  // of an Event: how often
}

// Waits reports whether the status says why the Pod waits, or why a container of it does.
func (s PodStatus) Waits() bool {
	if s.Phase == "Pending" {
		return true
	}
	for _, said := range s.Said {
		if strings.HasPrefix(said.What, "container ") {
			return true
		}
	}
	return false
}

// ReadPodStatus reads the status of a Pod.
func ReadPodStatus(text string) (s PodStatus, err error) {
	c := scan.New(text)
	err = c.Object(func(key string) error {
		if key != "status" {
			return c.Skip()
		}
		return c.Object(func(key string) (err error) {
			switch key {
			case "phase":
				s.Phase, err = c.String()
			case "conditions":
				err = c.Array(func() error { return s.condition(c) })
			case "initContainerStatuses", "containerStatuses":
				err = c.Array(func() error { return s.container(c) })
			default:
				err = c.Skip()
			}
			return err
		})
	})
	return s, err
}

// texts reads those members of an object that are asked for.
func texts(c *scan.Cursor, into map[string]*string) error {
	return c.Object(func(key string) (err error) {
		if to := into[key]; to != nil {
			*to, err = c.String()
			return err
		}
		return c.Skip()
	})
}

func (s *PodStatus) condition(c *scan.Cursor) error {
	var said Said
	var status string
	err := texts(c, map[string]*string{"type": &said.What, "status": &status, "reason": &said.Reason,
		"message": &said.Message})
	if status == "False" && said.Reason+said.Message != "" {
		said.What += " " + status
		s.Said = append(s.Said, said)
	}
	return err
}

// container reads why a container waits.
func (s *PodStatus) container(c *scan.Cursor) error {
	var name string
	var waits *Said
	err := c.Object(func(key string) (err error) {
		switch key {
		case "name":
			name, err = c.String()
		case "state":
			err = c.Object(func(key string) error {
				if key != "waiting" {
					return c.Skip()
				}
				waits = &Said{}
				return texts(c, map[string]*string{"reason": &waits.Reason, "message": &waits.Message})
			})
		default:
			err = c.Skip()
		}
		return err
	})
	if waits != nil {
		waits.What = "container " + name
		s.Said = append(s.Said, *waits)
	}
	return err
}

// ReadEvents reads the Events of a list, the newest first: those that were reported last.
func ReadEvents(list string) (out []Said, err error) {
	c := scan.New(list)
	var times []string
	err = c.Object(func(key string) error {
		if key != "items" {
			return c.Skip()
		}
		return c.Array(func() error {
			said := Said{What: "Event", Times: 1}
			var first, last, source string
			err := c.Object(func(key string) (err error) {
				switch key {
				case "reason":
					said.Reason, err = c.String()
				case "message":
					said.Message, err = c.String()
				case "reportingComponent":
					said.By, err = c.String()
				case "source":
					err = texts(c, map[string]*string{"component": &source})
				case "count":
					said.Times, err = c.Int()
				case "lastTimestamp", "eventTime":
					var at string
					if at, err = c.Raw(); err == nil && at != "null" {
						last = max(last, at)
					}
				case "metadata":
					err = texts(c, map[string]*string{"creationTimestamp": &first})
				default:
					err = c.Skip()
				}
				return err
			})
			if said.By == "" {
				said.By = source
			}
			at := max(last, `"`+first)
			i := len(out)
			for i > 0 && times[i-1] < at {
				i--
			}
			out = append(out[:i], append([]Said{said}, out[i:]...)...)
			times = append(times[:i], append([]string{at}, times[i:]...)...)
			return err
		})
	})
	return out, err
}
