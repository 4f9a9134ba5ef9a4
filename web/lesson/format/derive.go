package format

import (
	"net/url"
	"slices"
	"strings"
)

// compared are the parameters of a query that make a request another one when they are missing, or there.
var compared = []string{"watch", "resourceVersion", "resourceVersionMatch", "limit", "continue", "sendInitialEvents",
	"allowWatchBookmarks", "fieldSelector", "labelSelector", "dryRun"}

// deriveCheck makes the check of a practice template's question: each named request of its http blocks has to be made,
// in their order. A row of the given check that has a request's name takes its place, the others come last. A write has
// to succeed unless the question is about its answer.
func (s *Step) deriveCheck() error {
	question, _ := s.Prediction()
	if question == nil {
		return nil
	}
	given := s.Check
	s.Check = &Check{Line: s.Line}
	asked := map[string]bool{}
	for _, c := range question.Choices {
		for _, cond := range c.Conds {
			asked[cond.Name] = true
		}
	}
	if question.Value != nil {
		asked[question.Value.Name] = true
	}
	var requests []*Request
	for i := range s.Blocks {
		for j := range s.Blocks[i].Requests {
			if s.Blocks[i].Kind == HTTP {
				requests = append(requests, &s.Blocks[i].Requests[j])
			}
		}
	}
	for i, q := range requests {
		if q.Name == "" {
			continue
		}
		if at := given.row(q.Name); at >= 0 {
			s.Check.Rows = append(s.Check.Rows, given.Rows[at])
			given.Rows = slices.Delete(given.Rows, at, at+1)
			continue
		}
		cut := slices.ContainsFunc(requests[i+1:],
			func(r *Request) bool { return strings.HasSuffix(r.Target, "/disconnect") })
		row, err := q.row(cut)
		if err != nil {
			return err
		}
		if !asked[q.Name] && q.Method != "GET" {
			row.Statuses = []int{200, 201}
		}
		s.Check.Rows = append(s.Check.Rows, row)
	}
	if given != nil {
		s.Check.Rows = append(s.Check.Rows, given.Rows...)
	}
	return nil
}

// row returns the place of the row of that name, or -1.
func (c *Check) row(name string) int {
	if c == nil {
		return -1
	}
	return slices.IndexFunc(c.Rows, func(r Row) bool { return r.Name == name })
}

// row returns the row that finds the request; cut says that its watch is ended by another one.
func (r *Request) row(cut bool) (Row, error) {
	path, query, _ := strings.Cut(r.Target, "?")
	row := Row{Text: r.Name + ": `" + r.Method + " " + path + "` was sent", Name: r.Name, Line: r.Line, Times: r.Repeat,
		Method: r.Method, Paths: []string{path}}
	var err error
	where := func(path string, op Op, value string) {
		c := Cond{Op: op, Line: r.Line}
		var failed error
		if c.Left, failed = ParsePath(path); failed == nil && op == Equal {
			var t Template
			t, failed = ParseTemplate(value)
			c.Right = []Template{t}
		}
		if failed != nil && err == nil {
			err = errAt(r.Line, "%v", failed)
		}
		row.Conds = append(row.Conds, c)
	}
	q, failed := url.ParseQuery(query)
	if failed != nil {
		return row, errAt(r.Line, "%v", failed)
	}
	for _, name := range compared {
		if q.Has(name) {
			where("request.query."+name, Equal, q.Get(name))
		} else {
			where("request.query."+name, IsAbsent, "")
		}
	}
	for _, h := range r.Header {
		where("request.headers."+h.Name, Equal, h.Value)
	}
	if name := NameIn(r.Body); name != "" {
		where("request.body.metadata.name", Equal, name)
	}
	if r.Watch() && (q.Has("timeoutSeconds") || cut) || strings.Contains(path, "/watch/") {
		where("response.ended", Equal, "true")
	}
	return row, err
}
