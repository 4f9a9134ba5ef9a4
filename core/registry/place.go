package registry

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/random"
)

// serverManager is the field manager of what the server itself writes.
const serverManager = "kube-apiserver"

// What is in the text of a placed object for what each cluster has its own of.
const (
	placedUID = "$uid"
	placedNow = "$now"
	placedRev = "$rev"
)

// A Placed is a new object of the server's own, of a type whose selectors see no fields but those that follow.
type Placed struct {
	// Target has the object's name.
	Target
	// Labels are the object's. They are not changed any more.
	Labels LabelList
	// Phase is that of a namespace.
	Phase string
	// Text is the object as it is stored, but for its uid, its times and its revision, for which $uid, $now and $rev
	// stand.
	Text string
	// After is the uid of another object of the cluster, from which this one's is derived; empty: it is drawn.
	After string
}

// attrs returns what selectors are matched against.
func (p *Placed) attrs(uid string) *attrs {
	a := &attrs{uid: uid, labels: p.Labels}
	if p.Phase != "" {
		a.fields = []fieldValue{{"status.phase", p.Phase}}
	}
	return a
}

// Place stores an object that is written as it is stored. That costs a small part of a creation, which validates the
// object and finds out its manager's fields. If there is one of the name, the error is a mvcc.ConflictError.
func (r *Registry) Place(ctx context.Context, p *Placed) (*mvcc.Event, error) {
	var uid string
	if p.After == "" {
		uid = NewUID(random.For(r.Rand, "uid", p.Group, p.Plural, p.Namespace, p.Name))
	} else {
		uid = derivedUID(p.bucket()+"/"+p.key(p.Name), p.After)
	}
	a, now := p.attrs(uid), timestamp(r.Clock.Now())
	w := r.writer(ctx, WriteOptions{Manager: serverManager})
	return r.reclaiming(ctx, func() (*mvcc.Event, error) {
		return w.Put(p.bucket(), p.key(p.Name), 0, func(rev int64) ([]byte, any) {
			r.scratch = appendPlaced(r.scratch[:0], p.Text, uid, now, rev)
			return bytes.Clone(r.scratch), a
		})
	})
}

// appendPlaced adds a placed object's text with its uid, its time and its revision.
func appendPlaced(b []byte, text, uid, now string, rev int64) []byte {
	for {
		at := strings.IndexByte(text, '$')
		if at < 0 || len(text)-at < len(placedUID) {
			return append(b, text...)
		}
		b = append(b, text[:at]...)
		switch text[at : at+len(placedUID)] {
		case placedUID:
			b = append(b, uid...)
		case placedNow:
			b = append(b, now...)
		case placedRev:
			b = strconv.AppendInt(b, rev, 10)
		default:
			b, at = append(b, '$'), at+1-len(placedUID)
		}
		text = text[at+len(placedUID):]
	}
}
