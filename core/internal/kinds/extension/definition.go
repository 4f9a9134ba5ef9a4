// Package extension has the strategies of CustomResourceDefinitions and APIServices, by which an
// API is extended, and of custom resources.
package extension

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/object"
)

// A definition is a CustomResourceDefinition in the internal version of the real server, by which
// its errors name fields: what all versions have in common is at the top of the spec, and not in
// the versions.
type definition struct {
	spec     map[string]any
	versions []map[string]any
	common   map[string]bool // fields of versions
}

func newDefinition(obj map[string]any) *definition {
	d := &definition{spec: tree.Object(obj, "spec"), common: map[string]bool{}}
	d.versions = tree.Objects(d.spec, "versions")
	for _, name := range []string{"schema", "subresources", "additionalPrinterColumns", "selectableFields"} {
		d.common[name] = !slices.ContainsFunc(d.versions,
			func(v map[string]any) bool { return !object.Equal(v[name], d.versions[0][name]) })
	}
	return d
}

// place returns the path of a version's field, if it is not at the top.
func (d *definition) place(i int, name string) field.Path {
	return field.Path("spec.versions").Index(i).Child(name)
}

func (d *definition) validate(old *definition) field.ErrorList {
	errs := d.oversized(old)
	if len(errs) > 0 {
		return errs
	}
	switch group := tree.Text(d.spec, "group"); {
	case group == "":
		errs.Add(field.Required("spec.group", ""))
	case syntax.Subdomain(group) != nil:
		errs.Add(field.Invalid("spec.group", group, strings.Join(syntax.Subdomain(group), ",")))
	case !strings.Contains(group, "."):
		errs.Add(field.Invalid("spec.group", group, "should be a domain with at least one dot"))
	}
	errs.Add(rule.RequireOneOf(d.spec, "spec", "scope", "Cluster", "Namespaced")...)
	for i, v := range d.versions {
		if tree.Object(tree.Object(v, "schema"), "openAPIV3Schema") == nil {
			errs.Add(field.Required(d.place(i, "schema.openAPIV3Schema"), ""))
		}
	}
	if tree.Bool(d.spec, "preserveUnknownFields") && slices.ContainsFunc(d.versions, func(v map[string]any) bool {
		return structural.HasDefaults(structural.Parse(tree.Object(tree.Object(v, "schema"), "openAPIV3Schema")))
	}) {
		errs.Add(field.Invalid("spec.preserveUnknownFields", true, "must be false in order to use defaults in the schema"))
	}
	for i, v := range d.versions {
		if wrong := syntax.Label1035(tree.Text(v, "name")); wrong != nil {
			errs.Add(field.Invalid(d.place(i, "name"), tree.Text(v, "name"), strings.Join(wrong, ",")))
		}
		errs.Add(d.version(v, i)...)
	}
	errs.Add(d.together()...)
	names := tree.Object(d.spec, "names")
	errs.Add(rule.RequireTexts(names, "spec.names", "plural", "singular", "kind", "listKind")...)
	errs.Add(validateDefinitionNames(names, "spec.names")...)
	errs.Add(d.top()...)
	return append(errs,
		validateConversion(tree.Object(d.spec, "conversion"), tree.Bool(d.spec, "preserveUnknownFields"),
			"spec.conversion")...)
}

// oversized returns the violations of schemas that are too large to be checked. One that is stored already
// may stay.
func (d *definition) oversized(old *definition) field.ErrorList {
	var errs field.ErrorList
	for i, v := range d.versions {
		why := structural.Oversized(schemaOf(v))
		if why == "" || old != nil && slices.ContainsFunc(old.versions,
			func(was map[string]any) bool { return object.Equal(schemaOf(was), schemaOf(v)) }) {
			continue
		}
		if d.common["schema"] {
			return field.ErrorList{field.Invalid("spec.validation.openAPIV3Schema", field.Omitted, why)}
		}
		errs.Add(field.Invalid(d.place(i, "schema.openAPIV3Schema"), field.Omitted, why))
	}
	if len(errs) == 0 {
		errs = d.manyRules(old)
	}
	return errs
}

// manyRules returns the violation of schemas whose rules take too much work together. What is stored already may stay.
func (d *definition) manyRules(old *definition) field.ErrorList {
	why := structural.TooManyRules(d.schemas()...)
	switch {
	case why == "", old != nil && slices.EqualFunc(old.schemas(), d.schemas(), sameSchema):
		return nil
	case d.common["schema"]:
		return field.ErrorList{field.Invalid("spec.validation.openAPIV3Schema", field.Omitted, why)}
	}
	return field.ErrorList{field.Invalid("spec.versions", field.Omitted, why)}
}

// schemas returns the different schemas: one if all versions have the same.
func (d *definition) schemas() []map[string]any {
	var all []map[string]any
	for _, v := range d.versions {
		if all = append(all, schemaOf(v)); d.common["schema"] {
			break
		}
	}
	return all
}

func sameSchema(a, b map[string]any) bool { return object.Equal(a, b) }

