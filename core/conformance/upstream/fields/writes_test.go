package fields

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/tabernetes/tabernetes/core/internal/managedfields"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/schema/schematest"
	"github.com/tabernetes/tabernetes/core/status"
)

var (
	rounds = flag.Int("rounds", 15, "how many objects to write of each kind")
	seed   = flag.Uint64("seed", 1, "where chance begins")
)

// writes is how often each object is written.
const writes = 14

// start is long ago, so that times set by the real code, which uses the current time, can be
// distinguished from those that it was given.
var start = time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)

func without(paths ...fieldpath.Path) fieldpath.Filter {
	return fieldpath.NewExcludeSetFilter(fieldpath.NewSet(paths...))
}

var (
	specPath, statusPath = fieldpath.MakePathOrDie("spec"), fieldpath.MakePathOrDie("status")
	ofMain               = without(statusPath)
	ofStatus             = without(specPath)
)

var resources = []struct {
	group, plural string
	resets        map[string]fieldpath.Filter
}{
	{"", "pods", map[string]fieldpath.Filter{"": ofMain, "status": without(specPath,
		fieldpath.MakePathOrDie("metadata", "deletionTimestamp"), fieldpath.MakePathOrDie("metadata", "ownerReferences"))}},
	{"", "services", map[string]fieldpath.Filter{"": ofMain, "status": ofStatus}},
	{"", "configmaps", map[string]fieldpath.Filter{"": nil}},
	{"", "secrets", map[string]fieldpath.Filter{"": nil}},
	{"", "nodes", map[string]fieldpath.Filter{"": ofMain, "status": ofStatus}},
	{"", "serviceaccounts", map[string]fieldpath.Filter{"": nil}},
	{"", "persistentvolumeclaims", map[string]fieldpath.Filter{"": ofMain, "status": ofStatus}},
	{"apps", "deployments", map[string]fieldpath.Filter{"": ofMain,
		"status": without(specPath, fieldpath.MakePathOrDie("metadata", "labels"))}},
	{"apps", "statefulsets", map[string]fieldpath.Filter{"": ofMain, "status": ofStatus}},
	{"batch", "cronjobs", map[string]fieldpath.Filter{"": ofMain, "status": ofStatus}},
	{"networking.k8s.io", "ingresses", map[string]fieldpath.Filter{"": ofMain, "status": ofStatus}},
	{"networking.k8s.io", "networkpolicies", map[string]fieldpath.Filter{"": nil}},
	{"rbac.authorization.k8s.io", "clusterroles", map[string]fieldpath.Filter{"": nil}},
	{"discovery.k8s.io", "endpointslices", map[string]fieldpath.Filter{"": nil}},
	{"admissionregistration.k8s.io", "validatingwebhookconfigurations", map[string]fieldpath.Filter{"": nil}},
}

// TestWrites sends random updates and applies of several managers through both
// and compares what is left: the object, its entries and the errors.
func TestWrites(t *testing.T) {
	for _, res := range resources {
		t.Run(res.plural, func(t *testing.T) {
			row := schema.Builtin().Resource(res.group, "v1", res.plural)
			theirs := newReal(t, row, res.resets)
			c := map[string]int{}
			for round := range *rounds {
				theirs.live = nil
				s := session{t: t, row: row, real: theirs, gen: newGen(*seed, uint64(round), round%3 == 2),
					large: round%10 == 4, counts: c}
				for sub := range res.resets {
					if sub != "" {
						s.sub = sub
					}
				}
				for step := range writes {
					s.now = start.Add(time.Duration(step) * time.Second)
					s.write()
				}
			}
			t.Log(c)
			if c["update"] == 0 || c["apply"] == 0 || c["conflict"] == 0 {
				t.Error("too little has happened")
			}
		})
	}
}

// session is the life of one object.
type session struct {
	t *testing.T
	gen
	row    *schema.Resource
	large  bool   // objects have a large map
	sub    string // the subresource that may be written, if any
	real   *real
	live   map[string]any
	now    time.Time
	log    []string
	counts map[string]int
}

