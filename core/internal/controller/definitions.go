package controller

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/internal/customresource"
	"github.com/tabernetes/tabernetes/core/internal/kinds/extension"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
)

// definitionManager is the field manager of what the API server itself sets in a status.
const definitionManager = "kube-apiserver"

// Definitions returns the controllers that are a part of the API server. One sets a condition of APIServices, one keeps
// the ConfigMap of Tracking. The one
// for CustomResourceDefinitions says whether they are approved, accepts their names, which may be
// taken in the group, sets the condition Established, and when a definition is deleted deletes its
// objects before it removes the finalizer.
func Definitions(r *registry.Registry) *Set {
	d := &definer{client: client{r},
		crds: registry.Target{Resource: r.Table.Resource("apiextensions.k8s.io", "v1", "customresourcedefinitions")}}
	p := plan{
		buckets: func() []string { return []string{d.crds.Resource.Bucket()} },
		begin:   func() { d.known = map[string]known{} },
		notice:  d.notice, reconcile: d.reconcile,
	}
	return newSet(r, p, available(r), track(r))
}

type definer struct {
	client
	crds registry.Target
	// known are the definitions by name, as of the last notice.
	known map[string]known
}

// known is the part of a definition that matters to others.
type known struct {
	group string
	// names are the accepted names.
	names   map[string]any
	refused bool // some of its names were refused
}

// notice makes a definition due, and those of its group with refused names: they may be free now.
func (d *definer) notice(e *mvcc.Event, add add) {
	before, had := d.known[e.Key]
	group := before.group
	if e.Deleted {
		delete(d.known, e.Key)
	} else {
		crd, _, err := object.Decode(e.Value, d.crds.Type())
		if err != nil {
			return // not so: it was stored
		}
		group = object.GetString(crd, "spec", "group")
		d.known[e.Key] = known{
			group: group, names: object.GetMap(crd, "status", "acceptedNames"),
			refused: customresource.Condition(crd, customresource.NamesAccepted)["status"] == "False",
		}
		add(e.Key, 0)
	}
	if !had {
		return
	}
	for name, other := range d.known {
		if name != e.Key && other.refused && other.group == group {
			add(name, 0)
		}
	}
}

