package custom

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/object"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utilfield "k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/cel/common"
)

// rounds is how many schemas are tried, each with some objects.
const rounds = 3000

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// theirs is a schema in the types of the real server.
type theirs struct {
	structural *schema.Structural
	validator  validation.SchemaValidator
}

func parse(t *testing.T, s tree) (theirs, bool) {
	var in v1.JSONSchemaProps
	if err := json.Unmarshal([]byte(text(s)), &in); err != nil {
		t.Fatal(err)
	}
	var props apiextensions.JSONSchemaProps
	if err := v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&in, &props, nil); err != nil {
		t.Fatal(err)
	}
	ss, err := schema.NewStructural(&props)
	if err != nil || len(schema.ValidateStructural(nil, ss)) > 0 {
		return theirs{}, false
	}
	validator, _, err := validation.NewSchemaValidator(&props)
	if err != nil {
		t.Fatal(err)
	}
	return theirs{ss, validator}, true
}

func messages(errs utilfield.ErrorList) []string {
	var all []string
	for _, e := range errs {
		all = append(all, string(e.Type)+" "+e.Error())
	}
	slices.Sort(all)
	return all
}

func ours(errs field.ErrorList) []string {
	var all []string
	for _, e := range errs {
		all = append(all, string(e.Type)+" "+e.Error())
	}
	slices.Sort(all)
	return all
}

// TestValues compares pruning, defaulting and validation.
func TestValues(t *testing.T) {
	g := gen{Rand: rand.New(rand.NewPCG(1, 6))}
	skipped, failed := 0, 0
	for range rounds {
		s := g.root()
		their, ok := parse(t, s)
		if !ok {
			skipped++
			continue
		}
		written, err := object.DecodeAny([]byte(text(s)))
		if err != nil {
			t.Fatal(err)
		}
		our := structural.Parse(written.(tree))
		was := g.fields(s, 0)
		for range 4 {
			obj := g.fields(s, 0)
			differ := func(what string, a, b any) {
				if x, y := text(a), text(b); x != y {
					t.Errorf("%s of %s\nby %s\nours   %s\ntheirs %s", what, text(obj), text(s), x, y)
					failed++
				}
			}
			a, b := object.DeepCopy(obj), object.DeepCopy(obj)
			paths := structural.Prune(a, our)
			theirPaths := pruning.PruneWithOptions(b, their.structural, true,
				schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
			defaulting.PruneNonNullableNullsWithoutDefaults(b, their.structural)
			differ("pruned", a, b)
			differ("dropped", append([]string{}, paths...), append([]string{}, slices.Compact(theirPaths)...))

			a, b = object.DeepCopy(obj), object.DeepCopy(obj)
			structural.Default(a, our)
			defaulting.Default(b, their.structural)
			differ("defaulted", a, b)

			differ("errors", ours(structural.Validate(obj, our, "")),
				messages(validation.ValidateCustomResource(nil, obj, their.validator)))
			correlated := common.NewCorrelatedObject(obj, was, &model.Structural{Structural: their.structural})
			differ("errors of update", ours(structural.ValidateUpdate(obj, was, our, "")),
				messages(validation.ValidateCustomResourceUpdate(nil, obj, was, their.validator,
					validation.WithRatcheting(correlated))))
			differ("doubles", ours(structural.ValidateLists(obj, our)),
				messages(listtype.ValidateListSetsAndMaps(nil, their.structural, obj)))
			was = obj
			if failed > 20 {
				t.FailNow()
			}
		}
	}
	if skipped > rounds/2 {
		t.Errorf("%d of %d schemas were not structural", skipped, rounds)
	}
}
