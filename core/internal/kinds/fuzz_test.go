package kinds_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/internal/kinds"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// Strategies take any object that its schema allows: none panics, defaults do not change when they
// are applied again, and the old object is never changed.
func FuzzStrategies(f *testing.F) {
	var stored []*schema.Resource
	for _, res := range schema.Builtin().Resources() {
		if !res.Virtual {
			stored = append(stored, res)
		}
	}
	text, err := os.ReadFile("testdata/recorded.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	p := newPlay(nil, "fuzz")
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c conversation
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			f.Fatal(err)
		}
		var last []byte
		for _, s := range c.Steps {
			t, ok := p.target(p.expand(s.Request.Path))
			if !ok || s.Request.Method == "PATCH" || s.Request.Body == nil {
				continue
			}
			for i, res := range stored {
				if res == t.res {
					f.Add(byte(i), []byte(s.Request.Body), last)
				}
			}
			last = s.Request.Body
		}
	}
	f.Fuzz(func(t *testing.T, which byte, body, before []byte) {
		res := stored[int(which)%len(stored)]
		strat := kinds.For(res.Group, res.Kind)
		pools := newAllocations(zeros{})
		c := &strategy.Context{
			Now: func() time.Time { return time.Unix(0, 0) }, NewUID: func() string { return "uid" },
			ClusterIPs: pools.ClusterIPs, NodePorts: pools.NodePorts,
		}
		decode := func(text []byte) map[string]any {
			obj, _, err := object.Decode(text, res.Type())
			if err != nil || obj == nil {
				return nil
			}
			return obj
		}
		obj := decode(body)
		if obj == nil {
			return
		}
		if strat.Default != nil {
			strat.Default(obj)
			once := object.DeepCopy(obj)
			if strat.Default(obj); !object.Equal(once, obj) {
				t.Errorf("%s: the second time changes what the first filled in:\n%s", res.Kind, difference("", once, obj))
			}
		}
		refused := len(createAll(strat, c, res, obj)) > 0
		if !refused {
			if undo, errs := strat.Alloc(c, obj, nil); len(errs) == 0 {
				undo()
			}
			if raw := object.Encode(nil, obj, res.Type()); decode(raw) == nil {
				t.Errorf("%s: what the strategy made cannot be read: %s", res.Kind, raw)
			}
		}
		if old := decode(before); old != nil && len(createAll(strat, c, res, old)) == 0 {
			kept := object.DeepCopy(old)
			updateAll(strat, c, res, "", obj, old)
			updateAll(strat, c, res, "status", obj, old)
			if !object.Equal(kept, old) {
				t.Errorf("%s: the old object was changed:\n%s", res.Kind, difference("", kept, old))
			}
		}
	})
}
