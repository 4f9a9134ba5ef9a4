package managedfields

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/status"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// Apply merges config, the manager's complete configuration of the object, into live, which is nil
// for an object that does not exist, and returns the result with its entries. force takes over
// fields that others own.
//
// The error is a Conflict with a cause for each field that another manager owns with another value,
// a BadRequest for a config of another type, and otherwise, as in the real server, an internal one
// that says what does not match the schema.
func (w Write) Apply(live, config map[string]any, force bool) (map[string]any, error) {
	g := w.group()
	if w.Given != nil { // which an attempt before may have filled
		*w.Given = object.Given{}
	}
	m, err := parse(entriesOf(live))
	if err != nil {
		return nil, fmt.Errorf("failed to decode managed fields: %w", err)
	}
	if kind := gvk(object.APIVersion(config), object.Kind(config)); kind != g.gvk() {
		return nil, status.NewBadRequest("invalid object type: " + kind)
	}
	obj, after, err := w.apply(g, g.live(live), config, m, force)
	var conflicts merge.Conflicts
	if errors.As(err, &conflicts) && w.Manager == kubectl {
		if allowed := g.lastApplied(live); allowed != nil {
			conflicts = slices.DeleteFunc(slices.Clone(conflicts), func(c merge.Conflict) bool { return allowed.Has(c.Path) })
			err = conflicts
			if len(conflicts) == 0 {
				if m, err = parse(entriesOf(live)); err == nil {
					obj, after, err = w.apply(g, g.live(live), config, m, true)
				}
			}
		}
	}
	switch {
	case errors.As(err, &conflicts):
		return nil, conflictError(conflicts, after)
	case err != nil:
		return nil, err
	}
	if w.Manager == kubectl {
		keepLastApplied(obj, config)
	}
	return obj, setEntries(obj, after, g.kind == nil)
}

// manages reports whether a configuration's managedFields are entries: a list of objects, even an
// empty one. Anything else is left to the schema, which refuses it.
func manages(managedFields any) bool {
	list, ok := managedFields.([]any)
	return ok && !slices.ContainsFunc(list, func(e any) bool { _, isMap := e.(map[string]any); return !isMap })
}

// apply is Apply with separate entries. Fields of an object without entries first get an owner.
func (w Write) apply(g group, live, config map[string]any, m *managed, force bool) (map[string]any, *managed, error) {
	if len(m.fields) == 0 {
		before := w
		before.Manager = beforeApply
		if err := w.update(g, g.empty(), live, m, before.manager(operationUpdate, g.apiVersion)); err != nil {
			return nil, m, fmt.Errorf("failed to create manager for existing fields: %w", err)
		}
	}
	if manages(object.GetMap(config, "metadata")["managedFields"]) {
		return nil, m, status.NewBadRequest("metadata.managedFields must be nil")
	}
	wanted, err := read(config, g.parser)
	if err != nil {
		return nil, m, fmt.Errorf("failed to create typed patch object (%s): %w", g.describe(config), sorted(err))
	}
	was, err := g.typed(live, typed.AllowDuplicates)
	if err != nil {
		return nil, m, fmt.Errorf("failed to create typed live object (%s): %w", g.describe(live), err)
	}
	id := m.know(w.manager(operationApply, g.apiVersion))
	merged, err := g.updater(m.fields).apply(was, wanted, id, force)
	if err != nil {
		return nil, m, err
	}
	m.strip(id)
	if merged == nil { // nothing has changed except, perhaps, ownership
		obj := object.DeepCopy(live)
		delete(object.Meta(obj), "managedFields")
		return obj, m, nil
	}
	if w.Subresource == scale && w.Resource.Custom != nil {
		// The real server converts the Scale as if it were a custom resource.
		return nil, m, fmt.Errorf("failed to convert new object (%s) to proper version: "+
			"request to convert CR to an invalid group/version: %s", g.describe(config), g.apiVersion)
	}
	m.times[id] = w.Now.UTC().Format(time.RFC3339)
	obj, ok := merged.AsValue().Unstructured().(map[string]any)
	if !ok {
		return nil, m, errors.New("the merged object is no object")
	}
	if g.kind == nil {
		return object.DeepCopy(obj), m, nil
	}
	full, _, err := object.Normalize(obj, g.kind)
	if err != nil { // Convert knows the reason, or that it matches all the same
		if full, _, err = object.Convert(object.DeepCopy(obj), g.kind, nil); err == nil {
			full, _, err = object.Normalize(full, g.kind)
		}
	}
	if err != nil {
		return nil, m, fmt.Errorf("failed to convert new object (%s) to proper version: "+
			"unable to convert unstructured object to %s: %w",
			g.describe(config), g.gvk(), err)
	}
	if w.Given != nil && hasEmpty(config) {
		_, _, _ = object.DecodeGiven(object.EncodeAny(nil, obj), g.kind, w.Given) // it has been decoded before
	}
	return full, m, nil
}

