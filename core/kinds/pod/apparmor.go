package pod

import (
	"strings"

	"github.com/tabernetes/tabernetes/core/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// appArmorProfile returns the profile that an annotation stands for, nil if none.
func appArmorProfile(annotation string) map[string]any {
	switch path, local := strings.CutPrefix(annotation, "localhost/"); {
	case local && path != "" && strings.TrimSpace(path) == path:
		return map[string]any{"type": "Localhost", "localhostProfile": path}
	case annotation == "runtime/default":
		return map[string]any{"type": "RuntimeDefault"}
	case annotation == "unconfined":
		return map[string]any{"type": "Unconfined"}
	}
	return nil
}

const appArmorReplaced = `deprecated since v1.30; use the "appArmorProfile" field instead`

// applyAppArmorAnnotations sets the profiles of a new pod's containers from its annotations.
func applyAppArmorAnnotations(c *strategy.Context, obj map[string]any) {
	spec, annotations := tree.Object(obj, "spec"), tree.Object(object.Meta(obj), "annotations")
	if len(annotations) == 0 || tree.Text(tree.Object(spec, "os"), "name") == "windows" {
		return
	}
	whole := tree.Object(tree.Object(spec, "securityContext"), "appArmorProfile")
	for _, m := range containers(spec) {
		key := appArmorAnnotations + tree.Text(m, "name")
		text, ok := annotations[key].(string)
		if !ok || tree.Object(m, "securityContext")["appArmorProfile"] != nil {
			continue
		}
		profile := appArmorProfile(text)
		if profile != nil && object.Equal(profile, whole) {
			continue
		}
		if profile != nil {
			tree.Make(m, "securityContext")["appArmorProfile"] = profile
		}
		c.Warn("metadata.annotations[" + key + "]: " + appArmorReplaced)
	}
}
