package valid

import (
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
)

// podFields are the fields of a pod that a reference may name.
var podFields = strings.Fields(`metadata.annotations metadata.labels metadata.name metadata.namespace metadata.uid
	spec.nodeName spec.restartPolicy spec.serviceAccountName spec.schedulerName
	status.phase status.hostIP status.hostIPs status.podIP status.podIPs`)

// FieldRef returns the violations of a reference to a field of the pod, which must be one
// of known.
func FieldRef(ref map[string]any, at field.Path, known ...string) field.ErrorList {
	path, version := tree.Text(ref, "fieldPath"), tree.Text(ref, "apiVersion")
	if path == "" {
		return field.ErrorList{field.Required(at.Child("fieldPath"), "")}
	}
	whole, key, subscript := strings.Cut(path, "['")
	key, closed := strings.CutSuffix(key, "']")
	if subscript = subscript && closed && whole != ""; !subscript {
		whole = path
	}
	keyed := whole == "metadata.annotations" || whole == "metadata.labels"
	wrong := ""
	switch {
	case version != "v1":
		wrong = "unsupported pod version: " + version
	case subscript && !keyed:
		wrong = "field label does not support subscript: " + path
	case !subscript && path == "spec.host":
		whole = "spec.nodeName"
	case !subscript && !slices.Contains(podFields, path):
		wrong = "field label not supported: " + path
	}
	switch {
	case wrong != "":
		return field.ErrorList{field.Invalid(at.Child("fieldPath"), path, "error converting fieldPath: "+wrong)}
	case subscript:
		if whole == "metadata.annotations" {
			key = strings.ToLower(key)
		}
		return rule.Invalid(at, key, syntax.LabelKey(key))
	case !slices.Contains(known, whole):
		return field.ErrorList{field.NotSupported(at.Child("fieldPath"), whole, known...)}
	}
	return nil
}

// resourceFields are the resources of a container that a reference may name; huge pages
// are others.
var resourceFields = []string{
	"limits.cpu", "limits.ephemeral-storage", "limits.memory",
	"requests.cpu", "requests.ephemeral-storage", "requests.memory",
}

// ResourceRef returns the violations of a reference to a resource of a container; in a volume, it
// must name the container.
func ResourceRef(ref map[string]any, at field.Path, volume bool) field.ErrorList {
	var errs field.ErrorList
	name := tree.Text(ref, "resource")
	_, kind, _ := strings.Cut(name, ".")
	huge := strings.HasPrefix(kind, "hugepages-") &&
		(strings.HasPrefix(name, "limits.") || strings.HasPrefix(name, "requests."))
	known := slices.Contains(resourceFields, name)
	switch {
	case volume && tree.Text(ref, "containerName") == "":
		errs.Add(field.Required(at.Child("containerName"), ""))
	case name == "":
		errs.Add(field.Required(at.Child("resource"), ""))
	case !known && !huge:
		errs.Add(field.NotSupported(at.Child("resource"), name, resourceFields...))
	}
	divisor := tree.Text(ref, "divisor")
	if SignOf(divisor) == 0 || !known && !huge {
		return errs
	}
	units, text := "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei", "the memory"
	switch {
	case kind == "cpu":
		units, text = "1m and 1", "the cpu"
	case huge:
		text = "the hugepages"
	case kind == "ephemeral-storage":
		text = "the local ephemeral storage"
	}
	if !slices.Contains(strings.Fields(strings.ReplaceAll(units, ",", "")), divisor) || divisor == "and" {
		errs.Add(field.Invalid(at.Child("divisor"), name,
			"only divisor's values "+units+" are supported with "+text+" resource"))
	}
	return errs
}
