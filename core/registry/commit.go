package registry

import (
	"cmp"
	"context"
	"encoding/json"
	"path"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/source"
)

// Commit describes a write to the store.
type Commit struct {
	Revision  int64
	Time      time.Time
	Verb      string // ADDED, MODIFIED or DELETED
	Resource  *schema.Resource
	Namespace string
	Name, UID string
	// Author is who made it; the zero Author if that is not known.
	Author mvcc.Author
}

// CommitOf describes an event of the store; false if it has no object: the store follows another one, which does not
// say what it wrote. Of a resource type that is no longer served, the Resource has what the object says.
func (r *Registry) CommitOf(e *mvcc.Event) (Commit, bool) {
	if e.Bucket == "" {
		return Commit{}, false
	}
	row := r.ResourceOf(e.Bucket)
	if row == nil {
		row = unserved(e)
	}
	a := e.Attrs.(*attrs)
	c := Commit{
		Revision: e.Revision, Time: e.Time, Verb: Modified, Resource: row,
		Namespace: a.field(e.Key, "metadata.namespace"), Name: a.field(e.Key, "metadata.name"), UID: a.uid,
	}
	switch {
	case e.Deleted:
		c.Verb = Deleted
	case e.Created == e.Revision:
		c.Verb = Added
	}
	if e.Author != nil {
		c.Author = *e.Author
	}
	return c, true
}

// unserved returns the type of an event's object, whose definition may be gone, as far as a Commit needs it.
func unserved(e *mvcc.Event) *schema.Resource {
	var kind struct{ APIVersion, Kind string }
	_ = json.Unmarshal(e.Value, &kind) // what is stored is JSON
	group, version := object.SplitGroupVersion(kind.APIVersion)
	return &schema.Resource{Group: group, Version: version, Kind: kind.Kind, Plural: path.Base(e.Bucket)}
}

// writer returns what makes the writes of a verb. It writes nothing on what was discarded since the verb
// began.
func (r *Registry) writer(ctx context.Context, o WriteOptions) mvcc.Writer {
	w := r.Store.By(r.author(ctx, o))
	if o.written != nil {
		w = w.After(o.written.discards)
	}
	return w
}

// author returns who makes a write, as far as writes say that, and by which request; nil if none of it is known.
func (r *Registry) author(ctx context.Context, o WriteOptions) *mvcc.Author {
	var a mvcc.Author
	if s := source.Of(ctx); s != nil {
		a.Request = s.Request
	}
	if r.Authors {
		a.Manager = strings.Clone(cmp.Or(o.Manager, o.Program)) // not a part of a request's URL
		if u := auth.KnownUser(ctx); u != nil {
			a.User = u.Name
		}
	}
	if a == (mvcc.Author{}) {
		return nil
	}
	known := a // a is not moved to the heap for writes of which nothing is known
	return &known
}

// ResourceOf returns the resource type of a bucket of the store; nil if it is not served.
func (r *Registry) ResourceOf(bucket string) *schema.Resource { return ResourceOf(r.Table, bucket) }

// ResourceOf returns the resource type of a bucket; nil if the table does not have it.
func ResourceOf(t *schema.Table, bucket string) *schema.Resource {
	parts := strings.Split(bucket, "/")
	switch len(parts) {
	case 2:
		return t.Resource("", parts[0], parts[1])
	case 3: // the version of custom resources is a star
		return t.Resource(parts[0], parts[1], parts[2])
	}
	return nil
}
