// Package strategy has the Strategy, which is the behaviour of one kind, as functions, and the
// steps that apply it to an object: defaults, preparation, validation, and, for Services,
// allocation. Create, Update, UpdateStatus and UpdateSubresource call the functions in
// the order of the real server.
//
// Strategies are never changed, so they are safe for concurrent use.
package strategy

import (
	"slices"
	"sync"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/metadata"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// A Strategy has the functions in which one kind differs from others. All are optional.
type Strategy struct {
	// Default sets defaults. It must not change what is set, and calling it again must change nothing.
	Default func(obj map[string]any)
	// Read returns the error of an object that cannot be read, although its fields have their types.
	Read func(obj map[string]any) error
	// PrepareCreate sets and clears fields that a client cannot set. The status is empty already if the
	// kind has one.
	PrepareCreate func(c *Context, obj map[string]any)
	// PrepareUpdate is the same for an update. The status is the old one already.
	PrepareUpdate func(c *Context, obj, old map[string]any)
	// PrepareStatus is the same for an update of the status subresource. Everything but metadata and
	// status is the old object's already.
	PrepareStatus func(c *Context, obj, old map[string]any)

	// Name checks names, of objects and as prefixes of generated ones. Nil: their form alone counts.
	Name metadata.NameCheck
	// Updates are the checks that the kind makes of a changed object, in their order. Nil: those of
	// the metadata that its row in package schema says, and then ValidateUpdate, or Validate.
	Updates []Check
	// Authorize returns the violations of a new object, or of one with a changed status, for which old is set, that
	// depend on what else is in the cluster. They are reported before the others.
	Authorize func(c *Context, obj, old map[string]any) field.ErrorList
	// ValidateAlone returns violations that are reported without any others; old is nil for a new object.
	ValidateAlone func(obj, old map[string]any) field.ErrorList
	// ValidateFirst returns the violations of an object that are reported before those of its metadata.
	ValidateFirst func(obj map[string]any) field.ErrorList
	// Validate returns the violations of a new object except those of its metadata.
	Validate func(obj map[string]any) field.ErrorList
	// ValidateUpdate returns the violations of a changed object, which may depend on the old one. Nil:
	// Validate does. See Unchecked.
	ValidateUpdate func(obj, old map[string]any) field.ErrorList
	// ValidateStatus does so if only the status may have changed.
	ValidateStatus func(obj, old map[string]any) field.ErrorList

	// MarkDeleted, if set, turns the first deletion of an object into a change of it: the object is
	// deleted once the finalizer that this adds is removed.
	MarkDeleted func(c *Context, obj map[string]any)

	// Lasting returns why the object of a name cannot be deleted by itself; empty if it can.
	Lasting func(name string) string
	// Leaf is set if objects of the kind have no dependents: no propagation policy delays their
	// deletion.
	Leaf bool
	// OrphanWarning is the warning for a deletion without a propagation policy.
	OrphanWarning string

	// Subresources are the updates of subresources that change a part of the object in their own way,
	// by name. They prepare obj to replace old and return its violations, including those of the
	// metadata.
	Subresources map[string]func(c *Context, obj, old map[string]any) field.ErrorList

	// KeepsStatus is set if a new object may have a status.
	KeepsStatus bool
	// Raises reports whether a change raises the generation. Nil: any change outside metadata and
	// status does, if the kind has a generation.
	Raises func(obj, old map[string]any) bool

	// Allocate allocates what a valid object needs from the Context's allocators; old is nil for a new
	// object. Undo releases it if the object is not stored.
	Allocate func(c *Context, obj, old map[string]any) (undo func(), errs field.ErrorList)
	// Release releases what a deleted object had allocated, or what a replaced object had and the new
	// one has not: obj is nil after a deletion.
	Release func(c *Context, obj, old map[string]any)
	// Addresses returns the allocated addresses of an object, each of which an IPAddress claims.
	Addresses func(obj map[string]any) []string
}

// A Check is a part of the validation of a changed object.
type Check byte

// CheckNew are the checks of a new object: of its metadata and Validate. CheckFirst is ValidateFirst.
// CheckMeta are those that compare the metadata with the old object's. CheckChange is ValidateUpdate.
const (
	CheckNew Check = iota
	CheckFirst
	CheckMeta
	CheckChange
)

// Unchecked is the ValidateUpdate of kinds whose updates are validated in their metadata only.
func Unchecked(_, _ map[string]any) field.ErrorList { return nil }

// Fill sets the defaults of an object: when a request is read, again once the object is prepared,
// and when an object is read from the storage.
func (s *Strategy) Fill(obj map[string]any) {
	if s.Default != nil {
		s.Default(obj)
	}
}

// Create prepares obj, after defaulting and admission, to be stored as a new object and returns its
// violations. Name, namespace, uid and creationTimestamp must be set.
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
	if s.ValidateAlone != nil {
		if errs := s.ValidateAlone(obj, nil); len(errs) > 0 {
			return errs
		}
	}
	errs := append(s.authorize(c, obj, nil), s.asNew(res, obj)...)
	if len(errs) == 0 && (res.MetaLast || res.NameRule == schema.AnyName) {
		// What every object needs is checked after what the kind needs.
		errs = metadata.ValidateAs(res.Namespaced, schema.PathSegment, obj)
	}
	s.Fill(obj)
	return c.permit(errs)
}

