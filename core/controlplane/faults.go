package controlplane

import (
	"fmt"
	"slices"

	"github.com/tabernetes/tabernetes/core/internal/faults"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/settings"
)

// The field names of a row of spec.faults: the requests that it matches, and its effect, which is
// exactly one.
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

var faultsSetting = setting{
	path: "faults",
	parse: func(in section, name string, s *Settings) {
		in.list(name, 0, faults.MaxRows, func(rows []section) {
			s.Faults = make([]faults.Row, len(rows))
			for i, row := range rows {
				row.fault(&s.Faults[i])
			}
		})
	},
	show: func(*Settings) any { return []any{} },
	apply: func(p *ControlPlane, s *Settings, _ int64) {
		if !p.faults.Load().Is(s.Faults) { // otherwise the counts would start again
			p.faults.Store(faults.New(s.Faults))
		}
	},
}

// fault reads a row.
func (s section) fault(row *faults.Row) {
	s.only(faultNames...)
	s.text("userAgent", false, &row.UserAgent)
	s.text("user", false, &row.User)
	row.Verbs = s.someWords("verbs")
	for i, verb := range row.Verbs {
		if !slices.Contains(faultVerbs, verb) {
			s.errs.Add(field.NotSupported(s.at.Child("verbs").Index(i), verb, faultVerbs...))
		}
	}
	row.Resources = s.someWords("resources")
	for i, resource := range row.Resources {
		if resource == "" {
			s.errs.Add(field.Required(s.at.Child("resources").Index(i), ""))
		}
	}
	row.Server = s.optional("server", 0, registry.MaxReplicas-1)
	s.effect(&row.Effect)
	s.number("times", 1, settings.MaxSeed, &row.Times)
}

// effect reads the effect of a row.
func (s section) effect(e *faults.Effect) {
	var given []string
	for _, name := range faultEffects {
		if s.tree[name] != nil {
			given = append(given, name)
		}
	}
	if len(given) != 1 {
		s.errs.Add(field.Invalid(s.at, given, fmt.Sprintf("must have exactly one of %v", faultEffects)))
	}
	if code := s.tree["status"]; code != nil {
		e.Status, _ = code.(int64)
		if !slices.Contains(faultStatuses, e.Status) {
			s.errs.Add(field.Invalid(s.at.Child("status"), code, fmt.Sprintf("must be one of %v", faultStatuses)))
		}
	} else if s.tree["retryAfterSeconds"] != nil {
		s.errs.Add(field.Forbidden(s.at.Child("retryAfterSeconds"), "only a status can have it"))
	}
	s.number("retryAfterSeconds", 1, maxSeconds, &e.RetryAfter)
	s.seconds("delaySeconds", 1, maxSeconds, &e.Delay)
	e.CutAfterEvents = s.optional("cutAfterEvents", 0, settings.MaxSeed)
	e.CutAfterBytes = s.optional("cutAfterBytes", 0, settings.MaxSeed)
	s.number("chunkBytes", 1, settings.MaxSeed, &e.ChunkBytes)
}
