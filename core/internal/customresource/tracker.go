package customresource

import (
	"fmt"
	"sync"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// Bucket is the CustomResourceDefinitions' bucket in the store.
const Bucket = "apiextensions.k8s.io/v1/customresourcedefinitions"

// A Tracker keeps a table up to date with the stored CustomResourceDefinitions: the commit that
// establishes one adds the rows of its versions, and the commit that deletes it removes them. So
// reading the log leads to the same rows.
//
// The memory of all definitions together is limited, since it is many times that of the objects that have
// them, and so is the number of their versions.
type Tracker struct {
	table *schema.Table
	rules structural.Rules
	known map[string]*Definition // by name
	// Link makes the rows of a definition's versions convert objects as it says; nil: by nothing but their apiVersion.
	Link func(crd map[string]any, rows []*schema.Resource)

	mu   sync.Mutex
	most size // of all definitions together
	took map[string]size
	all  size
}

// A size is what definitions take.
type size struct {
	// memory is that of their schemas, of the rows of their versions, and of what OpenAPI documents say about these, in
	// bytes.
	memory int64
	// versions is the number of their versions.
	versions int
}

func (s size) plus(o size) size  { return size{s.memory + o.memory, s.versions + o.versions} }
func (s size) minus(o size) size { return size{s.memory - o.memory, s.versions - o.versions} }

// within reports whether neither is more than that of another size.
func (s size) within(o size) bool { return s.memory <= o.memory && s.versions <= o.versions }

// MaxVersions is the maximum number of versions that all definitions of a cluster may have together: documents list
// all of them, and each change of one is a change of the table of all types. A real server has no such limit; clusters
// with many operators have some hundreds.
const MaxVersions = 3000

// memoryOfVersion is the approximate memory of a version besides its schema, in bytes: its row with what is derived of
// it, and its part of an OpenAPI document. TestMemoryOfVersions measures it.
const memoryOfVersion = 24 << 10

// NewTracker returns a Tracker that adds rows to a table. The CEL rules in their schemas are
// evaluated by rules. The definitions may take most bytes of memory.
func NewTracker(table *schema.Table, rules structural.Rules, most int64) *Tracker {
	return &Tracker{table: table, rules: rules, known: map[string]*Definition{}, most: size{most, MaxVersions},
		took: map[string]size{}}
}

// Observe is called for every write of a definition, in order, with its revision; a nil value means
// that it was deleted.
func (t *Tracker) Observe(name string, value []byte, rev int64) {
	var next *Definition
	old := t.known[name]
	var needs size
	if value != nil {
		crd, _, err := object.Decode(value, schema.TypeOf("apiextensions.k8s.io", "v1", "CustomResourceDefinition"))
		switch {
		case err != nil: // not so: it was stored
			return
		case old != nil && old.Follow(crd):
			return
		case IsTrue(crd, Established):
			if needs = sizeOf(crd); !t.admits(name, needs) {
				needs = size{}
				break
			}
			next = New(crd, rev)
			t.compile(next)
		}
	}
	t.take(name, needs)
	delete(t.known, name)
	var before, after []*schema.Resource
	if old != nil {
		before = old.Served
	}
	if next != nil {
		t.known[name], after = next, next.Served
	}
	t.table.Swap(before, after)
	if old != nil {
		old.End()
	}
}

// sizeOf returns what a definition takes.
func sizeOf(crd map[string]any) (all size) {
	for _, v := range object.GetList(crd, "spec", "versions") {
		version, _ := v.(map[string]any)
		schema := object.GetMap(version, "schema", "openAPIV3Schema")
		all = all.plus(size{memoryOfVersion + structural.Memory(schema), 1})
	}
	return all
}

// take notes what a definition takes.
func (t *Tracker) take(name string, now size) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = t.all.minus(t.took[name]).plus(now)
	if t.took[name] = now; now == (size{}) {
		delete(t.took, name)
	}
}

// admits reports whether a definition is served. Check has refused those that are beyond the limit; but of
// several that were written at the same time, and in a snapshot of a host with more memory, there may be
// more. Those are stored, and not served.
func (t *Tracker) admits(name string, needs size) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	most := t.most.plus(size{t.most.memory / 4, t.most.versions / 4})
	return t.all.minus(t.took[name]).plus(needs).within(most)
}

// checkSize returns the violation of a definition that takes more than is left, unless it takes less than before or is
// being deleted.
func (t *Tracker) checkSize(crd map[string]any) (errs field.ErrorList) {
	if object.DeletionTimestamp(crd) != "" {
		return nil
	}
	needs, name := sizeOf(crd), object.Name(crd)
	t.mu.Lock()
	defer t.mu.Unlock()
	took := t.took[name]
	left := t.most.minus(t.all).plus(took)
	if needs.memory > max(took.memory, left.memory) {
		errs.Add(field.Invalid("spec.versions", field.Omitted, fmt.Sprintf("the schemas of all "+
			"definitions may take %d KiB of memory, of which %d KiB are left, and those of this one need about %d KiB",
			t.most.memory>>10, max(0, left.memory)>>10, (needs.memory+1023)>>10)))
	}
	if needs.versions > max(took.versions, left.versions) {
		errs.Add(field.Invalid("spec.versions", field.Omitted, fmt.Sprintf("all definitions may have %d versions together, "+
			"of which %d are left, and this one has %d", t.most.versions, max(0, left.versions), needs.versions)))
	}
	return errs
}

// compile compiles the rules in the schemas of a definition's rows, and links their conversion.
func (t *Tracker) compile(d *Definition) {
	if d == nil {
		return
	}
	if t.Link != nil {
		t.Link(d.crd, d.all)
	}
	for _, row := range d.Served {
		if row.Custom.Schema.HasRules() {
			row.Custom.Rules = t.rules.Compile(row.Custom.Schema, row.Plural+"."+row.Group)
		}
	}
}
