package extension

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/customresource"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/object"
)

// CustomResourceDefinition is the strategy of CustomResourceDefinitions. The default names derive
// from the kind; status.storedVersions lists the versions that objects may be stored in.
var CustomResourceDefinition = strategy.Strategy{
	Default: defaultDefinition,
	PrepareCreate: func(c *strategy.Context, obj map[string]any) {
		obj["status"] = emptyDefinitionStatus()
		addStoredVersion(obj)
		warnFormats(c, obj, nil)
	},
	PrepareUpdate: func(c *strategy.Context, obj, old map[string]any) {
		addStoredVersion(obj)
		warnFormats(c, obj, old)
	},
	Name: func(obj map[string]any, name string, wrong []string) []string {
		spec := tree.Object(obj, "spec")
		if name != tree.Text(tree.Object(spec, "names"), "plural")+"."+tree.Text(spec, "group") {
			return append(wrong, `must be spec.names.plural+"."+spec.group`)
		}
		return wrong
	},
	Validate:       validateDefinition,
	ValidateUpdate: validateDefinitionUpdate,
	ValidateStatus: func(obj, _ map[string]any) field.ErrorList { return validateDefinitionStatus(obj) },
	MarkDeleted:    markDefinition,
}

func defaultDefinition(obj map[string]any) {
	spec := tree.Object(obj, "spec")
	names := tree.Object(spec, "names")
	if kind := tree.Text(names, "kind"); names != nil {
		if tree.Text(names, "singular") == "" && kind != "" {
			names["singular"] = strings.ToLower(kind)
		}
		if tree.Text(names, "listKind") == "" && kind != "" {
			names["listKind"] = kind + "List"
		}
	}
	if spec != nil && spec["conversion"] == nil {
		spec["conversion"] = map[string]any{"strategy": "None"}
	}
	webhook := tree.At(spec, "conversion.webhook")
	if webhook["clientConfig"] == nil && len(tree.List(webhook, "conversionReviewVersions")) == 0 {
		delete(tree.Object(spec, "conversion"), "webhook") // for which the internal type has no field
	}
	service := tree.At(webhook, "clientConfig.service")
	if service != nil && service["port"] == nil {
		service["port"] = int64(443)
	}
	if len(tree.List(tree.Object(obj, "status"), "storedVersions")) == 0 {
		addStoredVersion(obj)
	}
}

func emptyDefinitionStatus() map[string]any {
	return map[string]any{
		"conditions":     nil,
		"acceptedNames":  map[string]any{"plural": "", "kind": ""},
		"storedVersions": nil,
	}
}

// addStoredVersion adds the storage version to status.storedVersions.
func addStoredVersion(obj map[string]any) {
	for _, v := range tree.List(tree.Object(obj, "spec"), "versions") {
		version := tree.Map(v)
		if !tree.Bool(version, "storage") {
			continue
		}
		stored := tree.List(tree.Object(obj, "status"), "storedVersions")
		if !slices.Contains(stored, any(tree.Text(version, "name"))) {
			object.SetNested(obj, append(slices.Clone(stored), tree.Text(version, "name")), "status", "storedVersions")
		}
		return
	}
}

// markDefinition adds the finalizer to a definition that is deleted, which keeps it until its
// objects are deleted.
func markDefinition(c *strategy.Context, obj map[string]any) {
	object.Meta(obj)["deletionTimestamp"] = c.Timestamp()
	if finalizers := object.Finalizers(obj); !slices.Contains(finalizers, customresource.Finalizer) {
		object.SetFinalizers(obj, append(finalizers, customresource.Finalizer))
	}
	customresource.SetCondition(obj, customresource.Terminating, "True", "InstanceDeletionPending",
		"CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon", c.Timestamp())
}

func validateDefinition(obj map[string]any) field.ErrorList {
	var errs field.ErrorList
	errs.Add(newDefinition(obj).validate(nil)...)
	errs.Add(validateDefinitionStatus(obj)...)
	errs.Add(validateStoredVersions(obj)...)
	errs.Add(validateApproval(obj, nil)...)
	return append(errs, validatePreserve(obj, nil)...)
}

