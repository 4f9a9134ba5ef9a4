package fields

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/kube-openapi/pkg/schemaconv"
	"k8s.io/kube-openapi/pkg/validation/spec"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"

	"github.com/tabernetes/tabernetes/core/internal/managedfields"
	"github.com/tabernetes/tabernetes/core/schema"
)

const release = "v1.36.3"

// models are the definitions of all served group versions, as a server of the release publishes
// them.
var models = sync.OnceValues(func() (map[string]*spec.Schema, error) {
	cmd := exec.Command("go", "mod", "download", "-json", "k8s.io/kubernetes@"+release)
	cmd.Dir, cmd.Env = os.TempDir(), append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	var module struct{ Dir, Error string }
	if err := json.Unmarshal(out, &module); err != nil || module.Error != "" {
		return nil, errors.Join(err, errors.New(module.Error))
	}
	files, err := filepath.Glob(filepath.Join(module.Dir, "api/openapi-spec/v3/*_openapi.json"))
	if err != nil || len(files) == 0 {
		return nil, errors.Join(err, errors.New("no OpenAPI documents in "+module.Dir))
	}
	all := map[string]*spec.Schema{}
	for _, file := range files {
		var document struct {
			Components struct{ Schemas map[string]*spec.Schema }
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &document); err != nil {
			return nil, err
		}
		for name, model := range document.Components.Schemas {
			all[name] = model
		}
	}
	return all, nil
})

func realModels(t testing.TB) map[string]*spec.Schema {
	t.Helper()
	m, err := models()
	if err != nil {
		t.Skip("the sources of Kubernetes are out of reach: ", err)
	}
	return m
}

// TestSchema walks both schemas of each served kind side by side.
func TestSchema(t *testing.T) {
	real, err := schemaconv.ToSchemaFromOpenAPI(realModels(t), false)
	if err != nil {
		t.Fatal(err)
	}
	d := differ{real: real, seen: map[string]bool{}, reported: map[string]bool{}, t: t}
	kinds := 0
	for _, r := range schema.Builtin().Resources() {
		known := r.Type()
		if known == nil {
			t.Errorf("%s has no type", r.GroupResource())
			continue
		}
		d.ours = managedfields.Parser(known).Schema
		clear(d.seen)
		d.ref(known.Name, managedfields.Parser(known).TypeRef, smd.TypeRef{NamedType: &known.Name})
		kinds++
	}
	if kinds < 60 {
		t.Errorf("only %d kinds were compared", kinds)
	}
}

type differ struct {
	ours, real     *smd.Schema
	seen, reported map[string]bool
	t              *testing.T
}

func (d *differ) report(path, format string, args ...any) {
	if text := path + ": " + fmt.Sprintf(format, args...); !d.reported[text] {
		d.reported[text] = true
		d.t.Error(text)
	}
}

// ref compares the types that two references resolve to.
func (d *differ) ref(path string, ours, real smd.TypeRef) {
	if a, b := nameOf(ours), nameOf(real); a != "" && b != "" {
		key := strings.Join([]string{a, relation(ours), b, relation(real)}, "|")
		if d.seen[key] {
			return
		}
		d.seen[key] = true
		if a == b {
			path = a // each type is reported once
		}
	}
	a, okA := d.ours.Resolve(ours)
	b, okB := d.real.Resolve(real)
	if !okA || !okB {
		if okA != okB || reflect.ValueOf(ours).IsZero() != reflect.ValueOf(real).IsZero() {
			d.report(path, "found %v, want %v", okA, okB)
		}
		return
	}
	if (a.Scalar == nil) != (b.Scalar == nil) || a.Scalar != nil && *a.Scalar != *b.Scalar {
		d.report(path, "scalar %s, want %s", text(a.Scalar), text(b.Scalar))
	}
	if (a.List == nil) != (b.List == nil) || (a.Map == nil) != (b.Map == nil) {
		d.report(path, "list %v map %v, want list %v map %v", a.List != nil, a.Map != nil, b.List != nil, b.Map != nil)
		return
	}
	if a.List != nil {
		if a.List.ElementRelationship != b.List.ElementRelationship || !slices.Equal(a.List.Keys, b.List.Keys) {
			d.report(path, "list %s %q, want %s %q", a.List.ElementRelationship, a.List.Keys, b.List.ElementRelationship,
				b.List.Keys)
		}
		d.ref(path+"[]", a.List.ElementType, b.List.ElementType)
	}
	if a.Map != nil {
		d.mapping(path, a.Map, b.Map)
	}
}

func (d *differ) mapping(path string, a, b *smd.Map) {
	if x, y := separable(a.ElementRelationship), separable(b.ElementRelationship); x != y {
		d.report(path, "map %s, want %s", x, y)
	}
	keys := d.keysOf(path)
	for _, f := range b.Fields {
		own, ok := a.FindField(f.Name)
		if !ok {
			d.report(path, "no field %s", f.Name)
			continue
		}
		// Defaults count for the keys of lists only.
		if keys[f.Name] && !sameDefault(own.Default, f.Default) {
			d.report(path+"."+f.Name, "default %#v, want %#v", own.Default, f.Default)
		}
		d.ref(path+"."+f.Name, own.Type, f.Type)
	}
	for _, f := range a.Fields {
		if _, ok := b.FindField(f.Name); !ok {
			d.report(path, "field %s is none", f.Name)
		}
	}
	d.ref(path+"{}", a.ElementType, b.ElementType)
}

// keysOf returns the fields of a type that are keys of some list of it.
func (d *differ) keysOf(name string) map[string]bool {
	keys := map[string]bool{}
	for _, t := range d.real.Types {
		if t.Map == nil {
			continue
		}
		for _, f := range t.Map.Fields {
			if l := f.Type.Inlined.List; l != nil && l.ElementType.NamedType != nil && *l.ElementType.NamedType == name {
				for _, k := range l.Keys {
					keys[k] = true
				}
			}
		}
	}
	return keys
}

func nameOf(r smd.TypeRef) string {
	if r.NamedType == nil {
		return ""
	}
	return *r.NamedType
}

func relation(r smd.TypeRef) string {
	if r.ElementRelationship == nil {
		return ""
	}
	return string(*r.ElementRelationship)
}

// separable returns the default of relationship.
func separable(r smd.ElementRelationship) smd.ElementRelationship {
	if r == "" {
		return smd.Separable
	}
	return r
}

func text(s *smd.Scalar) string {
	if s == nil {
		return "none"
	}
	return string(*s)
}

// sameDefault compares defaults as keys: numbers as numbers.
func sameDefault(a, b any) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return reflect.DeepEqual(a, b) || strings.EqualFold(string(x), string(y))
}
