package text

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// podList returns a list of n pods with managedFields.
func podList(n int) string {
	var items []string
	for i := range n {
		items = append(items, fmt.Sprintf(`{"metadata":{"name":"p%d","uid":"u%d","managedFields":[{"manager":"me",`+
			`"operation":"Update","fieldsV1":{"f:data":{".":{},"f:k":{}}}}]},"data":{"k":"a\\nb","e":[],"list":[1,[2]]}}`, i, i))
	}
	return `{"kind":"PodList","metadata":{"resourceVersion":"9"},"items":[` + strings.Join(items, ",") + `]}`
}

// However many lines are wanted, they are the first ones of the whole.
func TestLayOutKeepsTheFirstLines(t *testing.T) {
	src := podList(5)
	for _, format := range []Format{AsJSON, AsYAML} {
		whole, err := LayOut(src, format, all, nil)
		if err != nil || !whole.OK || whole.Total != len(whole.Lines) {
			t.Fatalf("%v: %v, %d of %d lines", err, whole.OK, len(whole.Lines), whole.Total)
		}
		folded := Fold(whole.Lines, false)
		if whole.Total-whole.Folded != len(folded) {
			t.Fatalf("%d lines of %d are folded, %d are left", whole.Folded, whole.Total, len(folded))
		}
		for wanted := range whole.Total + 3 {
			b, err := LayOut(src, format, wanted, nil)
			if err != nil || b.Total != whole.Total || b.Folded != whole.Folded || !b.OK {
				t.Fatalf("wanting %d: %v, %+v", wanted, err, b)
			}
			head, isWhole := LayOutHead(src, format, wanted)
			if isWhole != (wanted >= len(folded)) {
				t.Fatalf("wanting %d of %d: whole is %v", wanted, len(folded), isWhole)
			}
			for name, lines := range map[string][]Line{"body": b.Lines, "head": head.Lines} {
				for _, open := range []bool{false, true} {
					got, want := Fold(lines, open), Fold(whole.Lines, open)
					n := min(wanted, len(want))
					if len(got) < n || Join(got[:n]) != Join(want[:n]) {
						t.Fatalf("%s, wanting %d, open %v:\n%s", name, wanted, open, Join(got))
					}
				}
			}
		}
	}
}

func TestLayOutPauses(t *testing.T) {
	calls, stop := 0, errors.New("stop")
	b, err := LayOut(podList(500), AsJSON, 10, func() error { calls++; return nil })
	if err != nil || calls != b.Total/pauseAfter || calls < 10 {
		t.Errorf("%d pauses in %d lines: %v", calls, b.Total, err)
	}
	if _, err := LayOut(podList(500), AsYAML, 10, func() error { return stop }); err != stop {
		t.Errorf("it was not stopped: %v", err)
	}
}

func TestLayOutOfWhatIsNotJSON(t *testing.T) {
	for _, src := range []string{"", "a\nb", `{"a":`, `{} {}`} {
		b, err := LayOut(src, AsJSON, 1, nil)
		if err != nil || b.OK || !reflect.DeepEqual(b.Lines, Split(src)) || b.Total != len(b.Lines) {
			t.Errorf("%q: %+v, %v", src, b, err)
		}
	}
	// What comes behind a head is not looked at.
	if b, whole := LayOutHead(podList(3)+"x", AsJSON, 5); whole || !b.OK || len(b.Lines) < 5 {
		t.Errorf("%v, %+v", whole, b)
	}
	if b, whole := LayOutHead("x\ny", AsJSON, 1); !whole || b.OK || len(b.Lines) != 2 {
		t.Errorf("%v, %+v", whole, b)
	}
}

// The beginning of a large list, the rest of which is counted.
func BenchmarkLayOut(b *testing.B) {
	src := podList(10_000)
	for name, wanted := range map[string]int{"first": 1000, "all": all} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				LayOut(src, AsJSON, wanted, nil)
			}
		})
	}
	b.Run("head", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			LayOutHead(src, AsJSON, 1000)
		}
	})
}
