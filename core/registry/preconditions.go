package registry

import (
	"fmt"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/kinds"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/status"
)

// precondition is what a deletion wants of an object, nil for anything, and what the object has.
type precondition struct {
	what string
	want *string
	have string
}

func (o DeleteOptions) preconditions(obj map[string]any) [2]precondition {
	return [...]precondition{
		{"UID", o.UID, object.UID(obj)}, {"ResourceVersion", o.ResourceVersion, object.ResourceVersion(obj)},
	}
}

// checkPreconditions compares the preconditions of a deletion with an object before anything is changed.
func checkPreconditions(t Target, obj map[string]any, o DeleteOptions) error {
	if !o.collection && (t.IsNamespace() || kinds.Of(t.Resource).MarkDeleted != nil) {
		// Their storages compare before the one that all have in common does.
		for _, c := range o.preconditions(obj) {
			if c.want != nil && *c.want != c.have {
				return status.NewConflict(t.GroupResource(), t.Name, notMet(c.what, *c.want, c.have))
			}
		}
	}
	kind := status.GroupResource{Group: t.GroupKind().Group, Resource: t.Kind}
	if o.UID != nil && *o.UID != object.UID(obj) {
		return status.NewConflict(kind, t.Name,
			fmt.Sprintf("the UID in the precondition (%s) does not match the UID in record (%s). "+
				"The object might have been deleted and then recreated", *o.UID, object.UID(obj)))
	}
	if o.ResourceVersion != nil && *o.ResourceVersion != object.ResourceVersion(obj) {
		return status.NewConflict(kind, t.Name,
			fmt.Sprintf("the ResourceVersion in the precondition (%s) does not match the ResourceVersion in record (%s). "+
				"The object might have been modified", *o.ResourceVersion, object.ResourceVersion(obj)))
	}
	return nil
}

// preconditionFailed returns the conflict of an update whose precondition fails, with the text of
// the real server's storage. In a dry run the key has no prefix yet.
func preconditionFailed(t Target, o WriteOptions, what, want, have string) error {
	key := t.etcdKey(t.Name)
	if o.DryRun {
		key = strings.TrimPrefix(key, "/registry")
	}
	return status.NewConflict(t.GroupResource(), t.Name, fmt.Sprintf(
		"StorageError: invalid object, Code: 4, Key: %s, ResourceVersion: 0, AdditionalErrorMsg: ", key)+
		notMet(what, want, have))
}

// notMet returns the text for a precondition that differs from the object.
func notMet(what, want, have string) string {
	return fmt.Sprintf("Precondition failed: %s in precondition: %s, %s in object meta: %s", what, want, what, have)
}
