package room

import (
	"fmt"
	"maps"
	"slices"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/object"
)

// quotas are what a room and its members may take at most: spec.quotas of the Room.
type quotas struct {
	// Objects is the number of all objects, and Bytes their size as JSON, without their history.
	Objects, Bytes int64
	// RequestsPerSecond is how often a member may make a request, in the long run.
	RequestsPerSecond int64
	// WatchesPerMember is the number of watches and other streams that a member may have open, Watches
	// that of all members but teachers.
	WatchesPerMember, Watches int64
}

// A quota is a field of spec.quotas.
type quota struct {
	name string
	// usual is its value if the field is absent, most the largest that it may have.
	usual, most int64
	of          func(*quotas) *int64
}

// allQuotas are the fields and their defaults. A lab keeps about eight streams open and makes a few
// requests per click; kubectl makes hundreds in a row for a file of many objects, which is what the
// burst is for: see burstSeconds. So the defaults leave a learner room for three tabs and kubectl,
// and let a class of 30 do that at once. In a class of 300 each member may still have three streams.
var allQuotas = []quota{
	{"bytes", 16 << 20, 1 << 30, func(q *quotas) *int64 { return &q.Bytes }},
	{"objects", 5000, 1_000_000, func(q *quotas) *int64 { return &q.Objects }},
	{"requestsPerSecond", 20, 100_000, func(q *quotas) *int64 { return &q.RequestsPerSecond }},
	{"watches", 1000, 100_000, func(q *quotas) *int64 { return &q.Watches }},
	{"watchesPerMember", 30, 10_000, func(q *quotas) *int64 { return &q.WatchesPerMember }},
}

// quotasOf returns the quotas of a Room, with defaults for those that are absent.
func quotasOf(obj map[string]any) quotas {
	var all quotas
	for _, q := range allQuotas {
		*q.of(&all) = q.usual
		if n, given := object.GetInt(obj, "spec", "quotas", q.name); given {
			*q.of(&all) = n
		}
	}
	return all
}

// validateQuotas says what is wrong with spec.quotas.
func validateQuotas(v any, at field.Path) (errs field.ErrorList) {
	given, ok := v.(map[string]any)
	if !ok {
		errs.Add(field.Invalid(at, v, "must be an object"))
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		i := slices.IndexFunc(allQuotas, func(q quota) bool { return q.name == name })
		if i < 0 {
			errs.Add(field.NotSupported(at, name, quotaNames()...))
			continue
		}
		if n, ok := given[name].(int64); !ok || n < 1 || n > allQuotas[i].most {
			errs.Add(field.Invalid(at.Child(name), given[name], fmt.Sprintf("must be a number from 1 to %d", allQuotas[i].most)))
		}
	}
	return errs
}

func quotaNames() []string {
	names := make([]string, len(allQuotas))
	for i, q := range allQuotas {
		names[i] = q.name
	}
	return names
}
