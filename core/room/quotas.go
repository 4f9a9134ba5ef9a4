package room

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/object"
)

// quotas are what a room and its members may take at most: spec.quotas of the Room.
type quotas struct {
	// Objects is the number of all objects, and Bytes their size as JSON, without their history.
	Objects, Bytes int64
	// ObjectsPerMember and BytesPerMember are those of a member.
	ObjectsPerMember, BytesPerMember int64
	// MembersPerAddress is how many may have joined from one network, RequestsPerAddress how often those may
	// make a request together, and WatchesPerAddress how many watches they may have open.
	MembersPerAddress, RequestsPerAddress, WatchesPerAddress int64
	// RequestsPerSecond is how often a member may make a request, in the long run.
	RequestsPerSecond int64
	// WatchesPerMember is the number of watches and other streams that a member may have open, Watches
	// that of all members but teachers.
	WatchesPerMember, Watches int64
}

// A quota is a field of spec.quotas.
type quota struct {
	name string
	// usual is its value if the field is absent, 0 if that depends on others; most is the largest that it may
	// have.
	usual, most int64
	field       func(*quotas) *int64
}

// allQuotas are the fields and their defaults. A lab keeps about eight streams open and makes a few
// requests per click; kubectl makes hundreds in a row for a file of many objects, which is what the
// burst is for: see burstSeconds. So the defaults leave a learner room for three tabs and kubectl,
// and let a class of 30 do that at once. In a class of 300 each member may still have three streams.
var allQuotas = []quota{
	{"bytes", 16 << 20, 1 << 30, func(q *quotas) *int64 { return &q.Bytes }},
	{"bytesPerMember", 1 << 20, 1 << 30, func(q *quotas) *int64 { return &q.BytesPerMember }},
	{"membersPerAddress", 0, most, func(q *quotas) *int64 { return &q.MembersPerAddress }},
	{"objects", 5000, 1_000_000, func(q *quotas) *int64 { return &q.Objects }},
	{"objectsPerMember", 500, 1_000_000, func(q *quotas) *int64 { return &q.ObjectsPerMember }},
	{"requestsPerAddress", 0, 1_000_000, func(q *quotas) *int64 { return &q.RequestsPerAddress }},
	{"requestsPerSecond", 20, 100_000, func(q *quotas) *int64 { return &q.RequestsPerSecond }},
	{"watches", 1000, 100_000, func(q *quotas) *int64 { return &q.Watches }},
	{"watchesPerAddress", 0, 100_000, func(q *quotas) *int64 { return &q.WatchesPerAddress }},
	{"watchesPerMember", 30, 10_000, func(q *quotas) *int64 { return &q.WatchesPerMember }},
}

// quotasOf returns the quotas of a Room, with defaults for those that are absent.
func quotasOf(obj map[string]any) quotas {
	var all quotas
	for _, q := range allQuotas {
		*q.field(&all) = q.usual
		if n, given := object.GetInt(obj, "spec", "quotas", q.name); given {
			*q.field(&all) = n
		}
	}
	// What one network may take leaves as much to all others, or is what some members together may.
	all.MembersPerAddress = cmp.Or(all.MembersPerAddress, (mostMembers(obj)+1)/2)
	all.RequestsPerAddress = cmp.Or(all.RequestsPerAddress, manyMembers*all.RequestsPerSecond)
	all.WatchesPerAddress = cmp.Or(all.WatchesPerAddress, (all.Watches+1)/2)
	return all
}

// manyMembers is how many members of one network may use their share of requests to the full at the same time.
const manyMembers = 10

// mostMembers returns how many members a Room may have.
func mostMembers(obj map[string]any) int64 {
	if n, given := object.GetInt(obj, "spec", "maxMembers"); given {
		return n
	}
	return usual
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