func (d *definer) reconcile(ctx context.Context, name string) (time.Duration, error) {
	ctx = registry.CountWrites(ctx, 1) // what follows a client's write of the definition is apart from it
	at := d.crds
	at.Name = name
	crd, err := d.get(ctx, at)
	switch {
	case crd == nil || err != nil:
		return 0, err
	case object.DeletionTimestamp(crd) != "" && slices.Contains(object.Finalizers(crd), customresource.Finalizer):
		return d.finish(ctx, at, crd)
	}
	for _, step := range []func(map[string]any) bool{d.approve, d.acceptNames, d.establish} {
		if !step(crd) {
			continue
		}
		if err := d.changeStatus(ctx, at, object.UID(crd), step); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// changeStatus changes the status of an object that is still the same, as the API server itself.
func (c client) changeStatus(ctx context.Context, at registry.Target, uid string,
	step func(map[string]any) bool) error {
	at.Subresource = "status"
	o := options("UpdateOptions")
	o.Manager = definitionManager
	return c.changeWith(ctx, at, uid, func(obj map[string]any) (map[string]any, error) {
		step(obj)
		return obj, nil
	}, o)
}

// approve records whether a definition in a group of Kubernetes itself is approved, and reports whether that is a
// change.
func (d *definer) approve(crd map[string]any) bool {
	is, ok := extension.ApprovalOf(crd)
	was := customresource.Condition(crd, customresource.Approved)
	if !ok || was["status"] == is.Status && was["reason"] == is.Reason && was["message"] == is.Message {
		return false
	}
	d.setCondition(crd, customresource.Approved, is.Status, is.Reason, is.Message)
	return true
}

// acceptNames records which of the names of a definition are accepted, and reports whether that is
// a change.
func (d *definer) acceptNames(crd map[string]any) bool {
	spec, accepted := object.GetMap(crd, "spec", "names"), object.GetMap(crd, "status", "acceptedNames")
	if object.Equal(spec, accepted) {
		return false
	}
	names, reason, message := d.accept(object.Name(crd), object.GetString(crd, "spec", "group"), spec, accepted)
	value := "False"
	if reason == "" {
		value, reason, message = "True", "NoConflicts", "no conflicts found"
	}
	if is := customresource.Condition(crd, customresource.NamesAccepted); object.Equal(names, accepted) &&
		is["status"] == value && is["reason"] == reason && is["message"] == message {
		return false
	}
	object.SetNested(crd, names, "status", "acceptedNames")
	d.setCondition(crd, customresource.NamesAccepted, value, reason, message)
	switch established := customresource.Condition(crd, customresource.Established); {
	case established["status"] == "True":
	case value == "True":
		d.setCondition(crd, customresource.Established, "False", "Installing", "the initial names have been accepted")
	case established == nil:
		d.setCondition(crd, customresource.Established, "False", "NotAccepted", "not all names are accepted")
	}
	return true
}

// accept returns the accepted names for those in spec, given the previous ones. If several are
// refused, the last is reported.
func (d *definer) accept(name, group string, spec, accepted map[string]any) (names map[string]any, reason,
	message string) {
	resources, kinds := map[string]bool{}, map[string]bool{}
	for other, is := range d.known {
		if is.group == group {
			mine := is.names
			if other == name {
				mine = accepted
			}
			for _, key := range []string{"plural", "singular"} {
				resources[object.GetString(mine, key)] = true
			}
			for _, short := range object.GetList(mine, "shortNames") {
				text, _ := short.(string)
				resources[text] = true
			}
			for _, key := range []string{"kind", "listKind"} {
				kinds[object.GetString(mine, key)] = true
			}
		}
	}
	names = object.DeepCopy(accepted)
	if names == nil {
		names = map[string]any{}
	}
	one := func(key, why string, used map[string]bool) {
		asked := object.GetString(spec, key)
		if asked != object.GetString(accepted, key) && used[asked] {
			reason, message = why, inUse(asked)
			return
		}
		names[key] = asked
	}
	one("plural", "PluralConflict", resources)
	one("singular", "SingularConflict", resources)
	var taken []string
	mine := object.GetList(accepted, "shortNames")
	for _, short := range object.GetList(spec, "shortNames") {
		if text, _ := short.(string); !slices.Contains(mine, short) && resources[text] {
			taken = append(taken, inUse(text))
		}
	}
	if len(taken) > 0 {
		reason, message = "ShortNamesConflict", together(taken)
	} else {
		take(names, spec, "shortNames")
	}
	one("kind", "KindConflict", kinds)
	one("listKind", "ListKindConflict", kinds)
	take(names, spec, "categories")
	return names, reason, message
}

func inUse(name string) string { return fmt.Sprintf("%q is already in use", name) }

// together joins errors in the way of the apiextensions server.
func together(texts []string) string {
	texts = slices.Compact(texts)
	if len(texts) == 1 {
		return texts[0]
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

func take(names, from map[string]any, key string) {
	if v, ok := from[key]; ok {
		names[key] = object.DeepCopy(v)
	} else {
		delete(names, key)
	}
}

// establish reports whether a definition whose names are accepted is served.
func (d *definer) establish(crd map[string]any) bool {
	if !customresource.IsTrue(crd, customresource.NamesAccepted) ||
		customresource.IsTrue(crd, customresource.Established) {
		return false
	}
	d.setCondition(crd, customresource.Established, "True", "InitialNamesAccepted", "the initial names have been accepted")
	return true
}

// finish deletes the objects of a definition that is being deleted, and removes its finalizer when
// none are left.
func (d *definer) finish(ctx context.Context, at registry.Target, crd map[string]any) (again time.Duration, err error) {
	uid := object.UID(crd)
	if customresource.Condition(crd, customresource.Terminating)["reason"] != "InstanceDeletionInProgress" {
		err := d.changeStatus(ctx, at, uid,
			d.terminating("True", "InstanceDeletionInProgress", "CustomResource deletion is in progress"))
		if err != nil {
			return 0, err
		}
	}
	end := d.terminating("False", "NeverEstablished", "resource was never established")
	if customresource.IsTrue(crd, customresource.Established) {
		definition := customresource.New(crd, 0)
		if definition == nil {
			return 0, errors.New("a definition has no storage version") // not so: it was validated
		}
		if left, err := d.removeAll(ctx, definition.Stored, at, uid); err != nil || left {
			return remainsDelay, err
		}
		end = d.terminating("False", "InstanceDeletionCompleted", "removed all instances")
	}
	return 0, d.changeStatus(ctx, at, uid, func(crd map[string]any) bool {
		finalizers := object.Finalizers(crd)
		object.SetFinalizers(crd, slices.DeleteFunc(finalizers, func(f string) bool { return f == customresource.Finalizer }))
		return end(crd)
	})
}

// removeAll deletes all objects of a definition's resource, and reports whether some are left: those with
// finalizers.
func (d *definer) removeAll(ctx context.Context, row *schema.Resource, crd registry.Target, uid string) (left bool,
	err error) {
	at := registry.Target{Resource: row}
	if err := d.deleteAll(ctx, at, crd, uid); err != nil {
		return false, err
	}
	list, err := d.registry.List(ctx, at, registry.ListOptions{Limit: 1})
	return err == nil && len(list.Items) > 0, err
}

func (d *definer) terminating(value, reason, message string) func(map[string]any) bool {
	return func(crd map[string]any) bool {
		d.setCondition(crd, customresource.Terminating, value, reason, message)
		return true
	}
}

func (c client) setCondition(obj map[string]any, kind, value, reason, message string) {
	customresource.SetCondition(obj, kind, value, reason, message, c.registry.Clock.Now().UTC().Format(time.RFC3339))
}
