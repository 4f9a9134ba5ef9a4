// Package metadata validates the metadata that all objects have: names, labels, annotations,
// owners, finalizers and managed fields, for new and for changed objects. It costs the size of the
// metadata.
package metadata

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// MetaUpdate prepares the metadata of a changed object and validates it: as that of any API object,
// and then as the kind does, which is why clients see most causes twice or more often.
func MetaUpdate(res *schema.Resource, obj, old map[string]any, checks schema.MetaChecks) field.ErrorList {
	Carry(obj, old)
	errs := AnyUpdate(res, obj, old)
	if !checks.NotCompared {
		errs.Add(Compare(res, obj, old)...)
	}
	for range checks.AsNew {
		errs.Add(Validate(res, obj)...)
	}
	return errs
}

// AnyUpdate returns the violations of a changed object's metadata as that of any API object.
func AnyUpdate(res *schema.Resource, obj, old map[string]any) field.ErrorList {
	return append(ValidateAs(res.Namespaced, schema.PathSegment, obj), ValidateUpdate(obj, old)...)
}

// Compare returns the violations of a changed object's metadata that a kind finds.
func Compare(res *schema.Resource, obj, old map[string]any) field.ErrorList {
	return append(ValidateUpdate(obj, old), validateFinalizerNames(res, object.Meta(obj))...)
}

// MaxFieldManager is the maximum length of a field manager's name, in bytes.
const MaxFieldManager = 128

const maxAnnotations = 256 << 10 // bytes of all keys and values together

const maxGenerateName = 58

const orphan = "orphan"

const foreground = "foregroundDeletion"

// GeneratedName returns the name made of a generateName and a random suffix: of a long prefix only
// the first 58 bytes are used.
func GeneratedName(generateName, suffix string) string {
	return generateName[:min(len(generateName), maxGenerateName)] + suffix
}

// checkName returns what is wrong with a name of a form. A prefix is the beginning of a
// generated name: it may end in a dash.
func checkName(form schema.NameRule, name string, prefix bool) []string {
	switch {
	case form == schema.AnyName, form == schema.IPName:
		return nil
	case form == schema.PathSegment:
		if prefix {
			return syntax.PathSegmentPrefix(name)
		}
		return syntax.PathSegment(name)
	case prefix && len(name) > 1 && strings.HasSuffix(name, "-"):
		// The real server checks the name with its last two characters replaced.
		name = name[:len(name)-2] + "a"
	}
	switch form {
	case schema.DNSLabel:
		return syntax.Label(name)
	case schema.DNSSubdomain:
		return syntax.Subdomain(name)
	}
	return nil
}

// NameCheck returns what is wrong with a name of an object, given what its form has wrong.
type NameCheck func(obj map[string]any, name string, wrong []string) []string

// Validate returns the violations of the metadata of a new object.
func Validate(res *schema.Resource, obj map[string]any) field.ErrorList {
	return ValidateNamed(res, obj, nil)
}

// ValidateNamed is Validate for a kind that checks names in its own way, if check is not nil.
func ValidateNamed(res *schema.Resource, obj map[string]any, check NameCheck) field.ErrorList {
	if res.AnyPrefix {
		// These kinds describe the form of names in a newer way, which counts bytes.
		check = func(_ map[string]any, name string, _ []string) []string { return syntax.LongName(name) }
	}
	errs := field.Lazily("metadata", func(at field.Path) field.ErrorList {
		return metaErrors(res.Namespaced, res.NameRule, check, obj, at)
	})
	if res.AnyPrefix {
		errs = slices.DeleteFunc(errs, func(e *field.Error) bool { return e.Field == "metadata.generateName" })
	}
	return append(errs, validateFinalizerNames(res, object.Meta(obj))...)
}

// ValidateAs returns the violations of metadata whose names have a form.
func ValidateAs(namespaced bool, form schema.NameRule, obj map[string]any) field.ErrorList {
	return field.Lazily("metadata", func(at field.Path) field.ErrorList {
		return metaErrors(namespaced, form, nil, obj, at)
	})
}

