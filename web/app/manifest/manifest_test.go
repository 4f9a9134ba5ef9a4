package manifest

import (
	"fmt"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"nothing":     {"", ""},
		"only dashes": {"---\n# none\n---\n\n", ""},
		"json":        {`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}`, "1 v1 Pod /a"},
		"two": {"apiVersion: v1\nkind: Service\nmetadata: {name: a, namespace: dev}\n---\n\napiVersion: " +
			"apps/v1\nkind: Deployment\nmetadata:\n  name: b\n", "1 v1 Service dev/a; 6 apps/v1 Deployment /b"},
		"comment": {"# head\n--- # first\napiVersion: v1\nkind: Pod\nmetadata: {generateName: a-}\n", "3 v1 Pod /"},
		"list": {"apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: a}}\n- " +
			"{kind: Pod}\n", "1 v1 Pod /a; 1  Pod / !apiVersion is missing"},
		"broken one":  {"a: [\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\n", "1   / !; 3 v1 Pod /a"},
		"no kind":     {"apiVersion: v1\nmetadata: {name: a}\n", "1 v1  /a !kind is missing"},
		"no name":     {"apiVersion: v1\nkind: Pod\n", "1 v1 Pod / !metadata.name is missing"},
		"scalar":      {"hello", "1   / !"},
		"twice a key": {"apiVersion: v1\nkind: Pod\nkind: Pod\nmetadata: {name: a}\n", "1   / !"},
		"windows ends": {"apiVersion: v1\r\nkind: Pod\r\nmetadata:\r\n  name: a\r\n---\r\napiVersion: v1\r\nkind: " +
			"Pod\r\nmetadata:\r\n  name: b\r\n", "1 v1 Pod /a; 6 v1 Pod /b"},
		"dashed text": {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  k: |\n    ---x\n",
			"1 v1 ConfigMap /a"},
	} {
		var got []string
		for _, d := range Split(c.text) {
			s := fmt.Sprintf("%d %s %s %s/%s", d.Line, d.APIVersion, d.Kind, d.Namespace, d.Name)
			if d.Err != nil {
				s += " !" + d.Err.Error()
			} else if d.JSON == "" {
				t.Errorf("%s: no JSON", name)
			}
			got = append(got, s)
		}
		g := strings.Join(got, "; ")
		// A parser's own words are not ours to fix: "!" stands for any.
		want := strings.Split(c.want, "; ")
		ok := len(got) == len(want) || c.want == "" && g == ""
		for i := range got {
			ok = ok && i < len(want) && (got[i] == want[i] || strings.HasSuffix(want[i], "!") &&
				strings.HasPrefix(got[i], want[i]))
		}
		if !ok {
			t.Errorf("%s: got %q, want %q", name, g, c.want)
		}
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("---\na: b\n--- #\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, d := range Split(text) {
			if d.Err == nil && d.JSON == "" {
				t.Fatal("a document with neither content nor error")
			}
		}
	})
}
