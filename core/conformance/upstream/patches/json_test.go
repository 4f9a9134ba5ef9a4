package patches

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	kjson "sigs.k8s.io/json"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/patch"
	"github.com/tabernetes/tabernetes/core/schema"
)

// A document comes from the API server's own encoder, so that its keys are unique and in Go's
// order.
func document(g gen) []byte {
	typ := types[g.IntN(len(types))]
	t := schema.TypeOf(typ.group, "v1", typ.kind)
	tree := g.Object(t, 0)
	text, _ := json.Marshal(tree)
	obj, _, err := object.Decode(text, t)
	if err != nil {
		panic(err)
	}
	return object.Encode(nil, obj, t)
}

// operations returns a JSON patch for a document.
func (g gen) operations(doc any) []any {
	ops := []any{}
	for range g.IntN(4) + 1 {
		op := map[string]any{
			"op":   []string{"add", "remove", "replace", "move", "copy", "test"}[g.IntN(6)],
			"path": g.pointer(doc),
		}
		switch op["op"] {
		case "move", "copy":
			op["from"] = g.pointer(doc)
		case "remove":
		default:
			op["value"] = g.anything()
			if g.OneIn(3) {
				op["value"] = at(doc, op["path"].(string))
			}
		}
		if g.OneIn(30) {
			op["op"] = g.anything()
		}
		if g.OneIn(30) {
			op["path"] = g.anything()
		}
		if g.OneIn(30) {
			delete(op, []string{"op", "path", "from", "value"}[g.IntN(4)])
		}
		if g.OneIn(30) {
			op["extra"] = g.anything()
		}
		ops = append(ops, op)
	}
	if g.OneIn(50) {
		ops = append(ops, g.anything())
	}
	return ops
}

// at returns the value at a path, for tests that succeed.
func at(doc any, path string) any {
	text, _ := json.Marshal(doc)
	p := fmt.Sprintf(`[{"op":"copy","from":%q,"path":"/copied"}]`, path)
	decoded, err := jsonpatch.DecodePatch([]byte(p))
	if err != nil {
		return nil
	}
	patched, err := decoded.Apply(text)
	if err != nil {
		return nil
	}
	var m map[string]any
	_ = json.Unmarshal(patched, &m)
	return m["copied"]
}

// broken returns a text with some of it cut out, or something entirely different.
func (g gen) broken(text []byte) []byte {
	if g.OneIn(2) {
		return []byte([]string{"", " ", "null", "[]", "{}", `"x"`, "1", "[null]", "[[]]", "{", "nul", "[1,]", "{}x",
			"true"}[g.IntN(14)])
	}
	from := g.IntN(len(text))
	return append(append([]byte{}, text[:from]...), text[min(len(text), from+1+g.IntN(4)):]...)
}

// verdict is the real server's result of a patch.
type verdict struct{ text, problems, err string }

// panicked is the verdict of code that panics: any result of ours is accepted.
var panicked = verdict{err: "it panicked"}

func ofServer(err error) string {
	var e *patch.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e) && e.Reason == patch.Rejected:
		return "rejected" // its text is not reported
	case errors.As(err, &e):
		return e.Message
	}
	return err.Error()
}

func TestJSON(t *testing.T) {
	both(t, newGen(1), verdictOf(patch.JSON), theirsJSON, func(g gen, doc []byte) any {
		var tree any
		_ = json.Unmarshal(doc, &tree)
		return g.operations(tree)
	})
}

// both patches documents in two ways, which must have the same result.
func both(
	t *testing.T, g gen, ours, theirs func(doc, change []byte, check bool) verdict, changeOf func(g gen, doc []byte) any,
) {
	failed, refused := 0, 0
	for range *rounds * 4 {
		doc := document(g)
		change, _ := json.Marshal(changeOf(g, doc))
		check := !g.OneIn(4)
		if g.OneIn(50) {
			change = g.broken(change)
		}
		got, want := ours(doc, change, check), theirs(doc, change, check)
		if want.err != "" {
			refused++
		}
		if got != want && want != panicked {
			t.Errorf("%s\npatched with\n%s\nis\n%+v\nwant\n%+v", doc, change, got, want)
			if failed++; failed == 5 {
				t.FailNow()
			}
		}
	}
	t.Logf("%d of %d patches were refused", refused, *rounds*4)
}

// verdictOf makes of a kind of patch what both compares.
func verdictOf(apply func(doc, change []byte, check bool) ([]byte, []string, error)) func(doc, change []byte,
	check bool) verdict {
	return func(doc, change []byte, check bool) verdict {
		text, problems, err := apply(doc, change, check)
		if err != nil {
			return verdict{err: ofServer(err)}
		}
		return verdict{string(text), fmt.Sprint(problems), ""}
	}
}

func theirsJSON(doc, ops []byte, check bool) (v verdict) {
	defer func() {
		if p := recover(); p != nil {
			v = panicked
		}
	}()
	var strict []error
	if check {
		var read []jsonPatchOp
		var err error
		if strict, err = kjson.UnmarshalStrict(ops, &read); err != nil {
			return verdict{err: strings.ReplaceAll(fmt.Sprintf("error decoding patch: %v", err), "patches.", "handlers.")}
		}
		for i, e := range strict {
			strict[i] = fmt.Errorf("json patch %w", e)
		}
	}
	decoded, err := jsonpatch.DecodePatch(ops)
	if err != nil {
		return verdict{err: err.Error()}
	}
	text, err := decoded.Apply(doc)
	if err != nil {
		return verdict{err: "rejected"}
	}
	return verdict{string(text), fmt.Sprint(strict), ""}
}

// jsonPatchOp is as the real server reads operations.
type jsonPatchOp struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	From  string `json:"from"`
	Value any    `json:"value"`
}

func TestMerge(t *testing.T) {
	both(t, newGen(2), verdictOf(patch.Merge), theirsMerge, func(g gen, _ []byte) any {
		typ := types[g.IntN(len(types))]
		change := g.patch(schema.TypeOf(typ.group, "v1", typ.kind), 0, 12)
		if g.OneIn(20) {
			return g.anything()
		}
		return change
	})
}

func theirsMerge(doc, change []byte, check bool) (v verdict) {
	defer func() {
		if p := recover(); p != nil {
			v = panicked
		}
	}()
	var strict []error
	if check {
		m := map[string]any{}
		var err error
		if strict, err = kjson.UnmarshalStrict(change, &m); err != nil {
			return verdict{err: fmt.Sprintf("error decoding patch: %v", err)}
		}
	}
	text, err := jsonpatch.MergePatch(doc, change)
	if err != nil {
		return verdict{err: err.Error()}
	}
	return verdict{string(text), fmt.Sprint(strict), ""}
}