func validateDefinitionStatus(obj map[string]any) field.ErrorList {
	return validateDefinitionNames(tree.At(obj, "status.acceptedNames"), "status.acceptedNames")
}

func validateDefinitionNames(names map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	label := func(at field.Path, text, lower, say string) {
		if wrong := syntax.Label1035(lower); wrong != nil {
			errs.Add(field.Invalid(at, text, say+strings.Join(wrong, ",")))
		}
	}
	for _, key := range []string{"plural", "singular", "kind", "listKind"} {
		text := tree.Text(names, key)
		switch {
		case text == "":
		case key == "plural" || key == "singular":
			label(at.Child(key), text, text, "")
		default:
			label(at.Child(key), text, strings.ToLower(text), mixedCase)
		}
	}
	all := func(key string) {
		for i, text := range tree.Texts(names, key) {
			label(at.Child(key).Index(i), text, text, "")
		}
	}
	all("shortNames")
	if kind := tree.Text(names, "kind"); kind != "" && kind == tree.Text(names, "listKind") {
		errs.Add(field.Invalid(at.Child("listKind"), kind, "kind and listKind may not be the same"))
	}
	all("categories")
	return errs
}

// validateStoredVersions checks that no version is removed that objects may be stored in.
func validateStoredVersions(obj map[string]any) field.ErrorList {
	const at = field.Path("status.storedVersions")
	stored := tree.Texts(tree.Object(obj, "status"), "storedVersions")
	if len(stored) == 0 {
		return field.ErrorList{field.Invalid(at, stored, "must have at least one stored version")}
	}
	var errs field.ErrorList
	left := map[string]bool{} // those that no version so far is
	for _, name := range stored {
		left[name] = true
	}
	for _, v := range tree.Objects(tree.Object(obj, "spec"), "versions") {
		name := tree.Text(v, "name")
		if tree.Bool(v, "storage") && !left[name] {
			errs.Add(field.Invalid(at, stored, "must have the storage version "+name))
		}
		delete(left, name)
	}
	for i, name := range stored {
		if left[name] {
			errs.Add(field.Invalid(at.Index(i), name,
				fmt.Sprintf("missing from spec.versions; %[1]s was previously a storage version, and must remain in "+
					"spec.versions until a storage migration ensures no data remains persisted in %[1]s and removes %[1]s from "+
					"status.storedVersions", name)))
		}
	}
	return errs
}

func validatePreserve(obj, old map[string]any) field.ErrorList {
	if !tree.Bool(tree.Object(obj, "spec"), "preserveUnknownFields") ||
		tree.Bool(tree.Object(old, "spec"), "preserveUnknownFields") {
		return nil
	}
	return field.ErrorList{field.Invalid("spec.preserveUnknownFields", true,
		"cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead")}
}

func validateDefinitionUpdate(obj, old map[string]any) field.ErrorList {
	errs := newDefinition(obj).validate(newDefinition(old))
	fixed := []string{"spec.group", "spec.names.plural"}
	if customresource.IsTrue(old, customresource.Established) {
		fixed = append([]string{"spec.scope", "spec.names.kind"}, fixed...)
	}
	for _, path := range fixed {
		is, _ := object.Get(obj, strings.Split(path, ".")...)
		if was, _ := object.Get(old, strings.Split(path, ".")...); !object.Equal(is, was) {
			errs.Add(field.Invalid(field.Path(path), is, rule.FieldImmutable))
		}
	}
	errs.Add(validateDefinitionStatus(obj)...)
	errs.Add(validateStoredVersions(obj)...)
	errs.Add(validateApproval(obj, old)...)
	return append(errs, validatePreserve(obj, old)...)
}

// warnFormats warns about new unknown formats.
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

// unknownFormats returns the formats in the schemas of a definition that are not checked, without
// duplicates.
func unknownFormats(obj map[string]any) []string {
	var all []string
	for _, v := range tree.Objects(tree.Object(obj, "spec"), "versions") {
		for _, format := range structural.UnknownFormats(structural.Parse(tree.Object(tree.Object(v, "schema"),
			"openAPIV3Schema"))) {
			if !slices.Contains(all, format) {
				all = append(all, format)
			}
		}
	}
	return all
}
