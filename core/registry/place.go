package registry

import (
	"context"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/random"
)

// serverManager is the field manager of what the server itself writes.
const serverManager = "kube-apiserver"

// What stands in the text of a placed object for what every cluster has of its own.
const (
	placedUID = "$uid"
	placedNow = "$now"
	placedRev = "$rev"
)

// Place stores a new object of the server's own that is written as it is stored: but for its uid, its times and its
// revision, for which $uid, $now and $rev stand. selected is what selectors see of it, as a tree with metadata. That
// costs a tenth of a creation, which validates the object and finds out its manager's fields. If there is one of the
// name, the error is a mvcc.ConflictError.
func (r *Registry) Place(ctx context.Context, t Target, name string, selected map[string]any,
	text string) (*mvcc.Event, error) {
	uid := NewUID(random.For(r.Rand, "uid", t.Group, t.Plural, t.Namespace, name))
	text = strings.ReplaceAll(strings.Replace(text, placedUID, uid, 1), placedNow, timestamp(r.Clock.Now()))
	object.Meta(selected)["uid"] = uid
	a := attrsOf(t.Resource, selected)
	before, after, _ := strings.Cut(text, placedRev)
	w := r.writer(ctx, WriteOptions{Manager: serverManager})
	return r.reclaiming(ctx, func() (*mvcc.Event, error) {
		return w.Put(t.bucket(), t.key(name), 0, func(rev int64) ([]byte, any) {
			return []byte(before + strconv.FormatInt(rev, 10) + after), a
		})
	})
}
