// Package strategy is the way of an object through what its kind does with it: filled in,
// admitted, prepared, validated, and, for Services, given what comes out of pools. A
// Strategy is the functions in which one kind differs from others; Create, Update,
// UpdateStatus and UpdateSubresource call them in the order of the real server.
//
// Strategies are never changed, so any number of requests may use one at a time.
package strategy

import (
	"slices"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/kinds/metadata"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// A Context is what strategies may ask about the cluster, for one request.
type Context struct {
	// Now is the time of the cluster. Required.
	Now func() time.Time
	// NewUID makes a uid. Required.
	NewUID func() string
	// ClusterIPs and NodePorts give Services their addresses and ports. A nil one
	// gives none, as in a dry run.
	ClusterIPs, NodePorts Allocator
	// PriorityClass finds what a Pod's priorityClassName stands for; the empty name
	// asks for the class that is the default of the cluster. Nil: there are only
	// the two of the system.
	PriorityClass func(name string) (class map[string]any, ok bool)
	// RuntimeClass finds what a Pod's runtimeClassName stands for. Nil: classes are not
	// looked at.
	RuntimeClass func(name string) (class map[string]any, ok bool)
	// Warnings are what the client should know about the object, if it is valid: the
	// texts of Warning headers.
	Warnings []string
	// Refused is set when admission refuses the object: the answer is Forbidden
	// with this text, whatever errors come with it.
	Refused string
}

// Refuse refuses the object. The error it returns is for callers that do not
// look at Refused.
func (c *Context) Refuse(err error) field.ErrorList {
	c.Refused = err.Error()
	return field.ErrorList{field.Forbidden("", err.Error())}
}

// Timestamp returns the time of the cluster as objects have it.
func (c *Context) Timestamp() string { return c.Now().UTC().Format(time.RFC3339) }

// Warn adds a warning.
func (c *Context) Warn(text string) { c.Warnings = append(c.Warnings, text) }

// An Allocator hands out values of which each may be used once.
type Allocator interface {
	// Take marks a value as used. It fails with a text for people when the value is
	// none of the allocator's or is in use.
	Take(value string) error
	// Next takes a free value. It fails when there is none.
	Next() (string, error)
	// Free gives a value back. A value that is not in use is ignored.
	Free(value string)
	// Rehearse is an allocator for one dry run, which takes nothing from this one.
	Rehearse() Allocator
}

// A Strategy is what is particular about one kind. All hooks are optional.
type Strategy struct {
	// Default fills in what the client left out. It must not change what is there,
	// nor anything the second time.
	Default func(obj map[string]any)
	// Admit does what the default admission plugins do to new objects.
	Admit func(c *Context, obj map[string]any) field.ErrorList
	// AdmitUpdate does what they do to changed ones.
	AdmitUpdate func(c *Context, obj, old map[string]any)
	// PrepareCreate resets and fills what the client has no say in. The status is
	// empty already where the kind has one.
	PrepareCreate func(c *Context, obj map[string]any)
	// PrepareUpdate is the same for an update. The status is the old one already.
	PrepareUpdate func(c *Context, obj, old map[string]any)
	// PrepareStatus is the same for an update of the status subresource. All but
	// metadata and status is the old object's already.
	PrepareStatus func(c *Context, obj, old map[string]any)

	// Validate returns the violations of a new object but for those of its metadata.
	Validate func(obj map[string]any) field.ErrorList
	// ValidateUpdate returns the violations of a changed object, which may depend on the
	// old one. Nil: those by Validate. See Unchecked.
	ValidateUpdate func(obj, old map[string]any) field.ErrorList
	// ValidateStatus does so when only the status may have changed.
	ValidateStatus func(obj, old map[string]any) field.ErrorList

	// MarkDeleted, if set, makes of the first deletion of an object a change of it:
	// the object goes once the finalizer that this adds is removed.
	MarkDeleted func(c *Context, obj map[string]any)

	// Leaf is set where nothing depends on the objects: no policy holds up their deletion.
	Leaf bool
	// OrphanWarning is what a deletion that does not say what becomes of the
	// dependents warns of.
	OrphanWarning string

	// Subresources are the updates of subresources that change a part of the object in
	// their own way, by name. They make obj ready to replace old and return its
	// violations, those of the metadata included.
	Subresources map[string]func(c *Context, obj, old map[string]any) field.ErrorList

	// KeepsStatus is set where a new object may come with a status.
	KeepsStatus bool
	// Raises reports whether a change raises the generation. Nil: anything outside
	// metadata and status does, where the kind has a generation.
	Raises func(obj, old map[string]any) bool

	// Allocate takes what the object needs from the Context's allocators, once it is
	// known to be valid; old is nil for a new object. Undo gives it back if the
	// object is not stored.
	Allocate func(c *Context, obj, old map[string]any) (undo func(), errs field.ErrorList)
	// Release gives back what an object that is gone had; of an object that was
	// replaced, what the new one has not: obj is nil after a deletion.
	Release func(c *Context, obj, old map[string]any)
}

// Unchecked is the ValidateUpdate of kinds of which an update is not validated beyond its
// metadata.
func Unchecked(_, _ map[string]any) field.ErrorList { return nil }

// Fill fills in what was left out of an object, as happens when a request is
// read, and again once the object is prepared, as happens when one is read from
// the storage.
func (s *Strategy) Fill(obj map[string]any) {
	if s.Default != nil {
		s.Default(obj)
	}
}

// AdmitNew does what the default admission plugins do to a new object, which is
// filled in, and returns why they refuse it.
func (s *Strategy) AdmitNew(c *Context, obj map[string]any) field.ErrorList {
	if s.Admit == nil {
		return nil
	}
	return s.Admit(c, obj)
}

// AdmitChanged does what they do to a changed object, which is filled in.
func (s *Strategy) AdmitChanged(c *Context, obj, old map[string]any) {
	if s.AdmitUpdate != nil {
		s.AdmitUpdate(c, obj, old)
	}
}

// Create makes obj, which is filled in and admitted, ready to be stored as a new
// object and returns its violations. Name, namespace, uid and
// creationTimestamp must be set.
func (s *Strategy) Create(c *Context, res *schema.Resource, obj map[string]any) field.ErrorList {
	if res.HasStatus && !s.KeepsStatus {
		clearStatus(res, obj)
	}
	if res.HasGeneration {
		object.Meta(obj)["generation"] = int64(1)
	}
	if s.PrepareCreate != nil {
		s.PrepareCreate(c, obj)
	}
	s.Fill(obj)
	errs := metadata.Validate(res, obj)
	if s.Validate != nil {
		errs.Add(s.Validate(obj)...)
	}
	return errs
}

// Update makes obj, which is filled in and admitted, ready to replace old and
// returns its violations. The resourceVersion must be set; identity and times
// may be left out and are then the old ones.
func (s *Strategy) Update(c *Context, res *schema.Resource, obj, old map[string]any) field.ErrorList {
	tree.Keep(object.Meta(obj), object.Meta(old), "generation")
	if res.HasStatus {
		tree.Keep(obj, old, "status")
	}
	if s.PrepareUpdate != nil {
		s.PrepareUpdate(c, obj, old)
	}
	s.Fill(obj)
	if res.HasGeneration && s.raises(obj, old) {
		object.Meta(obj)["generation"] = object.Generation(old) + 1
	}
	errs := metadata.MetaUpdate(res, obj, old, res.Meta)
	switch {
	case s.ValidateUpdate != nil:
		errs.Add(s.ValidateUpdate(obj, old)...)
	case s.Validate != nil:
		errs.Add(s.Validate(obj)...)
	}
	return errs
}

// UpdateStatus is Update for the status subresource.
func (s *Strategy) UpdateStatus(c *Context, res *schema.Resource, obj, old map[string]any) field.ErrorList {
	tree.Keep(object.Meta(obj), object.Meta(old), "generation")
	for _, from := range []map[string]any{obj, old} {
		for name := range from {
			switch name {
			case "kind", "apiVersion", "metadata", "status":
			default:
				tree.Keep(obj, old, name)
			}
		}
	}
	switch meta, was := object.Meta(obj), object.Meta(old); {
	case res.StatusMeta.KeepsAll:
		kept := object.DeepCopy(was)
		for _, name := range []string{"resourceVersion", "managedFields"} {
			tree.Keep(kept, meta, name)
		}
		obj["metadata"] = kept
	case res.StatusMeta.Keeps:
		KeepMeta(meta, was)
	}
	if s.PrepareStatus != nil {
		s.PrepareStatus(c, obj, old)
	}
	s.Fill(obj)
	errs := metadata.MetaUpdate(res, obj, old, res.StatusMeta)
	if s.ValidateStatus != nil {
		errs.Add(s.ValidateStatus(obj, old)...)
	}
	return errs
}

// UpdateSubresource is Update for any subresource. One without an update of its own,
// like scale, is another view of the whole object.
func (s *Strategy) UpdateSubresource(
	c *Context, res *schema.Resource, name string, obj, old map[string]any,
) field.ErrorList {
	if update, ok := s.Subresources[name]; ok {
		return update(c, obj, old)
	}
	if name == "status" {
		return s.UpdateStatus(c, res, obj, old)
	}
	return s.Update(c, res, obj, old)
}

// clearStatus makes the status what it is when nothing is known: empty but for the
// fields that are always written.
func clearStatus(res *schema.Resource, obj map[string]any) {
	t := res.Type()
	if t == nil { // a custom resource: nothing is always written
		delete(obj, "status")
		return
	}
	empty, ok := emptyStatuses.Load(t)
	if !ok {
		status := map[string]any{}
		if whole, _, err := object.Normalize(map[string]any{}, t); err == nil && whole["status"] != nil {
			status, _ = whole["status"].(map[string]any)
		}
		empty, _ = emptyStatuses.LoadOrStore(t, status)
	}
	obj["status"] = object.DeepCopy(empty.(map[string]any))
}

// emptyStatuses are the statuses of objects that have none, by type. There are only
// as many as there are built-in types.
var emptyStatuses sync.Map

// Alloc takes what the object needs from the Context's allocators. It is for
// objects that are valid and about to be stored; old is nil for a new one. Undo
// gives everything back if that fails.
func (s *Strategy) Alloc(c *Context, obj, old map[string]any) (undo func(), errs field.ErrorList) {
	if s.Allocate == nil {
		return func() {}, nil
	}
	return s.Allocate(c, obj, old)
}

// FreeReplaced gives back what old had and obj, which has replaced it, has not; obj is
// nil if old was deleted. It is called once that is durable.
func (s *Strategy) FreeReplaced(c *Context, obj, old map[string]any) {
	if s.Release != nil {
		s.Release(c, obj, old)
	}
}

func (s *Strategy) raises(obj, old map[string]any) bool {
	if s.Raises != nil {
		return s.Raises(obj, old)
	}
	return Changed(obj, old)
}

// Changed reports whether anything outside metadata and status differs.
func Changed(obj, old map[string]any) bool {
	return ChangedBut(obj, old, "kind", "apiVersion", "metadata", "status")
}

// ChangedBut reports whether any field differs but those of these names.
func ChangedBut(obj, old map[string]any, names ...string) bool {
	for _, from := range []map[string]any{obj, old} {
		for name := range from {
			if !slices.Contains(names, name) && !object.Equal(obj[name], old[name]) {
				return true
			}
		}
	}
	return false
}

// KeepMeta takes over what the old metadata has that is said by people, for updates
// that are about something else.
func KeepMeta(meta, was map[string]any) {
	for _, name := range []string{"deletionTimestamp", "generation", "labels", "annotations", "finalizers",
		"ownerReferences"} {
		tree.Keep(meta, was, name)
	}
}
