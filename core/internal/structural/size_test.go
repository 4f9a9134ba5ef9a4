package structural

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/apitest"
)

func parsed(t *testing.T, text string) (tree map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &tree); err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestOversized(t *testing.T) {
	nested := func(open, end string, levels int) string {
		return strings.Repeat(open, levels-1) + `{}` + strings.Repeat(end, levels-1)
	}
	for _, form := range []struct{ open, end string }{
		{`{"properties":{"a":`, `}}`}, {`{"items":`, `}`}, {`{"additionalProperties":`, `}`}, {`{"not":`, `}`},
		{`{"allOf":[`, `]}`}, {`{"anyOf":[{},`, `]}`}, {`{"oneOf":[`, `,{}]}`},
	} {
		for levels, want := range map[int]string{
			MaxDepth: "", MaxDepth + 1: "must have at most 64 levels of schemas within schemas",
		} {
			tree := parsed(t, nested(form.open, form.end, levels))
			if got := Oversized(tree); got != want {
				t.Errorf("%s: %d levels: %q", form.open, levels, got)
			}
			if s := Parse(tree); want != "" && s.depth() > MaxDepth+1 {
				t.Errorf("%s: %d levels are parsed", form.open, s.depth())
			}
		}
	}
	many := make([]string, MaxMemory/memoryOfSchema)
	for i := range many {
		many[i] = fmt.Sprintf(`"%d":{}`, i)
	}
	tree := parsed(t, `{"properties":{`+strings.Join(many, ",")+`}}`)
	if got := Oversized(tree); got != "must be smaller: in use it would take more than 32 MiB of memory" {
		t.Errorf("many: %q", got)
	}
	beyondIt := 0
	for _, p := range Parse(tree).Properties {
		if p == beyond {
			beyondIt++
		}
	}
	if beyondIt == 0 || beyondIt > len(many)/10 {
		t.Errorf("%d of %d are beyond the limit", beyondIt, len(many))
	}
}

func (s *Schema) depth() int {
	deepest := 0
	if s != nil {
		for _, part := range s.parts() {
			deepest = max(deepest, part.depth())
		}
		deepest++
	}
	return deepest
}

// TestMemory compares the estimate with what parsed schemas take, with their trees: it has to be enough, also for
// what is made of a schema later.
func TestMemory(t *testing.T) {
	list := func(n int, item string) string {
		all := make([]string, n)
		for i := range all {
			all[i] = fmt.Sprintf(item, i)
		}
		return strings.Join(all, ",")
	}
	for name, text := range map[string]string{
		"scalars": `{"properties":{` + list(5000, `"f%d":{"type":"string"}`) + `}}`,
		"objects": `{"properties":{` + list(3000, `"f%d":{"type":"object","properties":{"a":{"type":"string"}}}`) + `}}`,
		"lists":   `{"properties":{` + list(3000, `"f%d":{"type":"array","items":{"type":"string"}}`) + `}}`,
		"nothing": `{"properties":{` + list(5000, `"f%d":{}`) + `}}`,
		"all of":  `{"allOf":[` + list(5000, `{"minLength":%d}`) + `]}`,
		"numbers": `{"enum":[` + list(50_000, `%d`) + `]}`,
		"texts":   `{"enum":[` + list(50_000, `"%d"`) + `]}`,
		"default": `{"default":[` + list(50_000, `{"%d":[]}`) + `]}`,
		"names":   `{"required":[` + list(50_000, `"%d"`) + `]}`,
	} {
		start := apitest.InUse()
		tree := parsed(t, text)
		s := Parse(tree)
		took, estimate := apitest.InUse()-start, Memory(tree)
		if took > estimate || estimate > 8*took {
			t.Errorf("%s: %d KB, estimated as %d KB", name, took>>10, estimate>>10)
		}
		runtime.KeepAlive(s)
	}
}

// FuzzFieldPath parses paths; those that are found in a schema are found as they are written.
func FuzzFieldPath(f *testing.F) {
	for _, path := range []string{".a", ".a.b", ".a['b.c']", "['a']", "a", ".", "..",
		"[", "['a", `['a\'b']`, ".a[0]", "", "[']"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		s := Parse(parsed(t, `{"properties":{"a":{"properties":{"b":{},"b.c":{}}},"x":{"additionalProperties":{}}}}`))
		for _, brackets := range []bool{false, true} {
			at, found, err := FieldPath(path, s, brackets)
			if err == nil && (found == nil || path != "" && at == "") {
				t.Errorf("%q: %v at %q", path, found, at)
			}
		}
	})
}