func metaErrors(
	namespaced bool, form schema.NameRule, check NameCheck, obj map[string]any, at field.Path,
) field.ErrorList {
	var errs field.ErrorList
	meta := object.Meta(obj)
	names := func(name string, prefix bool) []string {
		wrong := checkName(form, name, prefix)
		if check != nil {
			return check(obj, name, wrong)
		}
		return wrong
	}
	if g := tree.Text(meta, "generateName"); g != "" {
		for _, wrong := range names(g, true) {
			errs.Add(field.Invalid(at.Child("generateName"), g, wrong))
		}
	}
	if name := tree.Text(meta, "name"); name == "" {
		errs.Add(field.Required(at.Child("name"), "name or generateName is required"))
	} else {
		for _, wrong := range names(name, false) {
			errs.Add(field.Invalid(at.Child("name"), name, wrong))
		}
	}
	switch ns := tree.Text(meta, "namespace"); {
	case namespaced && ns == "":
		errs.Add(field.Required(at.Child("namespace"), ""))
	case namespaced:
		for _, wrong := range syntax.Label(ns) {
			errs.Add(field.Invalid(at.Child("namespace"), ns, wrong))
		}
	case ns != "":
		errs.Add(field.Forbidden(at.Child("namespace"), "not allowed on this type"))
	}
	if g, _ := tree.Int(meta, "generation"); g < 0 {
		errs.Add(field.Invalid(at.Child("generation"), g, rule.MustNotBeNegative))
	}
	errs.Add(ValidateLabels(tree.Object(meta, "labels"), at.Child("labels"))...)
	errs.Add(ValidateAnnotations(tree.Object(meta, "annotations"), at.Child("annotations"))...)
	errs.Add(validateOwners(tree.List(meta, "ownerReferences"), at.Child("ownerReferences"))...)
	errs.Add(ValidateFinalizers(tree.Texts(meta, "finalizers"), at.Child("finalizers"))...)
	return append(errs, validateManagers(tree.List(meta, "managedFields"), at.Child("managedFields"))...)
}

// ValidateUpdate returns the violations of changed metadata.
func ValidateUpdate(obj, old map[string]any) field.ErrorList {
	return field.Lazily("metadata", func(at field.Path) field.ErrorList { return updateErrors(obj, old, at) })
}

func updateErrors(obj, old map[string]any, at field.Path) field.ErrorList {
	meta, was := object.Meta(obj), object.Meta(old)
	var errs field.ErrorList
	if was["deletionTimestamp"] != nil {
		var added []string
		before := tree.SetOf(tree.Texts(was, "finalizers"))
		for _, f := range tree.Texts(meta, "finalizers") {
			if !before[f] {
				added = append(added, f)
			}
		}
		slices.Sort(added)
		if added = slices.Compact(added); len(added) > 0 {
			errs.Add(field.Forbidden(at.Child("finalizers"), fmt.Sprintf(
				"no new finalizers can be added if the object is being deleted, found new finalizers %#v", added)))
		}
	}
	if tree.Text(meta, "resourceVersion") == "" {
		errs.Add(field.Invalid(at.Child("resourceVersion"), "", "must be specified for an update"))
	}
	g, _ := tree.Int(meta, "generation")
	if before, _ := tree.Int(was, "generation"); g < before {
		errs.Add(field.Invalid(at.Child("generation"), g, "must not be decremented"))
	}
	for _, name := range []string{"name", "namespace", "uid"} {
		if v := tree.Text(meta, name); v != tree.Text(was, name) {
			errs.Add(field.Invalid(at.Child(name), v, rule.FieldImmutable))
		}
	}
	for _, name := range []string{"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"} {
		if !object.Equal(meta[name], was[name]) {
			errs.Add(field.Invalid(at.Child(name), meta[name], rule.FieldImmutable))
		}
	}
	errs.Add(ValidateLabels(tree.Object(meta, "labels"), at.Child("labels"))...)
	errs.Add(ValidateAnnotations(tree.Object(meta, "annotations"), at.Child("annotations"))...)
	errs.Add(validateOwners(tree.List(meta, "ownerReferences"), at.Child("ownerReferences"))...)
	return append(errs, validateManagers(tree.List(meta, "managedFields"), at.Child("managedFields"))...)
}

// Carry copies fields that an update cannot change from the old object.
func Carry(obj, old map[string]any) {
	meta, was := object.Meta(obj), object.Meta(old)
	if tree.Text(meta, "uid") == "" {
		tree.Keep(meta, was, "uid")
	}
	if was["creationTimestamp"] != nil {
		tree.Keep(meta, was, "creationTimestamp")
	}
	if was["deletionTimestamp"] != nil {
		tree.Keep(meta, was, "deletionTimestamp")
	}
	if was["deletionGracePeriodSeconds"] != nil && meta["deletionGracePeriodSeconds"] == nil {
		tree.Keep(meta, was, "deletionGracePeriodSeconds")
	}
}

// ValidateLabels returns the violations of labels.
func ValidateLabels(labels map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	wrong := func(key string) bool {
		return syntax.LabelKey(key) != nil || syntax.LabelValue(tree.Text(labels, key)) != nil
	}
	for _, key := range tree.Wrong(labels, wrong) {
		for _, wrong := range syntax.LabelKey(key) {
			errs.Add(field.Invalid(at, key, wrong))
		}
		for _, wrong := range syntax.LabelValue(tree.Text(labels, key)) {
			errs.Add(field.Invalid(at, tree.Text(labels, key), wrong))
		}
	}
	return errs
}

