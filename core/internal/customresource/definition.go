// Package customresource reads CustomResourceDefinitions: it makes a definition's rows in the table
// of resource types, one for each served version, and reads and sets its conditions. A Tracker
// keeps the table up to date with the stored definitions.
//
// Invariants: New reads a validated definition (core/internal/kinds/extension) and never changes it. Which
// names are accepted is decided by core/internal/controller, since that takes all definitions.
//
// What converts objects between the versions of a definition is set by the maker of a Tracker: Tracker.Link gets the
// rows of each definition that is served, before anyone sees them.
//
// Reading a definition costs its size, most of which is schemas. What all definitions take together is
// limited: a Tracker neither admits nor serves definitions beyond that.
package customresource

import (
	"slices"
	"strings"
	"sync/atomic"

	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// Finalizer keeps a definition until its objects are deleted.
const Finalizer = "customresourcecleanup.apiextensions.k8s.io"

// The conditions of a definition.
const (
	NamesAccepted = "NamesAccepted"
	Established   = "Established"
	Terminating   = "Terminating"
	// Approved is a condition of definitions in the groups of Kubernetes itself.
	Approved = "KubernetesAPIApprovalPolicyConformant"
)

// Condition returns a condition of a definition, nil if it has none of that type.
func Condition(crd map[string]any, kind string) map[string]any {
	for _, c := range object.GetList(crd, "status", "conditions") {
		if c, ok := c.(map[string]any); ok && c["type"] == kind {
			return c
		}
	}
	return nil
}

// IsTrue reports whether a definition has a condition that is True.
func IsTrue(crd map[string]any, kind string) bool { return Condition(crd, kind)["status"] == "True" }

// SetCondition sets a condition of a definition, which may then share parts with its earlier state.
// The time changes only with the status.
func SetCondition(crd map[string]any, kind, value, reason, message, now string) {
	next := map[string]any{"type": kind, "status": value, "reason": reason, "message": message, "lastTransitionTime": now}
	list := slices.Clone(object.GetList(crd, "status", "conditions"))
	at := slices.IndexFunc(list, func(c any) bool {
		c2, ok := c.(map[string]any)
		return ok && c2["type"] == kind
	})
	if at < 0 {
		list = append(list, next)
	} else {
		old := list[at].(map[string]any)
		if old["status"] == value && old["lastTransitionTime"] != nil {
			next["lastTransitionTime"] = old["lastTransitionTime"]
		}
		list[at] = next
	}
	object.SetNested(crd, list, "status", "conditions")
}

// A Definition has the rows of the resource types that a CustomResourceDefinition defines.
type Definition struct {
	// Stored is the row of the version that objects are stored in, served or not.
	Stored *schema.Resource
	// Served are the rows of the served versions, the preferred one first.
	Served []*schema.Resource

	all         []*schema.Resource // served or not
	crd         map[string]any
	revision    int64
	terminating atomic.Bool
	gone        chan struct{}
}

// New reads a definition, at its revision, whose names are accepted. It is nil if the definition has
// no storage version, which validation prevents.
func New(crd map[string]any, rev int64) *Definition {
	d := &Definition{crd: crd, revision: rev, gone: make(chan struct{})}
	d.terminating.Store(IsTrue(crd, Terminating))
	for _, v := range object.GetList(crd, "spec", "versions") {
		version, _ := v.(map[string]any)
		row := d.row(version)
		d.all = append(d.all, row)
		if object.GetBool(version, "storage") {
			d.Stored = row
		}
		if object.GetBool(version, "served") {
			d.Served = append(d.Served, row)
		}
	}
	if d.Stored == nil {
		return nil
	}
	slices.SortFunc(d.Served, func(a, b *schema.Resource) int { return schema.CompareVersions(a.Version, b.Version) })
	for _, row := range d.all {
		row.StorageVersionHash = schema.StorageVersionHash(row.Group, d.Stored.Version, row.Kind)
	}
	schema.LinkVersions(d.Stored, d.all)
	return d
}

// verbs are in the order in which discovery lists those of custom resources.
var (
	verbs    = []string{"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"}
	subVerbs = []string{"get", "patch", "update"}
)

// row returns the row of a version.
func (d *Definition) row(version map[string]any) *schema.Resource {
	names := object.GetMap(d.crd, "status", "acceptedNames")
	group, name := object.GetString(d.crd, "spec", "group"), object.GetString(version, "name")
	text := func(name string) string { return object.GetString(names, name) }
	r := &schema.Resource{
		Group: group, Version: name,
		Plural: text("plural"), Singular: text("singular"), Kind: text("kind"), ListKind: text("listKind"),
		Namespaced: object.GetString(d.crd, "spec", "scope") == "Namespaced",
		ShortNames: object.GetStrings(names, "shortNames"), Categories: object.GetStrings(names, "categories"), Verbs: verbs,
		StoragePrefix: "/registry/" + group + "/" + text("plural"),
		Behaviour:     schema.Behaviour{HasGeneration: true, AnyFinalizer: true, NameRule: schema.DNSSubdomain},
		Columns:       columns(version),
		Custom: &schema.Custom{
			Schema:      structural.Parse(object.GetMap(version, "schema", "openAPIV3Schema")),
			Terminating: &d.terminating, Revision: d.revision, Gone: d.gone,
		},
	}
	if r.Custom.Schema == nil {
		r.Custom.Schema = &structural.Schema{}
	}
	if object.GetBool(version, "deprecated") {
		r.Deprecated = d.deprecation(r, version)
	}
	if object.GetMap(version, "subresources", "status") != nil {
		r.HasStatus = true
		r.Subresources = append(r.Subresources,
			schema.Subresource{Name: "status", Group: group, Version: name, Kind: r.Kind, Verbs: subVerbs})
	}
	if scale := object.GetMap(version, "subresources", "scale"); scale != nil {
		r.Custom.Scale = &schema.ScalePaths{
			Spec: path(scale["specReplicasPath"]), Status: path(scale["statusReplicasPath"]),
			Selector: path(scale["labelSelectorPath"]),
		}
		r.Subresources = append(r.Subresources,
			schema.Subresource{Name: "scale", Group: "autoscaling", Version: "v1", Kind: "Scale", Verbs: subVerbs})
	}
	for _, f := range object.GetList(version, "selectableFields") {
		field, _ := f.(map[string]any)
		r.Custom.Selectable = append(r.Custom.Selectable, strings.TrimPrefix(object.GetString(field, "jsonPath"), "."))
	}
	return r
}

// deprecation returns the warning about a deprecated version: the definition's own text, or which
// version to use, the best of the served ones that are not deprecated.
func (d *Definition) deprecation(r *schema.Resource, version map[string]any) string {
	if own, ok := version["deprecationWarning"].(string); ok {
		return own
	}
	best := ""
	for _, v := range object.GetList(d.crd, "spec", "versions") {
		other, _ := v.(map[string]any)
		name := object.GetString(other, "name")
		if object.GetBool(other, "served") && !object.GetBool(other, "deprecated") &&
			schema.CompareVersions(name, r.Version) < 0 &&
			(best == "" || schema.CompareVersions(name, best) < 0) {
			best = name
		}
	}
	text := r.APIVersion() + " " + r.Kind + " is deprecated"
	if best != "" {
		text += "; use " + r.Group + "/" + best + " " + r.Kind
	}
	return text
}

func columns(version map[string]any) []schema.Column {
	var all []schema.Column
	for _, c := range object.GetList(version, "additionalPrinterColumns") {
		column, _ := c.(map[string]any)
		text := func(name string) string { return object.GetString(column, name) }
		priority, _ := object.GetInt(column, "priority")
		all = append(all, schema.Column{
			Name: text("name"), Type: text("type"), Format: text("format"), Description: text("description"),
			JSONPath: text("jsonPath"), Priority: int32(priority),
		})
	}
	return all
}

// path splits a path of names with a dot before each.
func path(v any) []string {
	text, _ := v.(string)
	if text = strings.TrimPrefix(text, "."); text == "" {
		return nil
	}
	return strings.Split(text, ".")
}

// Follow updates the Definition to a later state of the object. It reports whether the rows stay as
// they are; if not, a new Definition has to replace this one.
func (d *Definition) Follow(crd map[string]any) (same bool) {
	if !object.Equal(crd["spec"], d.crd["spec"]) ||
		!object.Equal(object.GetMap(crd, "status", "acceptedNames"), object.GetMap(d.crd, "status", "acceptedNames")) {
		return false
	}
	d.terminating.Store(IsTrue(crd, Terminating))
	return true
}

// End ends the watches of the rows, which are not served any more.
func (d *Definition) End() { close(d.gone) }
