package console

import (
	"strconv"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
	"github.com/tabernetes/tabernetes/web/ui"
)

// A serverChoice is a list of the API servers that a request may ask for. It is shown while there are several.
type serverChoice struct {
	app.Field
	servers int // how many API servers there are
}

// newServerChoice keeps a list up to date.
func newServerChoice(a *app.App, list app.Field) *serverChoice {
	s := &serverChoice{Field: list, servers: 1}
	app.On(a.Bus, func(f revisions.Frame) {
		if f.State == nil {
			return
		}
		rows := ui.CacheRows(*f.State)
		if len(rows) == s.servers {
			return
		}
		s.servers = len(rows)
		if n, _ := strconv.Atoi(s.Value()); n >= s.servers {
			s.Set("")
		}
		a.Mark("req-server", "hidden", s.servers < 2)
		a.Draw("req-replica", func() templ.Component { return ui.ReplicaChoice(rows) })
	})
	return s
}

// choose chooses the API server that a header names, and reports whether there
// is one of that number to choose.
func (s *serverChoice) choose(number string) bool {
	n, err := strconv.Atoi(number)
	if err != nil || s.servers < 2 || n < 0 || n >= s.servers {
		return false
	}
	s.Set(strconv.Itoa(n))
	return true
}

// pin returns the header that asks the API server that is chosen, if one is.
func (s *serverChoice) pin() []tap.Field {
	n := s.Value()
	if n == "" || s.servers < 2 {
		return nil
	}
	return []tap.Field{{Name: wellknown.ReplicaHeader, Value: n}}
}
