package samples

// A Patch is a way to patch, with an example.
type Patch struct {
	Type string // the content type
	Name string // what people call it
	Note string // what is particular about it, in a few words
	Path string
	Body string
}

const demo = "/api/v1/namespaces/default/configmaps/demo"

// Patches are the ways to patch that an API server knows. The example of the
// last one creates the object that the examples of the first two change; that
// of strategic merge is of the guestbook.
var Patches = []Patch{
	{
		Type: "application/merge-patch+json", Name: "merge", Note: "null removes a field; a list is replaced as a whole",
		Path: demo,
		Body: `{
  "metadata": {"labels": {"patched": "yes"}},
  "data": {"colour": "blue", "speed": null}
}
`,
	},
	{
		Type: "application/json-patch+json", Name: "JSON patch", Note: "operations in order: all of them, or none",
		Path: demo,
		Body: `[
  {"op": "test", "path": "/metadata/name", "value": "demo"},
  {"op": "add", "path": "/data/colour", "value": "red"}
]
`,
	},
	{
		Type: "application/strategic-merge-patch+json", Name: "strategic merge",
		Note: "built-in kinds only: lists are merged by their key",
		Path: "/apis/apps/v1/namespaces/default/deployments/frontend",
		Body: `{"spec": {"template": {"spec": {
  "containers": [
    {"name": "web", "image": "registry.example/guestbook-frontend:6"}
  ]
}}}}
`,
	},
	{
		Type: "application/apply-patch+yaml", Name: "apply", Note: "all that fieldManager wants; creates what does not exist",
		Path: demo + "?fieldManager=me",
		Body: `apiVersion: v1
kind: ConfigMap
metadata:
  name: demo
data:
  colour: green
  speed: slow
`,
	},
}
