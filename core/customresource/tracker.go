package customresource

import (
	"fmt"
	"reflect"
	"sync"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/structural"
)

// Bucket is the CustomResourceDefinitions' bucket in the store.
const Bucket = "apiextensions.k8s.io/v1/customresourcedefinitions"

// A Tracker keeps a table up to date with the stored CustomResourceDefinitions: the commit that
// establishes one adds the rows of its versions, and the commit that deletes it removes them. So
// reading the log leads to the same rows.
//
// The memory of all schemas together is limited, since it is many times that of the objects that have
// them.
type Tracker struct {
	table *schema.Table
	rules structural.Rules
	known map[string]*Definition // by name

	mu   sync.Mutex
	most int64 // how much memory the schemas may take, in bytes
	took map[string]int64
	all  int64
}

// NewTracker returns a Tracker that adds rows to a table. The CEL rules in their schemas are
// evaluated by rules. The schemas may take most bytes of memory.
func NewTracker(table *schema.Table, rules structural.Rules, most int64) *Tracker {
	return &Tracker{table: table, rules: rules, known: map[string]*Definition{}, most: most, took: map[string]int64{}}
}

// Observe is called for every write of a definition, in order; a nil value means that it was
// deleted.
func (t *Tracker) Observe(name string, value []byte) {
	var next *Definition
	old := t.known[name]
	needs := int64(0)
	if value != nil {
		crd, _, err := object.Decode(value, schema.TypeOf("apiextensions.k8s.io", "v1", "CustomResourceDefinition"))
		switch {
		case err != nil: // not so: it was stored
			return
		case old != nil && old.Follow(crd):
			return
		case IsTrue(crd, Established):
			if needs = memory(crd); !t.admits(name, needs) {
				needs = 0
				break
			}
			next = New(crd)
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

// memory returns the approximate memory of the schemas of a definition, in bytes.
func memory(crd map[string]any) int64 {
	var all int64
	for _, v := range object.GetList(crd, "spec", "versions") {
		version, _ := v.(map[string]any)
		all += structural.Memory(object.GetMap(version, "schema", "openAPIV3Schema"))
	}
	return all
}

// take notes what the schemas of a definition take.
func (t *Tracker) take(name string, bytes int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all += bytes - t.took[name]
	if t.took[name] = bytes; bytes == 0 {
		delete(t.took, name)
	}
}

// admits reports whether a definition is served. Check has refused those that are beyond the limit; but of
// several that were written at the same time, and in a snapshot of a host with more memory, there may be
// more. Those are stored, and not served.
func (t *Tracker) admits(name string, bytes int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.all-t.took[name]+bytes <= t.most+t.most/4
}

// checkMemory returns the violation of a definition whose schemas take more than is left.
func (t *Tracker) checkMemory(crd map[string]any) field.ErrorList {
	needs, name := memory(crd), object.Name(crd)
	t.mu.Lock()
	defer t.mu.Unlock()
	if needs <= t.took[name] || t.all-t.took[name]+needs <= t.most {
		return nil
	}
	return field.ErrorList{field.Invalid("spec.versions", field.Omitted, fmt.Sprintf("the schemas of all "+
		"definitions may take %d KiB of memory, of which %d KiB are left, and those of this one need about %d KiB",
		t.most>>10, max(0, t.most-t.all+t.took[name])>>10, (needs+1023)>>10))}
}

// compile compiles the rules in the schemas of a definition's rows.
func (t *Tracker) compile(d *Definition) {
	if d == nil {
		return
	}
	for _, row := range d.Served {
		if row.Custom.Schema.HasRules() {
			row.Custom.Rules = t.rules.Compile(row.Custom.Schema, row.Plural+"."+row.Group)
		}
	}
}

// Check returns the violations of the rules of a definition, and of the limit of all schemas. Schemas that
// are invalid otherwise are skipped.
func (t *Tracker) Check(crd map[string]any) field.ErrorList {
	errs := t.checkMemory(crd)
	versions := object.GetList(crd, "spec", "versions")
	schemaOf := func(i int) map[string]any {
		version, _ := versions[i].(map[string]any)
		return object.GetMap(version, "schema", "openAPIV3Schema")
	}
	common := true // the real server's internal form of a definition has one schema then
	for i := range versions {
		common = common && reflect.DeepEqual(schemaOf(0), schemaOf(i))
	}
	for i := range versions {
		at := field.Path("spec.versions").Index(i).Child("schema").Child("openAPIV3Schema")
		if common {
			at = "spec.validation.openAPIV3Schema"
		}
		s := structural.Parse(schemaOf(i))
		if s.HasRules() && len(structural.Check(s, at)) == 0 && len(structural.CheckOpenAPI(s, at)) == 0 {
			errs.Add(t.rules.Check(s, at)...)
		}
		if common {
			break
		}
	}
	return errs
}
