package verdict

import (
	"reflect"
	"slices"
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

// unset returns the fields that a change has sent and that the answer's object does not have so, of those that some
// paths cannot set: its metadata and status, or spec for the path of the status. It reports false if that cannot be
// compared, as with a JSON patch.
func (f *facts) unset() (out []string, known bool) {
	read := func(header []tap.Field, body string) map[string]any {
		v, _ := tap.ParseJSON(asJSON(header, body))
		m, _ := v.(map[string]any)
		return m
	}
	sent, got := read(f.Header, f.Body), read(f.ResHeader, f.Text())
	put := f.Info.Verb == "update"
	if kind, _ := got["kind"].(string); sent == nil || f.Info.Verb != "patch" && !put || kind == "" || kind == "Table" ||
		strings.HasPrefix(kind, "Partial") {
		return nil, false
	}
	// Apply and strategic merge patches merge lists.
	whole := put || strings.Contains(tap.Get(f.Header, "Content-Type"), "/merge-patch")
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
			if !whole || len(s) == 0 && got == nil {
				return
			}
		case nil:
			if put {
				return
			}
		}
		switch {
		case path == "metadata.resourceVersion", path == "metadata.managedFields", strings.Contains(path, ".$"),
			path == "metadata.generation" && put, sent == "" && got == nil, reflect.DeepEqual(sent, got):
		default:
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
	slices.Sort(out)
	return out, true
}