// random returns fields of an object.
func (s *session) random() map[string]any {
	obj := s.Object(s.row.Type(), 0)
	if s.large {
		for i := range 1000 {
			object.SetNested(obj, "v", "metadata", "annotations", fmt.Sprint("n", i))
		}
	}
	return obj
}

func (s *session) write() {
	w := managedfields.Write{Resource: s.row, Manager: []string{"a", "b", "c", "kubectl", ""}[s.IntN(5)], Now: s.now}
	if s.OneIn(4) {
		w.Manager = fmt.Sprint("m", s.IntN(16))
	}
	if s.live != nil && s.OneIn(4) {
		w.Subresource = s.sub
	}
	was := object.DeepCopy(s.live)
	if s.OneIn(2) {
		s.apply(w)
	} else {
		s.update(w)
	}
	if !reflect.DeepEqual(was, s.live) && s.live != nil && was == nil {
		// The server sets the fields that an object needs.
		s.identify()
	}
}

// identify sets a uid on both objects, by which the real code tells updates from creates.
func (s *session) identify() {
	object.Meta(s.live)["uid"] = "u"
	access := s.real.live.(metav1.Object)
	access.SetUID("u")
}

func (s *session) update(w managedfields.Write) {
	tree := map[string]any{"metadata": map[string]any{"name": "x"}}
	if s.live != nil {
		tree = object.DeepCopy(s.live)
	}
	s.mix(tree, s.random())
	object.SetTypeMeta(tree, s.row.APIVersion(), s.row.Kind)
	meta := object.Meta(tree)
	meta["name"] = "x"
	if s.live != nil {
		meta["uid"] = "u"
	}
	switch s.IntN(14) {
	case 0:
		delete(meta, "managedFields")
	case 1:
		meta["managedFields"] = []any{map[string]any{}}
	case 2:
		meta["managedFields"] = []any{map[string]any{"manager": "z", "operation": "Nothing", "apiVersion": "v1"}}
	case 3:
		meta["managedFields"] = []any{map[string]any{"manager": "z", "operation": "Update", "apiVersion": "gone/v1",
			"fieldsType": "FieldsV1",
			"fieldsV1":   object.RawJSON(`{"f:metadata":{"f:labels":{"f:a":{}}}}`)}}
	case 4:
		meta["managedFields"] = []any{}
	}
	obj, _, err := object.Normalize(tree, s.row.Type())
	if err != nil {
		s.t.Fatal(err)
	}
	if l, ok := meta["managedFields"].([]any); ok && len(l) == 0 {
		object.Meta(obj)["managedFields"] = l
	}
	text, err := json.Marshal(obj)
	if err != nil {
		s.t.Fatal(err)
	}
	s.counts["update"]++
	s.note("update by %q %s: %s", w.Manager, w.Subresource, text)
	s.real.update(text, w.Subresource, w.Manager)
	before := object.DeepCopy(s.live)
	w.Update(s.live, obj)
	if !reflect.DeepEqual(before, s.live) {
		s.fail("the live object was changed")
	}
	s.live = obj
	s.compare()
}

func (s *session) apply(w managedfields.Write) {
	config := s.random()
	object.SetTypeMeta(config, s.row.APIVersion(), s.row.Kind)
	object.Meta(config)["name"] = "x"
	if s.DoubleValues && s.OneIn(8) {
		s.spoil(config)
	}
	if w.Manager == "kubectl" && s.OneIn(2) {
		s.annotate(config)
	}
	force := s.OneIn(3)
	text, err := json.Marshal(config)
	if err != nil {
		s.t.Fatal(err)
	}
	s.counts["apply"]++
	s.note("apply by %q %s, force %v: %s", w.Manager, w.Subresource, force, text)
	want := s.real.apply(text, w.Subresource, w.Manager, force)
	before, given := object.DeepCopy(s.live), object.DeepCopy(config)
	obj, got := w.Apply(s.live, config, force)
	if !reflect.DeepEqual(before, s.live) || !reflect.DeepEqual(given, config) {
		s.fail("what was given has changed")
	}
	if got == nil {
		s.live = obj
	} else if strings.Contains(got.Error(), "conflict") {
		s.counts["conflict"]++
	} else {
		s.counts["error"]++
	}
	s.compareErrors(got, want)
	s.compare()
}

