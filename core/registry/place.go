package registry

import (
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

// Place stores an initial object of the cluster, unless it exists, that is written as it is stored: but for its uid,
// its times and its revision, for which $uid, $now and $rev stand. No field of it but its name can be selected. That
// costs a tenth of a creation, which validates the object and finds out its manager's fields.
func (r *Registry) Place(t Target, name string, labels map[string]any, text string) error {
	if r.Store.Latest(t.bucket(), t.key(name)) != nil {
		return nil
	}
	uid := NewUID(random.For(r.Rand, "uid", t.Group, t.Plural, t.Namespace, name))
	text = strings.ReplaceAll(strings.Replace(text, placedUID, uid, 1), placedNow, timestamp(r.Clock.Now()))
	before, after, _ := strings.Cut(text, placedRev)
	meta := map[string]any{"name": name, "uid": uid}
	if labels != nil {
		meta["labels"] = labels
	}
	a := attrsOf(t.Resource, map[string]any{"metadata": meta})
	_, err := r.Store.Put(t.bucket(), t.key(name), 0, func(rev int64) ([]byte, any) {
		value := make([]byte, 0, len(text)+16)
		value = strconv.AppendInt(append(value, before...), rev, 10)
		return append(value, after...), a
	})
	if _, taken := err.(*mvcc.ConflictError); taken {
		return nil
	}
	return err
}