// hasEmpty reports whether there is a list or a map without entries in a value.
func hasEmpty(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			if hasEmpty(e) {
				return true
			}
		}
		return len(v) == 0
	case []any:
		return len(v) == 0 || slices.ContainsFunc(v, hasEmpty)
	}
	return false
}

// sorted sorts the errors of an object, which come in random order.
func sorted(err error) error {
	var errs typed.ValidationErrors
	if errors.As(err, &errs) {
		slices.SortFunc(errs, func(a, b typed.ValidationError) int { return cmp.Compare(a.Error(), b.Error()) })
	}
	return err
}

// gvk formats a kind as Go programs do.
func gvk(apiVersion, kind string) string {
	if !strings.Contains(apiVersion, "/") {
		apiVersion = "/" + apiVersion
	}
	return apiVersion + ", Kind=" + kind
}

func (g group) gvk() string { return gvk(g.apiVersion, g.name) }

// describe returns the name of an object for errors.
func (g group) describe(obj map[string]any) string {
	return object.Namespace(obj) + "/" + object.Name(obj) + "; " + g.gvk()
}

// conflictError returns the error of an apply to fields that others own.
func conflictError(conflicts merge.Conflicts, m *managed) error {
	// One manager's are sorted; the managers are not.
	slices.SortStableFunc(conflicts, func(a, b merge.Conflict) int { return cmp.Compare(a.Manager, b.Manager) })
	causes := make([]status.Cause, len(conflicts))
	byManager := map[string][]string{}
	for i, c := range conflicts {
		who, path := m.managers[c.Manager].String(), c.Path.String()
		causes[i] = status.Cause{Reason: "FieldManagerConflict", Message: "conflict with " + who, Field: path}
		byManager[c.Manager] = append(byManager[c.Manager], path)
	}
	message := fmt.Sprintf("Apply failed with 1 conflict: %s: %s", causes[0].Message, causes[0].Field)
	if len(conflicts) > 1 {
		var lines []string
		for _, id := range slices.Sorted(maps.Keys(byManager)) {
			lines = append(lines, fmt.Sprintf("conflicts with %s:", m.managers[id]))
			for _, path := range byManager[id] {
				lines = append(lines, "- "+path)
			}
		}
		message = fmt.Sprintf("Apply failed with %d conflicts: %s", len(conflicts), strings.Join(lines, "\n"))
	}
	return status.New(http.StatusConflict, status.Conflict, message, &status.Details{Causes: causes})
}

// String returns a manager as conflicts show it.
func (m manager) String() string {
	s := fmt.Sprintf("%q", m.name)
	if m.subresource != "" {
		s += fmt.Sprintf(" with subresource %q", m.subresource)
	}
	if m.operation == operationUpdate {
		s += " using " + m.apiVersion
	}
	return s
}

// kubectl's client-side apply keeps its last configuration in an annotation. Its server-side apply,
// under the manager's name "kubectl", may take over the fields in it, and keeps the annotation up
// to date.
const (
	kubectl               = "kubectl"
	lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration"
	maxAnnotations        = 256 << 10 // the maximum size of all annotations, in bytes
)

// lastApplied returns the fields in the annotation that still have its values; nil if there is no
// valid annotation.
func (g group) lastApplied(live map[string]any) *fieldpath.Set {
	text := object.GetString(live, "metadata", "annotations", lastAppliedAnnotation)
	if text == "" {
		return nil
	}
	config, _, err := object.Decode([]byte(text), nil)
	if err != nil || gvk(object.APIVersion(config), object.Kind(config)) != g.gvk() {
		return nil
	}
	last, err := read(config, g.parser)
	if err != nil {
		return nil
	}
	is, err := g.typed(live)
	if err != nil {
		return nil
	}
	set, err := last.ToFieldSet()
	if err != nil {
		return nil
	}
	differ, err := last.Compare(is)
	if err != nil {
		return nil
	}
	return set.Difference(differ.Modified).Difference(differ.Added).Difference(differ.Removed)
}

// keepLastApplied puts config into the annotation of an object that has one. The annotation is
// removed if it would be too large.
func keepLastApplied(obj, config map[string]any) {
	annotations := object.GetMap(obj, "metadata", "annotations")
	if text, _ := annotations[lastAppliedAnnotation].(string); text == "" {
		return
	}
	config = object.DeepCopy(config)
	object.RemoveNested(config, "metadata", "annotations", lastAppliedAnnotation)
	text, err := json.Marshal(config)
	if err != nil {
		return
	}
	annotations[lastAppliedAnnotation] = string(text) + "\n"
	size := 0
	for key, value := range annotations {
		text, _ := value.(string)
		size += len(key) + len(text)
	}
	if size > maxAnnotations {
		delete(annotations, lastAppliedAnnotation)
	}
}