// spoil puts a value into a configuration that does not match its type, or makes it no configuration.
func (s *session) spoil(config map[string]any) {
	for _, k := range schematest.Keys(config) {
		v := config[k]
		if m, ok := v.(map[string]any); ok && s.OneIn(2) {
			s.spoil(m)
			return
		}
		if k != "apiVersion" && k != "kind" && k != "name" && s.OneIn(2) {
			config[k] = []any{nil, "x", int64(1), []any{}, map[string]any{}, true, []any{nil}}[s.IntN(7)]
			return
		}
	}
	if s.OneIn(3) {
		config["unknown"] = "x"
	}
}

// annotate makes kubectl's annotation from another configuration, or from this one.
func (s *session) annotate(config map[string]any) {
	last := object.DeepCopy(config)
	if s.OneIn(2) {
		last = s.Object(s.row.Type(), 0)
		object.SetTypeMeta(last, s.row.APIVersion(), s.row.Kind)
		object.Meta(last)["name"] = "x"
	}
	text, _ := json.Marshal(last)
	object.SetNested(config, string(text), "metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration")
}

func (s *session) note(format string, args ...any) {
	s.log = append(s.log, fmt.Sprintf(format, args...))
}

func (s *session) fail(format string, args ...any) {
	s.t.Helper()
	s.t.Fatalf("%s\n\nafter\n%s", fmt.Sprintf(format, args...), strings.Join(s.log, "\n"))
}

func (s *session) compareErrors(got, want error) {
	if got == nil && want == nil {
		return
	}
	if got == nil || want == nil {
		s.fail("error %v, want %v", got, want)
	}
	var real apierrors.APIStatus
	var ours *status.Error
	if errors.As(want, &real) != errors.As(got, &ours) {
		s.fail("error %#v, want %#v", got, want)
	}
	if got.Error() != want.Error() && !similar(got.Error(), want.Error()) {
		s.fail("error\n%v, want\n%v", got, want)
	}
	if ours == nil {
		return
	}
	a, _ := json.Marshal(ours.Status)
	b, _ := json.Marshal(real.Status())
	if x, y := clean(a), clean(b); !reflect.DeepEqual(x, y) {
		s.fail("status\n%s, want\n%s", a, b)
	}
}

// similar compares error texts about values that do not match a schema. The real code ranges over a
// Go map and stops at an unknown field, so which errors it finds, and their order, is random.
func similar(a, b string) bool {
	one, others, ok := strings.Cut(a, "): ")
	two, rest, also := strings.Cut(b, "): ")
	if !ok || !also || one != two {
		return false
	}
	for l := range strings.Lines(others) {
		if l = strings.TrimSpace(l); l != "errors:" && strings.Contains(rest, l) {
			return true
		}
	}
	return strings.Contains(others, "not declared in schema") && strings.Contains(rest, "not declared in schema")
}

// clean returns a Status without what is the same in all. Its causes are sorted, since the real
// ones are in the order of a Go map.
func clean(text []byte) any {
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		panic(err)
	}
	for _, name := range []string{"kind", "apiVersion", "metadata"} {
		delete(m, name)
	}
	if causes, ok := object.Get(m, "details", "causes"); ok {
		l := causes.([]any)
		slices.SortFunc(l, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	}
	return m
}

// compare compares the objects of both sides.
func (s *session) compare() {
	s.t.Helper()
	s.real.store(metav1.NewTime(s.now))
	if s.live == nil {
		if s.real.live != nil {
			s.fail("no object, want one")
		}
		return
	}
	var got any
	if err := json.Unmarshal(object.Encode(nil, s.live, s.row.Type()), &got); err != nil {
		s.t.Fatal(err)
	}
	want := s.real.tree()
	if !reflect.DeepEqual(got, want) {
		s.fail("objects differ (- want, + got):\n%s", cmp.Diff(want, got))
	}
}
