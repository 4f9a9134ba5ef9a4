package openapi

import (
	"encoding/json"
	"iter"
)

// V3 makes an OpenAPI v3 document of the parts of one, in JSON. Parts are asked for one at a time.
func V3(parts iter.Seq[map[string]any], release string) (Text, error) {
	j := join(v3form{}, parts)
	var text Text
	text.add([]byte(`{"components":{"schemas":{`))
	j.writeTypes(&text)
	text.add([]byte(`}},"info":`))
	j.writeJSON(&text, infoOf(release))
	text.add([]byte(`,"openapi":"3.0.0","paths":{`))
	j.writePaths(&text)
	text.add([]byte(`}}`))
	return j.end(text)
}

// CustomRelease is the release of the documents of groups of custom resources.
const CustomRelease = "v0.1.0"

// infoOf returns what documents say about themselves.
func infoOf(release string) tree {
	title := "Kubernetes"
	if release == CustomRelease {
		title += " CRD Swagger"
	}
	return tree{"title": title, "version": release}
}

type v3form struct{}

func (v3form) schema(s tree) (before, after []byte, err error) { return schemaJSON(s) }

func (v3form) path(item tree) ([]byte, error) { return json.Marshal(item) }