// ValidateAnnotations returns the violations of annotations.
func ValidateAnnotations(annotations map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, key := range tree.Wrong(annotations, func(key string) bool { return annotationKey(key) != nil }) {
		for _, wrong := range annotationKey(key) {
			errs.Add(field.Invalid(at, key, wrong))
		}
	}
	size := 0
	for key := range annotations {
		size += len(key) + len(tree.Text(annotations, key))
	}
	if size > maxAnnotations {
		errs.Add(field.TooLong(at, maxAnnotations))
	}
	return errs
}

func annotationKey(key string) []string { return syntax.LabelKey(strings.ToLower(key)) }

func validateOwners(owners []any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	var controller map[string]any
	for _, o := range owners {
		owner := tree.Map(o)
		apiVersion, kind, name := tree.Text(owner, "apiVersion"), tree.Text(owner, "kind"), tree.Text(owner, "name")
		version := apiVersion[strings.Index(apiVersion, "/")+1:]
		if version == "" || strings.Contains(version, "/") {
			errs.Add(field.Invalid(at.Child("apiVersion"), apiVersion, "version must not be empty"))
		}
		for _, f := range []string{"kind", "name", "uid"} {
			if tree.Text(owner, f) == "" {
				errs.Add(field.Invalid(at.Child(f), "", "must not be empty"))
			}
		}
		if apiVersion == "v1" && kind == "Event" {
			errs.Add(field.Invalid(at, tree.Ordered(owner, ownerFields...), "/v1, Kind=Event is disallowed from being an owner"))
		}
		if !tree.Bool(owner, "controller") {
			continue
		}
		if controller != nil {
			errs.Add(field.Invalid(at, tree.OrderedList(owners, ownerFields...), fmt.Sprintf(
				`Only one reference can have Controller set to true. Found "true" in references for %v/%v and %v/%v`,
				tree.Text(controller, "kind"), tree.Text(controller, "name"), kind, name)))
			continue
		}
		controller = owner
	}
	return errs
}

var ownerFields = []string{"apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"}

// ValidateFinalizers returns the violations of finalizers in all objects; a kind may also require
// their names to have a domain.
func ValidateFinalizers(finalizers []string, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, f := range finalizers {
		for _, wrong := range syntax.LabelKey(f) {
			errs.Add(field.Invalid(at, f, wrong))
		}
	}
	if slices.Contains(finalizers, orphan) && slices.Contains(finalizers, foreground) {
		errs.Add(field.Invalid(at, finalizers, "finalizer orphan and foregroundDeletion cannot be both set"))
	}
	return errs
}

// validateFinalizerNames checks that finalizers are standard ones or have a domain.
func validateFinalizerNames(res *schema.Resource, meta map[string]any) field.ErrorList {
	if res.AnyFinalizer {
		return nil
	}
	var errs field.ErrorList
	at := field.Path("metadata.finalizers")
	for i, f := range tree.Texts(meta, "finalizers") {
		if !StandardFinalizer(f) {
			errs.Add(field.Invalid(at.Index(i), f, UnqualifiedFinalizer))
		}
	}
	return errs
}

// UnqualifiedFinalizer is the violation of a finalizer that is not a StandardFinalizer.
const UnqualifiedFinalizer = "name is neither a standard finalizer name nor is it fully qualified"

// StandardFinalizer reports whether a finalizer is one of Kubernetes or has a domain.
func StandardFinalizer(f string) bool {
	return strings.Contains(f, "/") || f == orphan || f == foreground || f == "kubernetes"
}

func validateManagers(entries []any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, e := range entries {
		entry, at := tree.Map(e), at.Index(i)
		if op := tree.Text(entry, "operation"); op != "Apply" && op != "Update" {
			errs.Add(field.Invalid(at.Child("operation"), op, "must be `Apply` or `Update`"))
		}
		if t := tree.Text(entry, "fieldsType"); t != "" && t != "FieldsV1" {
			errs.Add(field.Invalid(at.Child("fieldsType"), t, "must be `FieldsV1`"))
		}
		errs.Add(ValidateFieldManager(tree.Text(entry, "manager"), at.Child("manager"))...)
		if len(tree.Text(entry, "subresource")) > 256 {
			errs.Add(field.TooLong(at.Child("subresource"), 256))
		}
	}
	return errs
}

// ValidateFieldManager returns the violations of the name of a field manager.
func ValidateFieldManager(name string, at field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(name) > MaxFieldManager {
		errs.Add(field.TooLong(at, MaxFieldManager))
	}
	for i, r := range name {
		if !unicode.IsPrint(r) {
			errs.Add(field.Invalid(at, name, fmt.Sprintf("invalid character %#U (at position %d)", r, i)))
		}
	}
	return errs
}
