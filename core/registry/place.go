package registry

import (
	"context"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/random"
)

// What stands in the text of a placed object for what every cluster has of its own.
const (
	placedUID = "$uid"
	placedNow = "$now"
	placedRev = "$rev"
)

// Place stores a new object of the server's own that is written as it is stored: but for its uid, its times and its
// revision, for which $uid, $now and $rev stand. No field of it but its name can be selected. That costs a tenth of a
// creation, which validates the object and finds out its manager's fields. If there is one of the name, the error is a
// mvcc.ConflictError.
func (r *Registry) Place(ctx context.Context, t Target, name string, labels map[string]any, text string) error {
	uid := NewUID(random.For(r.Rand, "uid", t.Group, t.Plural, t.Namespace, name))
	text = strings.ReplaceAll(strings.Replace(text, placedUID, uid, 1), placedNow, timestamp(r.Clock.Now()))
	before, after, _ := strings.Cut(text, placedRev)
	a := attrsOf(t.Resource, map[string]any{"metadata": map[string]any{"name": name, "uid": uid, "labels": labels}})
	_, err := r.reclaiming(ctx, func() (*mvcc.Event, error) {
		return r.writer(ctx, WriteOptions{}).Put(t.bucket(), t.key(name), 0, func(rev int64) ([]byte, any) {
			value := make([]byte, 0, len(text)+16)
			value = strconv.AppendInt(append(value, before...), rev, 10)
			return append(value, after...), a
		})
	})
	return err
}
