package verdict

import (
	"fmt"
	"sort"
	"strings"

	"github.com/tabernetes/tabernetes/web/tap"
	"sigs.k8s.io/yaml"
)

// longYAML is the size of the longest body in YAML that is read, in bytes: reading it costs much more than JSON.
const longYAML = 128 << 10

// asJSON returns a body as JSON if it is YAML, and any other as it is.
func asJSON(header []tap.Field, body string) string {
	if !strings.Contains(tap.Get(header, "Content-Type"), "yaml") || len(body) > longYAML {
		return body
	}
	b, _ := yaml.YAMLToJSON([]byte(body)) // one that cannot be read says nothing
	return string(b)
}

// object returns the fields of a body; nil if it is no object.
func object(header []tap.Field, body string) map[string]any {
	v, _ := tap.ParseJSON(asJSON(header, body))
	m, _ := v.(map[string]any)
	return m
}

// unset returns the fields that a change has sent and that the answer's object does not have so, of those that some
// paths cannot set: its metadata and status, or spec for the path of the status. It reports false if that cannot be
// compared, as with a JSON patch.
func (f *facts) unset() (out []string, known bool) {
	sent, got := object(f.Header, f.Body), object(f.ResHeader, f.Text())
	if sent == nil || got == nil || f.deletes() || strings.Contains(tap.Get(f.Header, "Accept"), "as=") {
		return nil, false
	}
	// Apply and strategic merge patches merge lists.
	put, merge := f.Info.Verb == "update", strings.Contains(tap.Get(f.Header, "Content-Type"), "/merge-patch")
	var compare func(path string, sent, got any)
	compare = func(path string, sent, got any) {
		switch s := sent.(type) {
		case map[string]any:
			g, _ := got.(map[string]any)
			for name, v := range s {
				compare(path+"."+name, v, g[name])
			}
			return
		case []any:
			if !put && !merge || len(s) == 0 && got == nil {
				return
			}
		}
		switch {
		case path == "metadata.resourceVersion", path == "metadata.managedFields", strings.Contains(path, ".$"),
			put && (sent == nil || path == "metadata.generation"), sent == "" && got == nil:
		case fmt.Sprint(sent) != fmt.Sprint(got):
			out = append(out, path)
		}
	}
	other := "status"
	if f.Info.Subresource == other {
		other = "spec"
	}
	for _, part := range [...]string{"metadata", other} {
		if v, has := sent[part]; has {
			compare(part, v, got[part])
		}
	}
	sort.Strings(out)
	return out, true
}
