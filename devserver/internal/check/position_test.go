package check

import (
	"fmt"
	"strings"
	"testing"
)

// FuzzLine checks that whatever field an answer names has a line in its document.
func FuzzLine(f *testing.F) {
	f.Add(deployment, ".spec.template.spec.containers[name=\"c\"].image", 0)
	f.Add("items:\n- &a {b: [c, 1]}\n- *a\n", "b[=\"c\"]", 1)
	f.Add("a: {\"b.c\": [1]}", "a[b.c][0][\"]", 0)
	f.Fuzz(func(t *testing.T, text, field string, item int) {
		d := document{begin: 10, text: []byte(text)}
		last := 10 + strings.Count(text, "\n") + strings.Count(text, "\r") + strings.Count(text, "\u2028") +
			strings.Count(text, "\u2029") + strings.Count(text, "\u0085")
		for _, at := range []string{"", fmt.Sprintf(".items[%d]", item)} {
			if line := d.lineOf(at, field); line < 10 || line > last {
				t.Errorf("%q of %q is in line %d", field, text, line)
			}
		}
		split(field)
	})
}
