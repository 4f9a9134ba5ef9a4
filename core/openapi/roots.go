package openapi

import "github.com/tabernetes/tabernetes/core/schema"

// A Root is a document about a path that lists what is below it, rather than about a group version.
type Root struct {
	// Path is the path of the document, below /openapi/v3/.
	Path string
	// Kind is that of meta/v1 that the path answers with; empty: the server's version.
	Kind string
	// Group is the group of the path, if it has one.
	Group string
}

// Roots returns the documents besides those of the group versions. Groups of custom resources have
// none.
func Roots(table *schema.Table) []Root {
	roots := []Root{{Path: "api", Kind: "APIVersions"}, {Path: "apis", Kind: "APIGroupList"}}
	for _, g := range table.Groups() {
		rows := table.GroupVersion(g.Name, g.Versions[0]) // none, if a definition has just been deleted
		if g.Name != "" && len(rows) > 0 && rows[0].Custom == nil {
			roots = append(roots, Root{Path: "apis/" + g.Name, Kind: "APIGroup", Group: g.Name})
		}
	}
	return append(roots, Root{Path: "version"})
}

// Document returns the OpenAPI document of the path.
func (root Root) Document(release string) map[string]any {
	c := &components{schemas: tree{}}
	operation, tag := "get"+goName(root.Group)+root.Kind, tagName(root.Group)
	responses := tree(nil)
	switch root.Kind {
	case "":
		operation, tag = "getCodeVersion", root.Path
		responses = okResponses(c.version(), produced[0])
	case "APIGroupList":
		operation, tag = "getAPIVersions", root.Path
		fallthrough
	default:
		responses = okResponses(c.meta(root.Kind), produced...)
	}
	get := tree{"operationId": operation, "tags": []any{tag}, "responses": responses}
	return c.document(release, tree{"/" + root.Path + "/": tree{"get": get}})
}

// version returns the document of /version, which is no type of the API.
func (c *components) version() tree {
	const name = "io.k8s.apimachinery.pkg.version.Info"
	properties := tree{}
	for _, field := range []string{"emulationMajor", "emulationMinor", "minCompatibilityMajor", "minCompatibilityMinor"} {
		properties[field] = tree{"type": "string"}
	}
	required := []string{"major", "minor", "gitVersion", "gitCommit", "gitTreeState", "buildDate", "goVersion", "compiler",
		"platform"}
	for _, field := range required {
		properties[field] = tree{"type": "string", "default": ""}
	}
	return c.named(name, func() tree { return tree{"type": "object", "properties": properties, "required": required} })
}
