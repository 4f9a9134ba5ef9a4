package plugins_test

import (
	"context"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/internal/plugins"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// A fixture is the plugin over a store of PriorityClasses.
type fixture struct {
	*testing.T
	*plugins.Priority
	classes *schema.Resource
}

func newFixture(t *testing.T) fixture {
	table := schema.Builtin()
	store := mvcc.New(func() time.Time { return time.Time{} })
	return fixture{t, &plugins.Priority{Store: store, Table: table},
		table.Resource("scheduling.k8s.io", "v1", "priorityclasses")}
}

// put stores a class in place of the one of its name; an empty one deletes it.
func (f fixture) put(name, class string) {
	f.Helper()
	value := func(int64) ([]byte, any) { return []byte(class), nil }
	known := int64(0)
	if v := f.Store.Latest(f.classes.Bucket(), name); v != nil {
		known = v.Revision
	}
	var err error
	if class == "" {
		_, err = f.Store.Delete(f.classes.Bucket(), name, known, value)
	} else {
		_, err = f.Store.Put(f.classes.Bucket(), name, known, value)
	}
	if err != nil {
		f.Fatal(err)
	}
}

func (f fixture) parse(t *schema.Resource, text string) map[string]any {
	f.Helper()
	obj, _, err := object.Decode([]byte(text), t.Type())
	if err != nil {
		f.Fatal(err)
	}
	return obj
}

// pod passes a pod with a spec through the mutating phase.
func (f fixture) pod(operation, subresource, spec, old string) (map[string]any, error) {
	f.Helper()
	pods := f.Table.Resource("", "v1", "pods")
	a := &admission.Attributes{Resource: pods, Namespace: "n", Name: "p", Operation: operation, Subresource: subresource,
		Object: f.parse(pods, `{"metadata":{"name":"p"},"spec":`+spec+`}`)}
	if old != "" {
		a.Old = f.parse(pods, `{"metadata":{"name":"p"},"spec":`+old+`}`)
	}
	err := f.Mutate(context.Background(), a)
	return object.GetMap(a.Object, "spec"), err
}

func TestPods(t *testing.T) {
	f := newFixture(t)
	f.put("high", `{"metadata":{"name":"high"},"value":5,"preemptionPolicy":"Never"}`)
	for _, c := range []struct{ operation, subresource, spec, old, want, err string }{
		{"CREATE", "", `{}`, "", `{"priority":0,"preemptionPolicy":"PreemptLowerPriority"}`, ""},
		{"CREATE", "", `{"priority":0,"preemptionPolicy":"PreemptLowerPriority"}`, "",
			`{"priority":0,"preemptionPolicy":"PreemptLowerPriority"}`, ""},
		{"CREATE", "", `{"priorityClassName":"high"}`, "",
			`{"priorityClassName":"high","priority":5,"preemptionPolicy":"Never"}`, ""},
		{"CREATE", "", `{"priorityClassName":"high","priority":5,"preemptionPolicy":"Never"}`, "",
			`{"priorityClassName":"high","priority":5,"preemptionPolicy":"Never"}`, ""},
		{"CREATE", "", `{"priorityClassName":"nope"}`, "", `{"priorityClassName":"nope"}`,
			`pods "p" is forbidden: no PriorityClass with name nope was found`},
		{"CREATE", "", `{"priority":7}`, "", `{"priority":7}`,
			`pods "p" is forbidden: the integer value of priority (7) must not be provided in pod spec; ` +
				`priority admission controller computed 0 from the given PriorityClass name`},
		{"CREATE", "", `{"preemptionPolicy":"Never"}`, "", `{"preemptionPolicy":"Never"}`,
			`pods "p" is forbidden: the string value of PreemptionPolicy (Never) must not be provided in pod spec; ` +
				`priority admission controller computed PreemptLowerPriority from the given PriorityClass name`},
		{"CREATE", "binding", `{}`, "", `{}`, ""},
		{"UPDATE", "", `{"priorityClassName":"nope"}`, `{"priority":3,"preemptionPolicy":"Never"}`,
			`{"priorityClassName":"nope","priority":3,"preemptionPolicy":"Never"}`, ""},
		{"UPDATE", "", `{"priority":4}`, `{"priority":3}`, `{"priority":4}`, ""},
		{"UPDATE", "status", `{}`, `{"priority":3}`, `{}`, ""},
	} {
		got, err := f.pod(c.operation, c.subresource, c.spec, c.old)
		message := ""
		if err != nil {
			message = err.Error()
		}
		want := object.GetMap(f.parse(f.Table.Resource("", "v1", "pods"), `{"spec":`+c.want+`}`), "spec")
		if message != c.err || !object.Equal(got, want) {
			t.Errorf("%s %s %s: %v, %q; want %s, %q", c.operation, c.subresource, c.spec, got, message, c.want, c.err)
		}
	}
}

// The default class is always the current one, whenever it was cached.
func TestDefaultPriorityClass(t *testing.T) {
	f := newFixture(t)
	expect := func(when string, want int64, class string) {
		t.Helper()
		spec, err := f.pod(admission.Create, "", `{}`, "")
		if got, _ := object.GetInt(spec, "priority"); err != nil || got != want ||
			object.GetString(spec, "priorityClassName") != class {
			t.Errorf("%s: %v, %v; want priority %d, class %q", when, spec, err, want, class)
		}
	}
	expect("before", 0, "")
	f.put("high", `{"metadata":{"name":"high"},"value":7,"globalDefault":true}`)
	expect("with", 7, "high")
	expect("again", 7, "high")
	f.put("high", `{"metadata":{"name":"high"},"value":7}`)
	expect("replaced", 0, "")
	f.put("other", `{"metadata":{"name":"other"},"value":9,"globalDefault":true}`)
	expect("other", 9, "other")
	f.put("another", `{"metadata":{"name":"another"},"value":10,"globalDefault":true}`)
	expect("the lowest of two", 9, "other")
	f.put("another", "")
	f.put("other", "")
	expect("deleted", 0, "")
}

// There is one default class at most.
func TestOneDefault(t *testing.T) {
	f := newFixture(t)
	const byDefault = `{"metadata":{"name":"b"},"value":1,"globalDefault":true}`
	const second = `priorityclasses.scheduling.k8s.io "b" is forbidden: PriorityClass a is already marked as default. ` +
		`Only one default can exist`
	check := func(operation, class, want string) {
		t.Helper()
		a := &admission.Attributes{Resource: f.classes, Name: "b", Operation: operation}
		if class != "" {
			a.Object = f.parse(f.classes, class)
		}
		message := ""
		if err := f.Validate(context.Background(), a); err != nil {
			message = err.Error()
		}
		if message != want {
			t.Errorf("%s of %s: %q, want %q", operation, class, message, want)
		}
	}
	check(admission.Create, byDefault, "")
	f.put("a", `{"metadata":{"name":"a"},"value":7,"globalDefault":true}`)
	check(admission.Create, byDefault, second)
	check(admission.Create, `{"metadata":{"name":"b"},"value":1}`, "")
	check(admission.Update, byDefault, second)
	check(admission.Delete, "", "")
	f.put("a", "")
	f.put("b", byDefault)
	check(admission.Update, byDefault, "")
}
