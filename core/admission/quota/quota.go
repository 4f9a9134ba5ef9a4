// Package quota is the admission plugin that refuses what makes a room larger than its quotas allow:
// new objects beyond the number of objects, and writes that make objects larger beyond their bytes.
// The server's own writes are never refused.
//
// Invariant: deletions, and updates that make an object smaller, are accepted always. Writes that run
// at the same time may each use what is left, so that the quotas are exceeded by these at most.
//
// It costs a lock and two comparisons per write; near the quota of bytes, encoding both versions.
package quota

import (
	"context"
	"fmt"
	"slices"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/status"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// Plugin is the plugin. Set its fields before use.
type Plugin struct {
	Store *mvcc.Store
	// Most returns how many objects there may be at present, and how many bytes they may have.
	Most func() (objects, bytes int64)
}

var _ admission.Validator = Plugin{}

// Validate refuses a write that is beyond a quota.
func (p Plugin) Validate(ctx context.Context, a *admission.Attributes) error {
	creates := a.Operation == admission.Create && a.Subresource == "" && !a.Virtual
	if !creates && a.Operation != admission.Update || slices.Contains(auth.UserOf(ctx).Groups, auth.Masters) {
		return nil
	}
	now := p.Store.Status()
	objects, bytes := p.Most()
	if creates && int64(now.Current) >= objects {
		return refused(a, fmt.Sprintf("the room has %d objects, and spec.quotas.objects allows %d", now.Current, objects))
	}
	have := now.Bytes - now.Superseded
	if have+wellknown.MaxBody <= bytes {
		return nil
	}
	if more := size(a, a.Object) - size(a, a.Old); more > 0 && have+more > bytes {
		return refused(a, fmt.Sprintf("the objects of the room have %d bytes, this would be %d more, and "+
			"spec.quotas.bytes allows %d", have, more, bytes))
	}
	return nil
}

// refused returns the 403 for a write, as ResourceQuota does.
func refused(a *admission.Attributes, why string) error {
	return status.NewForbidden(a.GroupResource(), a.Name,
		"exceeded quota of the room: "+why+": delete objects, or let a teacher allow more in rooms/default")
}

// size returns the number of bytes of an object, 0 if it is nil.
func size(a *admission.Attributes, obj map[string]any) int64 {
	if obj == nil {
		return 0
	}
	_, _, _, t := a.ObjectType()
	return int64(len(object.Encode(nil, obj, t)))
}
