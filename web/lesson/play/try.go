//go:build !js

package play

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/tap"
)

// settle is how long a Player waits after an attempt for events that are on their way.
const settle = 5 * time.Second

// Try makes an attempt at the step that comes next and reports whether it passes. It
// waits for what may still come.
func (p *Player) Try(step int, requests []*format.Request) (passed bool, err error) {
	for _, r := range requests {
		if _, err := p.Send(r); err != nil {
			return false, err
		}
	}
	if p.Passed() > step {
		return true, nil
	}
	late := time.After(settle)
	for {
		select {
		case <-p.news:
			if p.Passed() > step {
				return true, nil
			}
		case <-late:
			return p.Passed() > step, nil
		}
	}
}

// A Mutation is a solution with one thing changed, so that it is wrong.
type Mutation struct {
	What     string
	Requests []*format.Request
}

// Mutations returns wrong ways to do a step, made of its solution: a request left out, made
// with another method, or without a parameter, a version or a header that the step's
// check asks for. What is left out may turn out not to be needed.
func Mutations(s *format.Step) []Mutation {
	solution := s.Solve()
	var out []Mutation
	add := func(what string, at int, r *format.Request) {
		m := slices.Clone(solution)
		m[at] = r
		out = append(out, Mutation{what + " " + solution[at].Label(), m})
	}
	for at, r := range solution {
		path, query, _ := strings.Cut(r.Target, "?")
		rows := rowsFor(s, r, path)
		if len(rows) == 0 || twice(s, r.Method, path) {
			continue
		}
		other := map[string]string{"GET": "HEAD", "POST": "GET", "PUT": "GET", "PATCH": "GET", "DELETE": "GET"}[r.Method]
		if changed := *r; other != "" {
			changed.Method, changed.Body = other, ""
			if parsed, err := reparse(&changed); err == nil {
				add(other+" instead of", at, parsed)
			}
		}
		for _, name := range mentioned(rows, "request.query.") {
			without := dropParameter(query, name)
			if without == query {
				continue
			}
			changed := *r
			if changed.Target = path; without != "" {
				changed.Target += "?" + without
			}
			if parsed, err := reparse(&changed); err == nil {
				add("without "+name, at, parsed)
			}
		}
		for _, name := range mentioned(rows, "request.headers.") {
			changed := *r
			changed.Header = slices.DeleteFunc(slices.Clone(r.Header),
				func(f tap.Field) bool { return strings.EqualFold(f.Name, name) })
			if len(changed.Header) == len(r.Header) {
				continue
			}
			if parsed, err := reparse(&changed); err == nil {
				add("without the header "+name, at, parsed)
			}
		}
	}
	return out
}

// rowsFor returns the rows of a step's check that look for a request.
func rowsFor(s *format.Step, r *format.Request, path string) []format.Row {
	var rows []format.Row
	for _, row := range s.Check.Rows {
		if row.Method == r.Method && !row.None && slices.ContainsFunc(row.Paths,
			func(p string) bool { return format.MatchPath(p, path) }) {
			rows = append(rows, row)
		}
	}
	return rows
}

// twice reports whether a step's solution makes a request to a path several times: then
// one of them may stand for another.
func twice(s *format.Step, method, path string) bool {
	n := 0
	for _, r := range s.Solve() {
		if other, _, _ := strings.Cut(r.Target, "?"); r.Method == method && other == path {
			n++
		}
	}
	return n > 1
}

// mentioned returns the names that all rows compare below a path.
func mentioned(rows []format.Row, prefix string) []string {
	var names []string
	for _, row := range rows {
		for _, c := range row.Conds {
			name, ok := strings.CutPrefix(c.Left.String(), prefix)
			if ok && c.Op != format.IsAbsent && c.Op != format.NotEqual && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// dropParameter takes a parameter out of a query, whose references stay as they are.
func dropParameter(query, name string) string {
	parts := strings.Split(query, "&")
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool {
		key, _, _ := strings.Cut(p, "=")
		if k, err := url.QueryUnescape(key); err == nil {
			key = k
		}
		return key == name
	}), "&")
}

// reparse reads a request that was changed.
func reparse(r *format.Request) (*format.Request, error) {
	text := format.Outgoing{Method: r.Method, Target: r.Target, Header: r.Header, Body: r.Body}.HTTP()
	if r.Name != "" {
		text = "# @name " + r.Name + "\n" + text
	}
	all, err := format.ParseHTTP(text, r.Line)
	if err != nil {
		return nil, err
	}
	return &all[0], nil
}
