package custom

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/internal/kinds"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
)

// decoded returns an object with its defaults.
func decoded(t *testing.T, res *schema.Resource, written string) map[string]any {
	obj, _, err := object.Decode([]byte(written), res.Type())
	if err != nil {
		t.Fatal(err)
	}
	kinds.Of(res).Fill(obj)
	return obj
}

// internal returns a definition in the internal version.
func internal(t *testing.T, written string) *apiextensions.CustomResourceDefinition {
	var in v1.CustomResourceDefinition
	if err := json.Unmarshal([]byte(written), &in); err != nil {
		t.Fatal(err)
	}
	v1.SetObjectDefaults_CustomResourceDefinition(&in)
	var crd apiextensions.CustomResourceDefinition
	if err := v1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(&in, &crd,
		nil); err != nil {
		t.Fatal(err)
	}
	return &crd
}

// TestUpdates compares the errors of updates of definitions.
func TestUpdates(t *testing.T) {
	g := gen{Rand: rand.New(rand.NewPCG(4, 1))}
	res := schema.Builtin().Resource("apiextensions.k8s.io", "v1", "customresourcedefinitions")
	failed, tried := 0, 0
	for range rounds * 4 {
		first := g.definition()
		crd := internal(t, text(first))
		if all, ok := theirMessages(crd); !ok || len(all) > 0 {
			continue
		}
		old := text(first)
		status := tree{"storedVersions": crd.Status.StoredVersions,
			"acceptedNames": tree{"plural": "crontabs", "kind": "CronTab"}, "conditions": []any{}}
		if g.oneIn(2) {
			status["conditions"] = []any{tree{"type": "Established", "status": "True", "reason": "r", "message": "m",
				"lastTransitionTime": "2020-01-02T03:04:05Z"}}
		}
		first["status"] = status
		old = text(first)
		next := g.definition()
		next["status"] = status
		changed := text(next)

		obj, was := decoded(t, res, changed), decoded(t, res, old)
		object.Meta(obj)["resourceVersion"], object.Meta(was)["resourceVersion"] = "1", "1"
		our := specOnly(ours(kinds.Of(res).Update(&strategy.Context{Now: time.Now}, res, obj, was)))
		their, ok := func() (all []string, ok bool) {
			defer func() { ok = recover() == nil }()
			is, before := internal(t, changed), internal(t, old)
			strategy := customresourcedefinition.NewStrategy(nil)
			strategy.PrepareForUpdate(context.Background(), is, before)
			return specOnly(messages(strategy.ValidateUpdate(context.Background(), is, before))), true
		}()
		if !ok {
			continue
		}
		tried++
		if text(our) != text(their) {
			t.Errorf("of %s\nafter %s\nonly ours   %.300q\nonly theirs %.300q", changed, old, without(our, their),
				without(their, our))
			if failed++; failed > 5 {
				t.FailNow()
			}
		}
	}
	if tried < rounds/20 {
		t.Errorf("only %d updates were tried", tried)
	}
}

// specOnly drops the errors about metadata, which the real server checks at two places.
func specOnly(all []string) (rest []string) {
	for _, e := range all {
		if !strings.Contains(e, " metadata.") || strings.Contains(e, "api-approved") {
			rest = append(rest, e)
		}
	}
	return rest
}
