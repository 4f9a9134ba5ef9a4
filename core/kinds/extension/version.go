package extension

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/admission"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
	"github.com/tabernetes/tabernetes/core/structural"
)

// besideStatus are the fields that the root of a schema may have where the status is a
// subresource.
var besideStatus = []string{"Description", "Type", "Format", "Title", "Maximum", "ExclusiveMaximum", "Minimum", "ExclusiveMinimum", "MaxLength",
	"MinLength", "Pattern", "MaxItems", "MinItems", "UniqueItems", "MultipleOf", "Required", "Items", "Properties", "ExternalDocs", "Example",
	"XPreserveUnknownFields", "XValidations"}

// validateSchema checks the schema of a version. The status may be a subresource, as
// which it is checked for itself.
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
			errs.Add(field.Invalid(at.Child("type"), s.Type, `only "object" is allowed as the type at the root of the schema if the status subresource is enabled`))
		default:
			errs.Add(field.Invalid(at, structural.Printed(tree), fmt.Sprintf("only %v fields are allowed at the root of the schema if the status subresource is enabled", besideStatus)))
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

// unknownFormats are the formats in the schemas of a definition that nobody looks at,
// each once.
func unknownFormats(obj map[string]any) []string {
	var all []string
	for _, v := range tree.Objects(tree.Object(obj, "spec"), "versions") {
		for _, format := range structural.UnknownFormats(structural.Parse(tree.Object(tree.Object(v, "schema"), "openAPIV3Schema"))) {
			if !slices.Contains(all, format) {
				all = append(all, format)
			}
		}
	}
	return all
}

// warnFormats warns of such formats that are new.
func warnFormats(c *strategy.Context, obj, old map[string]any) {
	var known []string
	if old != nil {
		known = unknownFormats(old)
	}
	for _, format := range unknownFormats(obj) {
		if !slices.Contains(known, format) {
			c.Warn(fmt.Sprintf("unrecognized format %q", format))
		}
	}
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

var (
	columnTypes   = []string{"boolean", "date", "integer", "number", "string"}
	columnFormats = []string{"byte", "date", "date-time", "double", "float", "int32", "int64", "password"}
)

func validateColumns(version map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, c := range tree.Objects(version, "additionalPrinterColumns") {
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

// maxSelectable is how many fields objects may be selected by.
const maxSelectable = 8

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
			errs.Add(field.Invalid(at, text, "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed."))
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

func validateConversion(conversion map[string]any, preserve bool, at field.Path) field.ErrorList {
	if conversion == nil {
		return nil
	}
	var errs field.ErrorList
	strategy, webhook := tree.Text(conversion, "strategy"), tree.Object(conversion, "webhook")
	if preserve && strategy != "None" {
		errs.Add(field.Invalid(at.Child("strategy"), strategy, "must be None if spec.preserveUnknownFields is true"))
	}
	errs.Add(rule.RequireOneOf(conversion, at, "strategy", "None", "Webhook")...)
	client, versions := tree.Object(webhook, "clientConfig"), tree.Texts(webhook, "conversionReviewVersions")
	clientAt, versionsAt := at.Child("webhookClientConfig"), at.Child("conversionReviewVersions")
	if strategy != "Webhook" {
		const not = "should not be set when strategy is not set to Webhook"
		if client != nil {
			errs.Add(field.Forbidden(clientAt, not))
		}
		if len(versions) > 0 {
			errs.Add(field.Forbidden(versionsAt, not))
		}
		return errs
	}
	if client == nil {
		errs.Add(field.Required(clientAt, "required when strategy is set to Webhook"))
	} else {
		errs.Add(admission.ValidateClient(nil, client, clientAt)...)
	}
	if len(versions) == 0 {
		return append(errs, field.Required(versionsAt, ""))
	}
	var before rule.Seen[string]
	for i, v := range versions {
		if before.Again(v) {
			errs.Add(field.Invalid(versionsAt.Index(i), v, "duplicate version"))
			continue
		}
		errs.Add(rule.Invalid(versionsAt.Index(i), v, syntax.Label1035(v))...)
	}
	if !slices.Contains(versions, "v1") && !slices.Contains(versions, "v1beta1") {
		errs.Add(field.Invalid(versionsAt, versions, "must include at least one of v1, v1beta1"))
	}
	return errs
}
