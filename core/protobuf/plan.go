package protobuf

import (
	"slices"
	"sync"

	"github.com/tabernetes/tabernetes/core/schema"
)

// plan is a message: what Go's struct is in protobuf.
type plan struct {
	fields   []planned // in the order of their numbers
	byNumber map[uint64]*planned
}

// planned is one field of a message: a field of the struct, or a struct embedded
// in it, whose fields JSON shows as the outer one's own.
type planned struct {
	number uint64
	field  *schema.Field
	embed  *plan // nil for a field
}

var plans sync.Map // of *schema.Type

func planOf(t *schema.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
	var fields []embedded
	for i := range t.Fields {
		if f := &t.Fields[i]; f.Proto > 0 {
			fields = append(fields, embedded{f, f.Embeds})
		}
	}
	made, _ := plans.LoadOrStore(t, newPlan(fields))
	return made.(*plan)
}

// embedded is a field with the embedded structs that are still around it.
type embedded struct {
	field  *schema.Field
	embeds []schema.Embed
}

func newPlan(fields []embedded) *plan {
	p := &plan{byNumber: map[uint64]*planned{}}
	inner := map[int][]embedded{}
	for _, f := range fields {
		// An embedded struct without a number is not in protobuf, nor is what it holds:
		// the type's own name, which the envelope has.
		switch {
		case len(f.embeds) == 0:
			p.fields = append(p.fields, planned{number: uint64(f.field.Proto), field: f.field})
		case f.embeds[0].Proto > 0:
			n := f.embeds[0].Proto
			inner[n] = append(inner[n], embedded{f.field, f.embeds[1:]})
		}
	}
	for number, fields := range inner {
		p.fields = append(p.fields, planned{number: uint64(number), embed: newPlan(fields)})
	}
	slices.SortFunc(p.fields, func(a, b planned) int { return int(a.number) - int(b.number) })
	for i := range p.fields {
		p.byNumber[p.fields[i].number] = &p.fields[i]
	}
	return p
}