// schemaOf returns the schema of a version.
func schemaOf(version map[string]any) map[string]any {
	return tree.Object(tree.Object(version, "schema"), "openAPIV3Schema")
}

// together checks the versions as a whole.
func (d *definition) together() field.ErrorList {
	var errs field.ErrorList
	stored, seen := 0, map[string]bool{}
	for _, v := range d.versions {
		if tree.Bool(v, "storage") {
			stored++
		}
		seen[tree.Text(v, "name")] = true
	}
	if len(seen) != len(d.versions) {
		errs.Add(field.Invalid("spec.versions", d.printed(), "must contain unique version names"))
	}
	if stored != 1 {
		errs.Add(field.Invalid("spec.versions", d.printed(), "must have exactly one version marked as storage version"))
	}
	if len(d.versions) > 0 { // the real server's internal version has the first one's name again
		name := tree.Text(d.versions[0], "name")
		if wrong := syntax.Label1035(name); wrong != nil && name != "" {
			errs.Add(field.Invalid("spec.version", name, strings.Join(wrong, ",")))
		}
	}
	return errs
}

// version checks the fields of one version.
func (d *definition) version(v map[string]any, i int) field.ErrorList {
	var errs field.ErrorList
	for _, wrong := range deprecationWarning(v) {
		errs.Add(field.Invalid(d.place(i, "deprecationWarning"), field.Raw(tree.JSON(v["deprecationWarning"])), wrong))
	}
	if !d.common["schema"] {
		named := slices.IndexFunc(d.versions,
			func(other map[string]any) bool { return tree.Text(other, "name") == tree.Text(v, "name") })
		errs.Add(validateSchema(v, tree.Object(d.versions[named], "subresources")["status"] != nil, d.place(i, "schema"))...)
	}
	if !d.common["subresources"] {
		errs.Add(validateScalePaths(v, d.place(i, "subresources"))...)
	}
	if !d.common["additionalPrinterColumns"] {
		errs.Add(validateColumns(v, d.place(i, "additionalPrinterColumns"))...)
	}
	if !d.common["selectableFields"] && len(tree.List(v, "selectableFields")) > 0 {
		if at := d.place(i, "selectableFields"); d.common["schema"] || v["schema"] == nil {
			errs.Add(field.Invalid(at, "", "may only be set when `version.schema.openAPIV3Schema` is not included"))
		} else {
			errs.Add(validateSelectable(v, at)...)
		}
	}
	return errs
}

// top checks the fields that all versions have in common.
func (d *definition) top() field.ErrorList {
	if len(d.versions) == 0 {
		return nil
	}
	var errs field.ErrorList
	v := d.versions[0]
	if d.common["schema"] {
		status := slices.ContainsFunc(d.versions,
			func(v map[string]any) bool { return tree.Object(v, "subresources")["status"] != nil })
		errs.Add(validateSchema(v, status, "spec.validation")...)
	}
	if d.common["subresources"] {
		errs.Add(validateScalePaths(v, "spec.subresources")...)
	}
	if d.common["additionalPrinterColumns"] {
		errs.Add(validateColumns(v, "spec.additionalPrinterColumns")...)
	}
	if d.common["selectableFields"] && len(tree.List(v, "selectableFields")) > 0 {
		if d.common["schema"] && v["schema"] != nil {
			errs.Add(validateSelectable(v, "spec.selectableFields")...)
		} else {
			errs.Add(field.Invalid("spec.selectableFields", "", "may only be set when validations.schema is included"))
		}
	}
	return errs
}

// deprecationWarning returns the violation of a version's deprecation warning.
func deprecationWarning(version map[string]any) (wrong []string) {
	text, set := version["deprecationWarning"].(string)
	switch {
	case !set:
		return nil
	case !tree.Bool(version, "deprecated"):
		return []string{"can only be set for deprecated versions"}
	}
	if len(text) > 256 {
		wrong = append(wrong, "must be <= 256 characters long")
	}
	if text == "" {
		wrong = append(wrong, "must not be an empty string")
	}
	for i, r := range text {
		if !unicode.IsPrint(r) {
			wrong = append(wrong,
				fmt.Sprintf("must only contain printable UTF-8 characters; non-printable character found at index %d", i))
			break
		}
	}
	if !utf8.ValidString(text) {
		wrong = append(wrong, "must only contain printable UTF-8 characters")
	}
	return wrong
}

// printed are the versions as errors show them.
func (d *definition) printed() field.Raw {
	if d.spec["versions"] == nil {
		return "null"
	}
	texts := make([]string, len(d.versions))
	for i, v := range d.versions {
		shown := map[string]any{}
		for name, value := range v {
			if !d.common[name] {
				shown[name] = value
			}
		}
		if schema := tree.Object(shown, "schema"); schema != nil {
			shown["schema"] = field.Raw(`{"OpenAPIV3Schema":` +
				string(structural.Printed(tree.Object(schema, "openAPIV3Schema"))) + `}`)
		}
		texts[i] = string(shape.CustomResourceDefinitionVersion.Print(shown))
	}
	return field.Raw("[" + strings.Join(texts, ",") + "]")
}
