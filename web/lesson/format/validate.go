package format

import (
	"maps"
	"slices"
)

// role is what a name stands for.
type role uint8

const (
	exchangeName role = iota + 1
	eventName
	givenName // of a request of the setup
	noneName  // of a row that found nothing
)

// names are the names known at a place in a lesson.
type names map[string]role

// Validate makes sure that every reference of a lesson leads to a name that is known by then, that paths start with
// something that exchanges or events have, and that the lesson can be set up again. Errors are of type *Error.
func (l *Lesson) Validate() error { return l.inFile(validate(l, false)) }

// ValidateScene does the same for a scene, which has a separate cluster each time, and nobody who learns: it need not
// be set up again.
func (l *Lesson) ValidateScene() error { return l.inFile(validate(l, true)) }

// inFile says in an error which file it is in.
func (l *Lesson) inFile(err error) error {
	if e, ok := err.(*Error); ok {
		e.File = l.File
	}
	return err
}

func validate(l *Lesson, scene bool) error {
	if !scene {
		if err := l.noLevers(); err != nil {
			return err
		}
	}
	if l.Programs && !scene && l.Part != FurtherReading {
		return errAt(1, "programs: the course has to be completed without them, so this is for %q", FurtherReading)
	}
	if l.Gates != "" && !scene {
		return errAt(1, "programs: features are switched for scenes only, which have clusters to themselves")
	}
	known, rows := names{}, names{}
	for _, block := range [][]*Request{l.Setup, l.Restore} {
		for _, r := range block {
			if err := known.check(r.Refs(), r.Line); err != nil {
				return err
			}
			if r.endless() {
				return errAt(r.Line, "a watch in setup or restore: nothing would end it")
			}
			if r.Name != "" {
				known[r.Name] = givenName
			}
		}
	}
	for name, is := range known { // checks may refer to what was set up
		rows[name] = is
	}
	if !scene {
		if err := validateRepeat(l); err != nil {
			return err
		}
	}
	for i := range l.Steps {
		if err := validateStep(&l.Steps[i], known, rows); err != nil {
			return err
		}
		if scene || l.Lesson != "" { // practice, so far
			continue
		}
		if err := validateEffects(l.Steps[i].Check); err != nil {
			return err
		}
		if q, _ := l.Steps[i].Prediction(); q != nil {
			if err := validateConditions(q); err != nil {
				return err
			}
		}
	}
	return nil
}

// validateStep checks one step. A request may use what requests before it and
// rows of earlier steps named; a check only what rows named, since a learner
// need not use the lesson's own requests. A request and a row of one name are
// meant to be the same thing, so known holds both.
func validateStep(s *Step, known, rows names) error {
	given := map[string]bool{}
	for _, kind := range []Kind{HTTP, Solution} {
		for _, b := range s.Blocks {
			if b.Kind != kind {
				continue
			}
			for j := range b.Requests {
				r := &b.Requests[j]
				if err := known.check(r.Refs(), r.Line); err != nil {
					return err
				}
				if r.Name == "" {
					continue
				}
				if was := known[r.Name]; was != 0 && was != exchangeName {
					return errAt(r.Line, "%q is the name of something else", r.Name)
				}
				if kind == HTTP && given[r.Name] {
					return errAt(r.Line, "two requests of the step are called %q", r.Name)
				}
				given[r.Name] = true
				known[r.Name] = exchangeName
			}
		}
	}
	if err := validateCheck(s.Check, known, rows); err != nil {
		return err
	}
	if g := s.Goal(); g != nil && g.After != "" && !slices.ContainsFunc(s.Check.Rows, func(r Row) bool {
		return r.Name == g.After && r.In == "" && !r.Unasked()
	}) {
		return errAt(g.Line, "after names a row of the step's check that finds a request, not %q", g.After)
	}
	for _, a := range s.Wrong {
		given := maps.Clone(known)
		for _, r := range a.Requests {
			if err := given.check(r.Refs(), r.Line); err != nil {
				return err
			}
			if r.Name != "" {
				given[r.Name] = exchangeName
			}
		}
	}
	if p, _ := s.Prediction(); p != nil {
		return rows.check(p.Refs(), p.Line)
	}
	return nil
}

func validateCheck(c *Check, known, rows names) error {
	var above []string
	for i := range c.Rows {
		r := &c.Rows[i]
		is := exchangeName
		if r.In != "" {
			is = eventName
			if rows[r.In] != exchangeName {
				return errAt(r.Line, "no row above finds a request called %q", r.In)
			}
		}
		kind := is
		if r.None {
			is = noneName
		}
		if rows[r.Name] != 0 {
			return errAt(r.Line, "two rows of the lesson are called %q", r.Name)
		}
		if was := known[r.Name]; was != 0 && was != is {
			return errAt(r.Line, "%q is already the name of a request", r.Name)
		}
		for _, n := range slices.Concat(r.After, r.Before) {
			if !slices.Contains(above, n) {
				return errAt(r.Line, "after and before name rows above this one in the same check, not %q", n)
			}
		}
		for _, cond := range r.Conds {
			for _, p := range append([]Path{cond.Left}, cond.Or...) {
				if msg := rootOf(kind, p); msg != "" {
					return errAt(cond.Line, "%s", msg)
				}
			}
			for _, t := range cond.Right {
				if t.usesIndex() {
					return errAt(cond.Line, "{{$index}} in a check")
				}
				if err := rows.check(t.Refs(), cond.Line); err != nil {
					return err
				}
			}
		}
		rows[r.Name], known[r.Name] = is, is
		above = append(above, r.Name)
	}
	return nil
}

// validateEffects makes sure that a row that stands for the effect of a request says with which statuses it has one: a
// request that was refused has none.
func validateEffects(c *Check) error {
	for _, r := range c.Rows {
		if r.Method != "" && r.Method != "GET" && r.Method != "HEAD" && len(r.Statuses) == 0 {
			return errAt(r.Line, "the row %q takes any answer to a %s, also one that refuses it: say which, as in -> 200, "+
				"or -> 200 or 409 where a refusal is what the step shows", r.Text, r.Method)
		}
	}
	return nil
}

func (k names) check(refs []Ref, line int) error {
	for _, r := range refs {
		is := k[r.Name]
		if is == 0 {
			return errAt(line, "{{%s}}: nothing is called %q here", r.Key(), r.Name)
		}
		if msg := rootOf(is, r.Path); msg != "" {
			return errAt(line, "{{%s}}: %s", r.Key(), msg)
		}
	}
	return nil
}

// rootOf returns what is wrong with the path's first name.
func rootOf(is role, p Path) string {
	switch root := p.root(); {
	case (is == exchangeName || is == givenName) && root != "request" && root != "response":
		return "the path of a request's exchange starts with request or response, not " + root
	case is == noneName:
		return "what did not come has no values"
	case is == eventName && root != "type" && root != "object":
		return "the path of an event starts with type or object, not " + root
	}
	return ""
}
