//go:build unix

package costs

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/clock"
)

// TestJSONPatchCosts makes patches of as many operations as are allowed, of an object with as many finalizers and
// labels. # is the number of the operation.
func TestJSONPatchCosts(t *testing.T) {
	for name, op := range map[string]string{
		"insert first": `{"op":"add","path":"/metadata/finalizers/0","value":"a.b/x#"}`,
		"append":       `{"op":"add","path":"/metadata/finalizers/-","value":"a.b/x#"}`,
		"remove first": `{"op":"remove","path":"/metadata/finalizers/0"}`,
		"replace":      `{"op":"replace","path":"/metadata/labels/k#","value":"w"}`,
		"move":         `{"op":"move","from":"/metadata/finalizers/0","path":"/metadata/finalizers/-"}`,
		"test":         `{"op":"test","path":"/metadata/labels/k#","value":"v"}`,
		"remove keys":  `{"op":"remove","path":"/metadata/labels/k#"}`,
	} {
		t.Run(name, func(t *testing.T) {
			once := func(n int) cost {
				c, err := core.New(core.Options{Clock: clock.NewManual(apitest.Start), Rand: apitest.Randomness()})
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				ops, keys, values := make([]string, n), make([]string, n), make([]string, n)
				for i := range n {
					ops[i] = strings.ReplaceAll(op, "#", fmt.Sprint(i))
					keys[i], values[i] = fmt.Sprintf(`"k%d":"v"`, i), fmt.Sprintf(`"a.b/f%d"`, i)
				}
				apitest.Must(t, c, 201, "POST", apitest.ConfigMaps, fmt.Sprintf(
					`{"metadata":{"name":"x","labels":{%s},"finalizers":[%s]}}`, strings.Join(keys, ","), strings.Join(values, ",")))
				got := measure(c, "PATCH", apitest.ConfigMaps+"/x", "application/json-patch+json", "["+strings.Join(ops, ",")+"]")
				if got.code != 200 {
					t.Fatalf("%d", got.code)
				}
				return got
			}
			for try := 1; ; try++ {
				s, l := once(many/10), once(many)
				t.Logf("%v, %d KB of memory, for a body of %d KB", l.time.Round(time.Millisecond), l.bytes>>10, l.body>>10)
				switch {
				case l.time <= growth*max(few, s.time) && l.bytes <= growth*max(1<<20, s.bytes):
				case try < attempts:
					continue
				default:
					t.Errorf("%v and %d KB with %d operations, %v and %d KB with a tenth", l.time, l.bytes>>10, many, s.time,
						s.bytes>>10)
				}
				return
			}
		})
	}
}
