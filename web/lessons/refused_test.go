//go:build !js

package lessons_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/session"
	"github.com/tabernetes/tabernetes/web/tap"
)

// TestRefusedPassesNothing plays each lesson, and then tells a session that a request had been refused by which a row
// was done: the step does not pass by that request.
func TestRefusedPassesNothing(t *testing.T) {
	each(t, func(t *testing.T, l *format.Lesson) {
		p := begin(t, fresh(t, 9), l)
		var heard []tap.Event
		p.OnTap(func(ev tap.Event) { heard = append(heard, ev) })
		status := map[int]int{}
		for i := range l.Steps {
			must(t, l, p.Solve(i))
			end := len(heard)
			for _, ev := range heard {
				if ev.Type == tap.Head {
					status[ev.ID] = ev.Status
				}
			}
			for _, row := range l.Steps[i].Check.Rows {
				id := made(t, p.Session, row)
				if id == 0 || status[id] >= 400 {
					continue
				}
				for _, code := range []int{403, 404, 409, 410, 500} {
					s := informed(l, heard[:end], id, code)
					if passed := s.Passed(); passed > i && made(t, s, row) == id {
						t.Errorf("%s:%d: step %d passes although %s was answered %d", l.File, row.Line, i+1, row.Name, code)
					}
				}
			}
		}
	})
}

// made returns the id of the request that a row was done by; 0 if it looks for events, or none is known.
func made(t *testing.T, s *session.Session, row format.Row) (id int) {
	t.Helper()
	if row.Method == "" {
		return 0
	}
	lane, err := format.ParseTemplate("{{" + row.Name + ".lane}}")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = s.Fill(lane, func(request int) string {
		id = request
		return strconv.Itoa(request)
	})
	return id
}

// informed returns a session that got events, and of another answer to one of the requests.
func informed(l *format.Lesson, events []tap.Event, id, code int) *session.Session {
	var log tap.Log
	s := session.New(l, session.Progress{}, &log)
	for _, ev := range events {
		if ev.ID == id {
			switch ev.Type {
			case tap.Head:
				ev.Status = code
			case tap.Chunk:
				ev.Text = fmt.Sprintf(`{"kind": "Status", "status": "Failure", "code": %d}`, code)
			}
		}
		log.Add(ev)
		s.Observe(ev, true)
	}
	s.Recheck()
	return s
}
