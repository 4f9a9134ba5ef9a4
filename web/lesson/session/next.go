package session

import (
	"github.com/tabernetes/tabernetes/web/lesson/format"
)

// Current returns the index of the first step that is not passed; the number of
// steps when all are.
func (s *Session) Current() int {
	s.log.Lock()
	defer s.log.Unlock()
	return s.current()
}

func (s *Session) current() int {
	for i, st := range s.steps {
		if !st.done() {
			return i
		}
	}
	return len(s.steps)
}

// NoteRun keeps that the request at an address was run.
func (s *Session) NoteRun(address string) {
	s.log.Lock()
	defer s.log.Unlock()
	s.ran[address] = true
}

// HasRun reports whether the request at an address was run.
func (s *Session) HasRun(address string) bool {
	s.log.Lock()
	defer s.log.Unlock()
	return s.ran[address]
}

// NextRun returns the address of the request that is to be run next in step i: the
// first of its http blocks that was not run and whose row is not done, and
// where all are, of its solution if that is open. It is empty without one,
// or if the step is passed.
func (s *Session) NextRun(i int, solution bool) string {
	s.log.Lock()
	defer s.log.Unlock()
	if i >= len(s.steps) || s.steps[i].passed || i != s.current() {
		return ""
	}
	done := map[string]bool{}
	for _, name := range s.doneNames(i) {
		done[name] = true
	}
	for _, kind := range []format.Kind{format.HTTP, format.Solution} {
		for j, b := range s.Lesson.Steps[i].Blocks {
			if b.Kind != kind || kind == format.Solution && !solution {
				continue
			}
			for k := range b.Requests {
				at := format.Address{Step: i, Block: j, Request: k}.String()
				if !s.ran[at] && !done[b.Requests[k].Name] {
					return at
				}
			}
			if kind == format.Solution { // the other ones are other ways
				return ""
			}
		}
	}
	return ""
}
