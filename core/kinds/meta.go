package kinds

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// MaxFieldManager is how long the name of a field manager may be, in bytes.
const MaxFieldManager = 128

const (
	maxAnnotations  = 256 << 10 // bytes of all keys and values together
	maxGenerateName = 58
	orphan          = "orphan"
	foreground      = "foregroundDeletion"
	immutable       = "field is immutable"
	notNegative     = "must be greater than or equal to 0"
)

// GeneratedName is the name made of a generateName and a random suffix: of a
// long prefix only the first 58 bytes count.
func GeneratedName(generateName, suffix string) string {
	return generateName[:min(len(generateName), maxGenerateName)] + suffix
}

// CheckName says what is wrong with a name under a rule. A prefix is the
// beginning of a generated name: it may end in a dash.
func CheckName(form schema.NameRule, name string, prefix bool) []string {
	if form == schema.PathSegment {
		if prefix {
			return syntax.PathSegmentPrefix(name)
		}
		return syntax.PathSegment(name)
	}
	if prefix && len(name) > 1 && strings.HasSuffix(name, "-") {
		// The real server looks at the name with its last two characters replaced.
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

// ValidateMeta checks the metadata of a new object.
func ValidateMeta(res *schema.Resource, obj map[string]any) field.ErrorList {
	errs := validateMetaOf(res.Namespaced, res.NameRule, obj)
	if res.AnyPrefix {
		errs = slices.DeleteFunc(errs, func(e *field.Error) bool { return e.Field == "metadata.generateName" })
	}
	return append(errs, validateFinalizerNames(res, object.Meta(obj))...)
}

func validateMetaOf(namespaced bool, form schema.NameRule, obj map[string]any) field.ErrorList {
	return field.Lazily("metadata", func(at field.Path) field.ErrorList {
		return metaErrors(namespaced, form, object.Meta(obj), at)
	})
}

func metaErrors(namespaced bool, form schema.NameRule, meta map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	if g := str(meta, "generateName"); g != "" {
		for _, wrong := range CheckName(form, g, true) {
			errs.Add(field.Invalid(at.Child("generateName"), g, wrong))
		}
	}
	if name := str(meta, "name"); name == "" {
		errs.Add(field.Required(at.Child("name"), "name or generateName is required"))
	} else {
		for _, wrong := range CheckName(form, name, false) {
			errs.Add(field.Invalid(at.Child("name"), name, wrong))
		}
	}
	switch ns := str(meta, "namespace"); {
	case namespaced && ns == "":
		errs.Add(field.Required(at.Child("namespace"), ""))
	case namespaced:
		for _, wrong := range syntax.Label(ns) {
			errs.Add(field.Invalid(at.Child("namespace"), ns, wrong))
		}
	case ns != "":
		errs.Add(field.Forbidden(at.Child("namespace"), "not allowed on this type"))
	}
	if g, _ := num(meta, "generation"); g < 0 {
		errs.Add(field.Invalid(at.Child("generation"), g, notNegative))
	}
	errs.Add(validateLabels(dict(meta, "labels"), at.Child("labels"))...)
	errs.Add(validateAnnotations(dict(meta, "annotations"), at.Child("annotations"))...)
	errs.Add(validateOwners(list(meta, "ownerReferences"), at.Child("ownerReferences"))...)
	errs.Add(validateFinalizers(strs(meta, "finalizers"), at.Child("finalizers"))...)
	return append(errs, validateManagers(list(meta, "managedFields"), at.Child("managedFields"))...)
}

// ValidateMetaUpdate checks what may not change in metadata.
func ValidateMetaUpdate(obj, old map[string]any) field.ErrorList {
	meta, was, at := object.Meta(obj), object.Meta(old), field.Path("metadata")
	var errs field.ErrorList
	if was["deletionTimestamp"] != nil {
		var added []string
		before := setOf(strs(was, "finalizers"))
		for _, f := range strs(meta, "finalizers") {
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
	if str(meta, "resourceVersion") == "" {
		errs.Add(field.Invalid(at.Child("resourceVersion"), "", "must be specified for an update"))
	}
	g, _ := num(meta, "generation")
	if before, _ := num(was, "generation"); g < before {
		errs.Add(field.Invalid(at.Child("generation"), g, "must not be decremented"))
	}
	for _, name := range []string{"name", "namespace", "uid"} {
		if v := str(meta, name); v != str(was, name) {
			errs.Add(field.Invalid(at.Child(name), v, immutable))
		}
	}
	for _, name := range []string{"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"} {
		if !object.Equal(meta[name], was[name]) {
			errs.Add(field.Invalid(at.Child(name), meta[name], immutable))
		}
	}
	errs.Add(validateLabels(dict(meta, "labels"), at.Child("labels"))...)
	errs.Add(validateAnnotations(dict(meta, "annotations"), at.Child("annotations"))...)
	errs.Add(validateOwners(list(meta, "ownerReferences"), at.Child("ownerReferences"))...)
	return append(errs, validateManagers(list(meta, "managedFields"), at.Child("managedFields"))...)
}

// carryMeta takes over from the old object what an update cannot change.
func carryMeta(obj, old map[string]any) {
	meta, was := object.Meta(obj), object.Meta(old)
	if str(meta, "uid") == "" {
		keepField(meta, was, "uid")
	}
	if was["creationTimestamp"] != nil {
		keepField(meta, was, "creationTimestamp")
	}
	if was["deletionTimestamp"] != nil {
		keepField(meta, was, "deletionTimestamp")
	}
	if was["deletionGracePeriodSeconds"] != nil && meta["deletionGracePeriodSeconds"] == nil {
		keepField(meta, was, "deletionGracePeriodSeconds")
	}
}

func validateLabels(labels map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, key := range sortedKeys(labels) {
		for _, wrong := range syntax.LabelKey(key) {
			errs.Add(field.Invalid(at, key, wrong))
		}
		for _, wrong := range syntax.LabelValue(str(labels, key)) {
			errs.Add(field.Invalid(at, str(labels, key), wrong))
		}
	}
	return errs
}

func validateAnnotations(annotations map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	size := 0
	for _, key := range sortedKeys(annotations) {
		for _, wrong := range syntax.LabelKey(strings.ToLower(key)) {
			errs.Add(field.Invalid(at, key, wrong))
		}
		size += len(key) + len(str(annotations, key))
	}
	if size > maxAnnotations {
		errs.Add(field.TooLong(at, maxAnnotations))
	}
	return errs
}

func validateOwners(owners []any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	controller := ""
	for _, o := range owners {
		owner := asMap(o)
		apiVersion, kind, name := str(owner, "apiVersion"), str(owner, "kind"), str(owner, "name")
		version := apiVersion[strings.Index(apiVersion, "/")+1:]
		if version == "" || strings.Contains(version, "/") {
			errs.Add(field.Invalid(at.Child("apiVersion"), apiVersion, "version must not be empty"))
		}
		for _, f := range []string{"kind", "name", "uid"} {
			if str(owner, f) == "" {
				errs.Add(field.Invalid(at.Child(f), "", "must not be empty"))
			}
		}
		if apiVersion == "v1" && kind == "Event" {
			errs.Add(field.Invalid(at, ordered(owner, ownerFields...), "/v1, Kind=Event is disallowed from being an owner"))
		}
		if !flag(owner, "controller") {
			continue
		}
		if controller != "" {
			errs.Add(field.Invalid(at, orderedList(owners, ownerFields...), fmt.Sprintf(
				`Only one reference can have Controller set to true. Found "true" in references for %v and %v`, controller, kind+"/"+name)))
			continue
		}
		controller = kind + "/" + name
	}
	return errs
}

var ownerFields = []string{"apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"}

func validateFinalizers(finalizers []string, at field.Path) field.ErrorList {
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

// validateFinalizerNames checks that finalizers belong to someone: they are
// standard ones or have a domain.
func validateFinalizerNames(res *schema.Resource, meta map[string]any) field.ErrorList {
	if res.AnyFinalizer {
		return nil
	}
	var errs field.ErrorList
	at := field.Path("metadata.finalizers")
	for i, f := range strs(meta, "finalizers") {
		if !standardFinalizer(f) {
			errs.Add(field.Invalid(at.Index(i), f, unqualifiedFinalizer))
		}
	}
	return errs
}

const unqualifiedFinalizer = "name is neither a standard finalizer name nor is it fully qualified"

func standardFinalizer(f string) bool {
	return strings.Contains(f, "/") || f == orphan || f == foreground || f == "kubernetes"
}

func validateManagers(entries []any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, e := range entries {
		entry, at := asMap(e), at.Index(i)
		if op := str(entry, "operation"); op != "Apply" && op != "Update" {
			errs.Add(field.Invalid(at.Child("operation"), op, "must be `Apply` or `Update`"))
		}
		if t := str(entry, "fieldsType"); t != "" && t != "FieldsV1" {
			errs.Add(field.Invalid(at.Child("fieldsType"), t, "must be `FieldsV1`"))
		}
		errs.Add(ValidateFieldManager(str(entry, "manager"), at.Child("manager"))...)
		if len(str(entry, "subresource")) > 256 {
			errs.Add(field.TooLong(at.Child("subresource"), 256))
		}
	}
	return errs
}

// ValidateFieldManager checks the name of a field manager.
func ValidateFieldManager(name string, at field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(name) > MaxFieldManager {
		errs.Add(field.TooLong(at, MaxFieldManager))
	}
	for i, r := range name {
		if !printable(r) {
			errs.Add(field.Invalid(at, name, fmt.Sprintf("invalid character %#U (at position %d)", r, i)))
		}
	}
	return errs
}
