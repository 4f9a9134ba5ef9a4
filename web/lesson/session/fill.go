package session

import (
	"maps"
	"slices"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/tap"
)

// Fill fills in the references of a text, or says by a *MissingError which request has to be run first. {{name.lane}}
// is what lane returns for the tap's id of the request that the name stands for.
func (s *Session) Fill(t format.Template, lane func(request int) string) (string, error) {
	return t.Expand("", func(r format.Ref) (string, error) {
		v, ok := s.value(r)
		if r.Path.String() == "lane" {
			v = lane(s.request(r.Name))
			ok = v != ""
		}
		if !ok {
			return "", &MissingError{Ref: r}
		}
		return v, nil
	})
}

// request returns the tap's id of the request that a name stands for; 0 if it stands for none, or that is not known.
func (s *Session) request(name string) int {
	s.log.Lock()
	defer s.log.Unlock()
	if x, ok := s.live[name].(exchange); ok {
		return x.ID
	}
	return 0
}

// useFound has names stand for what a search has found where less would be done with what ran last under them: a list
// that was made again after the writes does not come before them.
func (s *Session) useFound(sr *search) {
	s.instead = map[string]format.Fielder{}
	for _, r := range sr.rows[:sr.deep] {
		ran, ok := s.live[r.Name].(exchange)
		f := sr.best[r.Name]
		if !ok || r.In != "" || r.None || r.Times > 1 || ran.Exchange == f.x || !complete(ran.Exchange) {
			continue
		}
		alike := func(x *tap.Exchange) bool { // as far as the lesson looks at it
			return x != nil && !slices.ContainsFunc(s.refs[r.Name], func(ref format.Ref) bool {
				v, ok := ref.Path.Of(ran)
				w, has := ref.Path.Of(exchange{x, 0})
				return ok != has || format.TextOf(v) != format.TextOf(w)
			})
		}
		last := slices.DeleteFunc(slices.Clone(sr.byRow[r]), func(x *tap.Exchange) bool { return !alike(x) })
		if alike(f.x) || len(last) == 0 {
			continue
		}
		other := &search{byRow: maps.Clone(sr.byRow), saved: sr.saved, kept: sr.kept, failed: sr.failed, rows: sr.rows,
			given: sr.given, earlier: sr.earlier, base: sr.base, looks: sr.looks,
			pinned: append(slices.Clone(sr.pinned), r.Name)}
		other.byRow[r] = last
		other.run()
		switch sr.looks = other.looks; {
		case other.deep >= sr.deep:
			sr = other
		case f.saved:
			s.instead[r.Name] = nil
		default:
			s.instead[r.Name] = f.value()
		}
	}
}
