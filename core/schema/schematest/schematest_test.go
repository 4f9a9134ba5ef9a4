package schematest_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/schema/schematest"
)

// TestObject makes many objects and checks what they must not have, and what some must have.
func TestObject(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(300) {
		object := func(doubles int) map[string]any {
			return schematest.Generator{
				Rand: rand.New(rand.NewPCG(seed, 1)), Doubles: doubles, DoubleValues: doubles > 0,
				Without: func(f *schema.Field, depth int) bool { return f.Name == "status" && depth == 0 },
			}.Object(schema.TypeOf("", "v1", "Pod"), 0)
		}
		one := object(0)
		text, err := json.Marshal(one)
		if again, _ := json.Marshal(object(0)); err != nil || string(again) != string(text) {
			t.Fatalf("%v %s\n%s", err, text, again)
		}
		if one["status"] != nil {
			t.Fatalf("the status is there: %s", text)
		}
		if doubled(one) {
			t.Fatalf("two containers of one name: %s", text)
		}
		seen["doubles"] = seen["doubles"] || doubled(object(1))
		for _, field := range []string{`"containers":[{`, `"labels":{"`, `"livenessProbe":{`, `"hostPort":`} {
			seen[field] = seen[field] || strings.Contains(string(text), field)
		}
	}
	for what, was := range seen {
		if !was {
			t.Errorf("no object has %s", what)
		}
	}
}

// doubled reports whether two containers of a pod have the same name.
func doubled(pod map[string]any) bool {
	spec, _ := pod["spec"].(map[string]any)
	list, _ := spec["containers"].([]any)
	names := map[any]bool{}
	for _, c := range list {
		names[c.(map[string]any)["name"]] = true
	}
	return len(names) < len(list)
}