func (s *Strategy) authorize(c *Context, obj, old map[string]any) field.ErrorList {
	if s.Authorize == nil {
		return nil
	}
	return s.Authorize(c, obj, old)
}

// asNew returns the violations of a new object that its kind finds.
func (s *Strategy) asNew(res *schema.Resource, obj map[string]any) field.ErrorList {
	var errs field.ErrorList
	if s.ValidateFirst != nil {
		errs = s.ValidateFirst(obj)
	}
	if !res.MetaLast {
		errs.Add(metadata.ValidateNamed(res, obj, s.Name)...)
	}
	if s.Validate != nil {
		errs.Add(s.Validate(obj)...)
	}
	return errs
}

// Update prepares obj, after defaulting and admission, to replace old and returns its violations.
// The resourceVersion must be set; identity and times default to the old ones.
func (s *Strategy) Update(c *Context, res *schema.Resource, obj, old map[string]any) field.ErrorList {
	tree.Keep(object.Meta(obj), object.Meta(old), "generation")
	if res.HasStatus {
		tree.Keep(obj, old, "status")
	}
	if s.PrepareUpdate != nil {
		s.PrepareUpdate(c, obj, old)
	}
	if res.HasGeneration && s.raises(obj, old) {
		object.Meta(obj)["generation"] = object.Generation(old) + 1
	}
	errs := s.changed(res, obj, old)
	s.Fill(obj)
	return c.permit(errs)
}

// changed returns the violations of a changed object.
func (s *Strategy) changed(res *schema.Resource, obj, old map[string]any) field.ErrorList {
	metadata.Carry(obj, old)
	if s.ValidateAlone != nil {
		if errs := s.ValidateAlone(obj, old); len(errs) > 0 {
			return errs
		}
	}
	errs := metadata.AnyUpdate(res, obj, old)
	for _, check := range s.Updates {
		switch check {
		case CheckNew:
			errs.Add(s.asNew(res, obj)...)
		case CheckFirst:
			errs.Add(s.ValidateFirst(obj)...)
		case CheckMeta:
			errs.Add(metadata.Compare(res, obj, old)...)
		case CheckChange:
			errs.Add(s.ValidateUpdate(obj, old)...)
		}
	}
	if s.Updates != nil {
		return errs
	}
	if !res.Meta.NotCompared {
		errs.Add(metadata.Compare(res, obj, old)...)
	}
	for range res.Meta.AsNew {
		errs.Add(metadata.ValidateNamed(res, obj, s.Name)...)
	}
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
	errs := append(s.authorize(c, obj, old), metadata.MetaUpdate(res, obj, old, res.StatusMeta)...)
	if s.ValidateStatus != nil {
		errs.Add(s.ValidateStatus(obj, old)...)
	}
	s.Fill(obj)
	return errs
}

// UpdateSubresource is Update for any subresource. One without its own update, like scale, is
// treated as the whole object.
func (s *Strategy) UpdateSubresource(
	c *Context, res *schema.Resource, name string, obj, old map[string]any,
) field.ErrorList {
	if update, ok := s.Subresources[name]; ok {
		return c.permit(update(c, obj, old))
	}
	if name == "status" {
		return s.UpdateStatus(c, res, obj, old)
	}
	return s.Update(c, res, obj, old)
}

// clearStatus sets the status to its empty value: with the fields that are always encoded.
func clearStatus(res *schema.Resource, obj map[string]any) {
	t := res.Type()
	if t == nil { // a custom resource: no field is always encoded
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

// emptyStatuses are the empty statuses by type. There are only as many as built-in types.
var emptyStatuses sync.Map

// Alloc allocates what a valid object that is about to be stored needs from the Context's
// allocators; old is nil for a new one. If that fails, undo has been done.
func (s *Strategy) Alloc(c *Context, obj, old map[string]any) (undo func(), errs field.ErrorList) {
	if s.Allocate == nil {
		return func() {}, nil
	}
	return s.Allocate(c, obj, old)
}

// FreeReplaced releases what old had allocated and obj, which has replaced it, has not; obj is nil
// if old was deleted. It is called once that is durable.
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

// Raise raises the generation of an object that has changed. It is for kinds whose generation is not 1 at first, or
// which drop fields that count as a change.
func Raise(obj, old map[string]any) {
	if Changed(obj, old) {
		object.Meta(obj)["generation"] = object.Generation(old) + 1
	}
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

// Differs returns the Raises of kinds for which an empty list or map in a field differs from a missing one. Stored
// objects have no empty ones, so one that is sent raises the generation each time.
func Differs(name string) func(obj, old map[string]any) bool {
	return func(obj, old map[string]any) bool { return !object.Identical(obj[name], old[name]) }
}

// KeepMeta copies metadata that clients set from the old object, for updates of something else.
func KeepMeta(meta, was map[string]any) {
	for _, name := range []string{"deletionTimestamp", "generation", "labels", "annotations", "finalizers",
		"ownerReferences"} {
		tree.Keep(meta, was, name)
	}
}
