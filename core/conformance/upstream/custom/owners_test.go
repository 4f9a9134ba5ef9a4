package custom

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/internal/managedfields"
	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	upstream "k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// TestOwners compares which fields an apply owns, and which objects cannot be applied. There are no
// embedded objects: the real server adds their common fields elsewhere.
func TestOwners(t *testing.T) {
	g := gen{Rand: rand.New(rand.NewPCG(3, 1)), plain: true}
	kind := tree{"group": "stable.example.com", "version": "v1", "kind": "CronTab"}
	failed, applied := 0, 0
	for range rounds {
		s := g.root()
		their, ok := parse(t, s)
		if !ok {
			continue
		}
		model := their.structural.Unfold().ToKubeOpenAPI()
		for name, kind := range map[string]string{"metadata": "object", "apiVersion": "string", "kind": "string"} {
			model.SetProperty(name, *new(spec.Schema).Typed(kind, ""))
		}
		model.AddExtension("x-kubernetes-group-version-kind", []any{kind})
		converter, err := upstream.NewTypeConverter(map[string]*spec.Schema{"com.example.stable.v1.CronTab": model}, false)
		if err != nil {
			t.Fatal(err)
		}
		v, err := object.DecodeAny([]byte(text(s)))
		if err != nil {
			t.Fatal(err)
		}
		write := managedfields.Write{
			Resource: &schema.Resource{Group: "stable.example.com", Version: "v1", Kind: "CronTab",
				Custom: &schema.Custom{Schema: structural.Parse(v.(tree))}},
			Manager: "m", Now: time.Unix(0, 0),
		}
		for range 3 {
			obj := g.fields(s, 0)
			obj["apiVersion"], obj["kind"], obj["metadata"] = "stable.example.com/v1", "CronTab", tree{"name": "a"}
			our := ""
			if got, err := write.Apply(nil, object.DeepCopy(obj), false); err != nil {
				our = "refused"
			} else if list := object.GetList(got, "metadata", "managedFields"); len(list) > 0 {
				our = text(list[0].(tree)["fieldsV1"])
			}
			theirs := "refused"
			if typed, err := converter.ObjectToTyped(&unstructured.Unstructured{Object: obj}); err == nil {
				set, err := typed.ToFieldSet()
				if err != nil {
					t.Fatal(err)
				}
				theirs = ""
				left := set.Difference(fieldpath.NewSet(fieldpath.MakePathOrDie("apiVersion"), fieldpath.MakePathOrDie("kind"),
					fieldpath.MakePathOrDie("metadata"), fieldpath.MakePathOrDie("metadata", "name")))
				if !left.Empty() {
					b, err := left.ToJSON()
					if err != nil {
						t.Fatal(err)
					}
					v, err := object.DecodeAny(b)
					if err != nil {
						t.Fatal(err)
					}
					theirs = text(v)
				}
				applied++
			}
			if our != theirs {
				t.Errorf("%s\nby %s\nours   %s\ntheirs %s", text(obj), text(s), our, theirs)
				if failed++; failed > 5 {
					t.FailNow()
				}
			}
		}
	}
	if applied < rounds {
		t.Errorf("only %d objects could be applied", applied)
	}
}
