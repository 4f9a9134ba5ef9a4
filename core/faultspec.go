package core

import (
	"fmt"
	"slices"

	"github.com/tabernetes/tabernetes/core/faults"
	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/registry"
)

// The names of a row of spec.faults: whose requests it is for, and what it does to them, of
// which it has exactly one.
var (
	faultSelectors = []string{"userAgent", "user", "verbs", "resources", "server"}
	faultEffects   = []string{"status", "delaySeconds", "cutAfterEvents", "cutAfterBytes", "chunkBytes"}
	faultNames     = append(slices.Concat(faultSelectors, faultEffects), "retryAfterSeconds", "times")
)

var (
	// faultVerbs are the verbs that a row may name.
	faultVerbs = []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}
	// faultStatuses are the codes that a row may answer with.
	faultStatuses = []int64{429, 500, 503, 504}
)

// readFaults reads spec.faults.
func readFaults(s section, into *[]faults.Row) {
	s.list("faults", 0, faults.MaxRows, func(rows []section) {
		*into = make([]faults.Row, len(rows))
		for i, row := range rows {
			readFault(row, &(*into)[i])
		}
	})
}

func readFault(s section, row *faults.Row) {
	s.only(faultNames...)
	s.text("userAgent", false, &row.UserAgent)
	s.text("user", false, &row.User)
	row.Verbs = s.someWords("verbs")
	for i, verb := range row.Verbs {
		if !slices.Contains(faultVerbs, verb) {
			s.faults.Add(field.NotSupported(s.at.Child("verbs").Index(i), verb, faultVerbs...))
		}
	}
	row.Resources = s.someWords("resources")
	for i, resource := range row.Resources {
		if resource == "" {
			s.faults.Add(field.Required(s.at.Child("resources").Index(i), ""))
		}
	}
	row.Server = s.optional("server", 0, registry.MaxReplicas-1)
	readEffect(s, &row.Effect)
	s.number("times", 1, maxSeed, &row.Times)
}

func readEffect(s section, e *faults.Effect) {
	var given []string
	for _, name := range faultEffects {
		if s.tree[name] != nil {
			given = append(given, name)
		}
	}
	if len(given) != 1 {
		s.faults.Add(field.Invalid(s.at, given, fmt.Sprintf("must have exactly one of %v", faultEffects)))
	}
	if code := s.tree["status"]; code != nil {
		e.Status, _ = code.(int64)
		if !slices.Contains(faultStatuses, e.Status) {
			s.faults.Add(field.Invalid(s.at.Child("status"), code, fmt.Sprintf("must be one of %v", faultStatuses)))
		}
	} else if s.tree["retryAfterSeconds"] != nil {
		s.faults.Add(field.Forbidden(s.at.Child("retryAfterSeconds"), "only a status can have it"))
	}
	s.number("retryAfterSeconds", 1, maxSeconds, &e.RetryAfter)
	s.seconds("delaySeconds", 1, maxSeconds, &e.Delay)
	e.CutAfterEvents = s.optional("cutAfterEvents", 0, maxSeed)
	e.CutAfterBytes = s.optional("cutAfterBytes", 0, maxSeed)
	s.number("chunkBytes", 1, maxSeed, &e.ChunkBytes)
}

// appliedOf is status.faults: how often each row was applied.
func appliedOf(rows *faults.Set) []any {
	var list []any
	for _, n := range rows.Applied() {
		list = append(list, map[string]any{"applied": n})
	}
	return list
}

// someWords is a list of texts that is not empty; nil if it is not there.
func (s section) someWords(name string) (words []string) {
	s.words(name, &words)
	if list, ok := s.tree[name].([]any); ok && len(list) == 0 {
		s.invalid(s.at.Child(name), list, "must not be empty: leave it out for any")
	}
	return words
}

// optional is a number; nil if it is not there.
func (s section) optional(name string, least, most int64) *int64 {
	if s.tree[name] == nil {
		return nil
	}
	n := new(int64)
	s.number(name, least, most, n)
	return n
}
