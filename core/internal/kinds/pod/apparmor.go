package pod

import (
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
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

// hasProfiles reports whether annotations name a profile of AppArmor or seccomp, of a pod or a container.
func hasProfiles(annotations map[string]any) bool {
	for key := range annotations {
		if key == seccompAnnotation || strings.HasPrefix(key, seccompAnnotations) ||
			strings.HasPrefix(key, appArmorAnnotations) {
			return true
		}
	}
	return false
}

const appArmorReplaced = `deprecated since v1.30; use the "appArmorProfile" field instead`

// applyAppArmorAnnotations sets the profiles of a new pod's containers from its annotations.
func applyAppArmorAnnotations(c *strategy.Context, obj map[string]any) {
	spec, annotations := tree.Object(obj, "spec"), tree.Object(object.Meta(obj), "annotations")
	if !hasProfiles(annotations) || tree.Text(tree.Object(spec, "os"), "name") == "windows" {
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
		c.WarnAnyway("metadata.annotations[" + key + "]: " + appArmorReplaced)
	}
}

// validateProfileAnnotations returns the violations of profiles of a new pod or of a template that are not those in its
// annotations.
func validateProfileAnnotations(spec, annotations map[string]any, at field.Path) field.ErrorList {
	if !hasProfiles(annotations) {
		return nil
	}
	var errs field.ErrorList
	match := func(key string, profile map[string]any, at field.Path, kind string, runtime ...string) {
		text, ok := annotations[key].(string)
		if !ok || profile == nil {
			return
		}
		path, local := strings.CutPrefix(text, "localhost/")
		right := true
		switch tree.Text(profile, "type") {
		case "Unconfined":
			right = text == "unconfined"
		case "RuntimeDefault":
			right = slices.Contains(runtime, text)
		case "Localhost":
			if right = local; local && profile["localhostProfile"] != path {
				errs.Add(field.Forbidden(at.Child("localhostProfile"), kind+" profile in annotation and field must match"))
			}
		}
		if !right {
			errs.Add(field.Forbidden(at.Child("type"), kind+" type in annotation and field must match"))
		}
	}
	whole, all := tree.Object(spec, "securityContext"), placed(spec, at)
	match(seccompAnnotation, tree.Object(whole, "seccompProfile"), at.Child("securityContext", "seccompProfile"),
		"seccomp", "runtime/default", "docker/default")
	for _, p := range all {
		match(seccompAnnotations+tree.Text(p.c, "name"), tree.At(p.c, "securityContext.seccompProfile"),
			p.at.Child("securityContext", "seccompProfile"), "seccomp", "runtime/default", "docker/default")
	}
	if tree.Text(tree.Object(spec, "os"), "name") == "windows" {
		return errs
	}
	for _, p := range all {
		profile := tree.At(p.c, "securityContext.appArmorProfile")
		if profile == nil {
			profile = tree.Object(whole, "appArmorProfile")
		}
		match(appArmorAnnotations+tree.Text(p.c, "name"), profile, p.at.Child("securityContext", "appArmorProfile"),
			"apparmor", "runtime/default")
	}
	return errs
}
