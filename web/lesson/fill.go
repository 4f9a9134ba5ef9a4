package lesson

import "slices"

// Names returns the names that the references of a template begin with, each once.
func (t Template) Names() []string {
	var names []string
	for _, r := range t.refs() {
		if !slices.Contains(names, r.Name) {
			names = append(names, r.Name)
		}
	}
	return names
}

// Fill fills in the references of a text, or says by a *MissingError which request has to be run first. {{name.lane}}
// is what lane returns for the tap's id of the request that the name stands for.
func (s *Session) Fill(t Template, lane func(request int) string) (string, error) {
	return t.expand("", func(r Ref) (string, error) {
		v, ok := s.value(r)
		if r.Path.text == "lane" {
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
