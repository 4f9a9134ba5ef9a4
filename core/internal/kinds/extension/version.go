package extension

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/schema"
)

// validateSchema checks the schema of a version. If the status is a subresource, it is checked by
// itself.
func validateSchema(version map[string]any, status bool, at field.Path) field.ErrorList {
	tree := tree.Object(tree.Object(version, "schema"), "openAPIV3Schema")
	if tree == nil {
		return nil
	}
	at = at.Child("openAPIV3Schema")
	var errs field.ErrorList
	s := structural.Parse(tree)
	if status {
		allowed := besideStatus
		if s.Type != "object" {
			allowed = slices.DeleteFunc(slices.Clone(allowed), func(name string) bool { return name == "Type" })
		}
		switch s.FieldBut(allowed) {
		case "":
		case "Type":
			errs.Add(field.Invalid(at.Child("type"), s.Type,
				`only "object" is allowed as the type at the root of the schema if the status subresource is enabled`))
		default:
			errs.Add(field.Invalid(at, structural.Printed(tree),
				fmt.Sprintf("only %v fields are allowed at the root of the schema if the status subresource is enabled",
					besideStatus)))
		}
	}
	if s.Nullable {
		errs.Add(field.Forbidden(at.Child("nullable"), "nullable cannot be true at the root"))
	}
	why := structural.Unsupported(s)
	if why == "" {
		wrong := structural.Check(s, at)
		if len(wrong) == 0 {
			wrong = checkDefaults(s, at)
		}
		errs.Add(wrong...)
	}
	errs.Add(structural.CheckOpenAPI(s, at)...)
	if len(errs) == 0 && why != "" {
		errs.Add(field.Invalid(at, "", why))
	}
	return errs
}

// besideStatus are the fields that the root of a schema may have if the status is a subresource.
var besideStatus = []string{
	"Description", "Type", "Format", "Title", "Maximum", "ExclusiveMaximum", "Minimum",
	"ExclusiveMinimum", "MaxLength", "MinLength", "Pattern", "MaxItems", "MinItems", "UniqueItems",
	"MultipleOf", "Required", "Items", "Properties", "ExternalDocs", "Example",
	"XPreserveUnknownFields", "XValidations",
}

func validateScalePaths(version map[string]any, at field.Path) field.ErrorList {
	scale := tree.Object(tree.Object(version, "subresources"), "scale")
	if scale == nil {
		return nil
	}
	var errs field.ErrorList
	for _, path := range []struct {
		key, words string
		optional   bool
		below      []string
	}{
		{"specReplicasPath", ".spec", false, []string{".spec."}},
		{"statusReplicasPath", ".status", false, []string{".status."}},
		{"labelSelectorPath", "either .spec or .status", true, []string{".spec.", ".status."}},
	} {
		text, at := tree.Text(scale, path.key), at.Child("scale", path.key)
		switch {
		case text == "" && path.optional:
		case text == "":
			errs.Add(field.Required(at, ""))
		case text[0] != '.':
			errs.Add(field.Invalid(at, text, "must be a simple json path starting with ."))
		case !slices.ContainsFunc(path.below, func(start string) bool { return strings.HasPrefix(text, start) }):
			errs.Add(field.Invalid(at, text, "should be a json path under "+path.words))
		}
	}
	return errs
}

func validateColumns(version map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	columns := tree.Objects(version, "additionalPrinterColumns")
	if n := len(columns); n > schema.MaxColumns {
		return field.ErrorList{field.TooMany(at, n, schema.MaxColumns)}
	}
	for i, c := range columns {
		at := at.Index(i)
		errs.Add(rule.RequireTexts(c, at, "name")...)
		must := "must be one of " + strings.Join(columnTypes, ",")
		switch kind := tree.Text(c, "type"); {
		case kind == "":
			errs.Add(field.Required(at.Child("type"), must))
		case !slices.Contains(columnTypes, kind):
			errs.Add(field.Invalid(at.Child("type"), kind, must))
		}
		if format := tree.Text(c, "format"); format != "" && !slices.Contains(columnFormats, format) {
			errs.Add(field.Invalid(at.Child("format"), format, "must be one of "+strings.Join(columnFormats, ",")))
		}
		switch path := tree.Text(c, "jsonPath"); {
		case path == "":
			errs.Add(field.Required(at.Child("JSONPath"), ""))
		case path[0] != '.':
			errs.Add(field.Invalid(at.Child("JSONPath"), path, "must be a simple json path starting with ."))
		}
	}
	return errs
}

var (
	columnTypes   = []string{"boolean", "date", "integer", "number", "string"}
	columnFormats = []string{"byte", "date", "date-time", "double", "float", "int32", "int64", "password"}
)

func validateSelectable(version map[string]any, at field.Path) field.ErrorList {
	s := structural.Parse(tree.Object(tree.Object(version, "schema"), "openAPIV3Schema"))
	var errs field.ErrorList
	seen := map[field.Path]bool{}
	for i, f := range tree.Objects(version, "selectableFields") {
		text, at := tree.Text(f, "jsonPath"), at.Index(i).Child("jsonPath")
		if text == "" {
			errs.Add(field.Required(at, ""))
			continue
		}
		path, found, err := structural.FieldPath(text, s, false)
		if err != nil {
			errs.Add(field.Invalid(at, text, "is an invalid path: "+err.Error()))
			continue
		}
		if path == "metadata" || strings.HasPrefix(string(path), "metadata.") {
			errs.Add(field.Invalid(at, text, "must not point to fields in metadata"))
		}
		if found == nil || found.Type != "string" && found.Type != "boolean" && found.Type != "integer" {
			errs.Add(field.Invalid(at, text,
				"must point to a field of type string, boolean or integer. "+
					"Enum string fields and strings with formats are allowed."))
		}
		if seen[path] {
			errs.Add(field.Duplicate(at, text))
		}
		seen[path] = true
	}
	if len(seen) > maxSelectable {
		errs.Add(field.TooMany(at, len(seen), maxSelectable))
	}
	return errs
}

// maxSelectable is the maximum number of selectable fields.
const maxSelectable = 8
