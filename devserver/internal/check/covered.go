package check

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/expression"
)

// cover reports what was counted of the expressions of what was given.
func (r *runner) cover() {
	type place struct {
		file  string
		line  int
		field string
	}
	seen, first := map[place]bool{}, map[string]place{}
	most := &Covered{}
	severity := Note
	if r.o.Covered {
		severity = Error
	}
	for _, m := range r.given {
		for _, e := range expressions(m) {
			at := place{m.in.file, m.line(e.field), m.at + "." + e.field}
			if seen[at] {
				continue
			}
			seen[at] = true
			c := Covered{&m.Object, at.file, at.line, e.field, e.text, r.counter.Of(e.text)}
			r.report.Coverage = append(r.report.Coverage, c)
			if c.MaxCost > most.MaxCost {
				most = &c
			}
			if other, twice := first[e.text]; twice { // what was counted says nothing of one of them
				r.report.Findings = append(r.report.Findings, m.finding(severity, e.field,
					fmt.Sprintf("it is counted together with %s:%d, which has the same text", other.file, other.line)))
			} else {
				first[e.text] = at
			}
			if c.Evaluations == 0 {
				r.report.Findings = append(r.report.Findings, m.finding(severity, e.field, "never evaluated: "+e.text))
				continue
			}
			for _, part := range c.Conditions {
				if problem := part.Problem(); problem != "" {
					r.report.Findings = append(r.report.Findings, m.finding(severity, e.field, problem+": "+part.Text))
				}
			}
		}
	}
	if most.MaxCost > 0 {
		r.report.Notes = append(r.report.Notes, fmt.Sprintf("%s:%d: %s of %s costs most, %d units of at most %d", most.File,
			most.Line, most.Field, most.Object, most.MaxCost, expression.CallLimit))
	}
}

// An expressionOf is one of a manifest.
type expressionOf struct{ field, text string }

// expressions returns those of policies and of definitions' rules, in the order of their fields.
func expressions(m *manifest) (all []expressionOf) {
	names := []string{"expression", "messageExpression", "valueExpression"}
	within := ""
	if m.definition != nil {
		names, within = []string{"rule", "messageExpression"}, "x-kubernetes-validations["
	} else if !isPolicy(m) {
		return nil
	}
	var visit func(v any, at string)
	visit = func(v any, at string) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				below := strings.TrimPrefix(at+"."+name, ".")
				if text, ok := v[name].(string); !ok {
					visit(v[name], below)
				} else if slices.Contains(names, name) && strings.Contains(at, within) {
					all = append(all, expressionOf{below, text})
				}
			}
		case []any:
			for i, item := range v {
				visit(item, fmt.Sprintf("%s[%d]", at, i))
			}
		}
	}
	var body any
	if json.Unmarshal(m.body, &body) == nil {
		visit(body, "")
	}
	return all
}
