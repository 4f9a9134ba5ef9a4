package stage

import (
	"strings"

	"github.com/tabernetes/tabernetes/web/panels/stage/timeline"
)

// programRows returns the rows of what this page and the programs wrote; none if no program has.
func (p *panel) programRows() []shownRow {
	all := &p.model.Programs
	if len(all.List) == 0 {
		return nil
	}
	var out []shownRow
	add := func(w *written) {
		units := p.layout.program
		if !p.scene.Narrow {
			units *= p.layout.grow
		}
		out = append(out, shownRow{id: w.id(), units: units, written: w})
	}
	add(&written{})
	for _, program := range all.List {
		row := &written{program: program, open: p.parts[program.Name]}
		if add(row); !row.open {
			continue
		}
		for _, w := range program.Writers {
			if p.onScreen[w] {
				add(&written{program: program, writer: w})
			} else {
				row.away = append(row.away, w.Name)
			}
		}
	}
	return out
}

// look returns which parts of opened programs have written something on screen.
func (p *panel) look() map[*timeline.Writer]bool {
	now := map[*timeline.Writer]bool{}
	for _, program := range p.model.Programs.List {
		for _, w := range program.Writers {
			if p.parts[program.Name] && p.cam.View.shows(&w.Marks) {
				now[w] = true
			}
		}
	}
	return now
}

// shows reports whether a mark of a series is in view, and not in a fold.
func (v View) shows(s *timeline.Series) bool {
	lo, hi := v.Range()
	for i := s.Index(lo); i < s.Len() && s.At(i).Rev <= hi; {
		f, in := v.Folded(s.At(i).Rev)
		if !in {
			return true
		}
		i = s.Index(f.Hi + 1)
	}
	return false
}

// sayAway names the parts of an opened program that have no row.
func (sc *Scene) sayAway(row *laneRow, w *written) {
	n, named := len(w.away), min(len(w.away), mostNamed)
	if n == 0 {
		return
	}
	some := "not on screen: " + strings.Join(w.away[:named], ", ")
	if n > named {
		some += " and " + itoa(int64(n-named)) + " more"
	}
	said := words{"soft", 12.5 * sc.U, 12 * sc.U, row.y + 4*sc.U, some}
	short := said
	short.text = itoa(int64(n)) + plural(int64(n), " row more", " rows more")
	row.lines.say(&row.room, said, short)
}

// mostNamed is how many parts of a program are named that have no row.
const mostNamed = 4

// revealOpened brings the rows of a program that has just been opened into sight, as far as there is room; its first
// one in any case.
func (p *panel) revealOpened(rows []shownRow) {
	first, last := "", ""
	for _, r := range rows {
		if w := r.written; w != nil && w.program != nil && w.program.Name == p.reveals {
			if last = r.id; first == "" {
				first = r.id
			}
		}
	}
	if p.reveals = ""; first != last {
		p.Page.Call("reveal", "st-head-"+last)
		p.Page.Call("reveal", "st-head-"+first)
	}
}
