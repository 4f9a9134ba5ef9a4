package schema

import (
	"slices"
	"strings"
	"sync"
)

// Resource is one served resource of one group version: its discovery document and how the server
// treats it. A Resource does not change once it is in a Table.
type Resource struct {
	Group, Version, Plural, Singular, Kind string
	// ListKind is the kind of a collection, or "".
	ListKind                      string
	Namespaced                    bool
	ShortNames, Categories, Verbs []string
	Subresources                  []Subresource
	// StorageVersionHash is discovery's, empty for resources that are not stored.
	StorageVersionHash string
	// StoragePrefix is the prefix of the objects' keys in etcd ("/registry/pods",
	// "/registry/services/specs"). Rows for the same objects in two versions (autoscaling) or groups
	// (events) share one.
	StoragePrefix string
	// Columns are the table columns of custom resources.
	Columns []Column
	// Custom is set for custom resources.
	Custom *Custom
	Behaviour
	storedAs string      // group/version in which objects are stored
	storage  *Resource   // the row of that version; nil: this one
	forms    []*Resource // the rows whose objects are stored in this one's version
	builtin  *lazyType   // nil for resources without a type
	bucket   string      // empty for rows that are added at run time: it is joined each time
}

// lazyType is a type that is parsed when it is first needed.
type lazyType struct {
	once                 sync.Once
	group, version, kind string
	t                    *Type
}

func (l *lazyType) get() *Type {
	if l == nil {
		return nil
	}
	l.once.Do(func() { l.t = TypeOf(l.group, l.version, l.kind) })
	return l.t
}

// Subresource is one subresource of a Resource. Group, Version and Kind are those of its object,
// always explicit; discovery leaves group and version out if they are the resource's own.
type Subresource struct {
	Name, Group, Version, Kind string
	Verbs                      []string
	// Numbers are the integer parameters of its reads that no other resource has.
	Numbers []string
	builtin *lazyType
}

// Bucket returns the name of the store's bucket with the objects of this type. Rows for the same
// objects share a bucket.
func (r *Resource) Bucket() string {
	if r.bucket != "" {
		return r.bucket
	}
	if r.Custom != nil { // the version that objects are stored in may change
		return r.Group + anyStored + r.Plural
	}
	return r.Storage().APIVersion() + "/" + r.Plural
}

// anyStored replaces the version in the buckets of custom resources.
const anyStored = "/" + anyVersion + "/"

// IsCustomBucket reports whether a bucket is of a custom resource. Its definition may be gone, or
// come later in a log.
func IsCustomBucket(bucket string) bool { return strings.Contains(bucket, anyStored) }

// Storage returns the row of the version in which objects are stored: another one for rows of other
// versions or groups.
func (r *Resource) Storage() *Resource {
	if r.storage == nil {
		return r
	}
	return r.storage
}

// Form returns the row of a group version for the same objects as r, or nil.
func (r *Resource) Form(apiVersion string) *Resource {
	stored := r.Storage()
	if stored.APIVersion() == apiVersion {
		return stored
	}
	for _, f := range stored.forms {
		if f.APIVersion() == apiVersion {
			return f
		}
	}
	return nil
}

// APIVersion returns "v1" or "apps/v1".
func (r *Resource) APIVersion() string { return apiVersion(r.Group, r.Version) }

// APIVersion returns the apiVersion of its object.
func (s *Subresource) APIVersion() string { return apiVersion(s.Group, s.Version) }

func apiVersion(group, version string) string {
	if group == "" {
		return version
	}
	return group + "/" + version
}

// GroupResource returns "pods" or "deployments.apps", as error messages name resources.
func (r *Resource) GroupResource() string {
	if r.Group == "" {
		return r.Plural
	}
	return r.Plural + "." + r.Group
}

// IsNamespace reports whether the resource is namespaces.
func (r *Resource) IsNamespace() bool { return r.Group == "" && r.Plural == "namespaces" }

// HasVerb reports whether the resource itself serves the verb.
func (r *Resource) HasVerb(verb string) bool { return slices.Contains(r.Verbs, verb) }

// HasVerb reports whether the subresource serves the verb.
func (s *Subresource) HasVerb(verb string) bool { return slices.Contains(s.Verbs, verb) }

// Subresource returns the subresource of that name, or nil.
func (r *Resource) Subresource(name string) *Subresource {
	for i := range r.Subresources {
		if r.Subresources[i].Name == name {
			return &r.Subresources[i]
		}
	}
	return nil
}

// HasTable reports whether what a path of the resource answers can be converted to a Table, which depends on what
// the real server's storage of it implements.
func (r *Resource) HasTable(subresource string) bool {
	return subresource == "" || subresource == "scale" || subresource == "status" && !r.StatusTableless
}

// Type returns the type of the objects: nil for rows added at run time, whose objects are untyped
// trees.
func (r *Resource) Type() *Type { return r.builtin.get() }

// Type returns the type of its object, nil if it is untyped.
func (s *Subresource) Type() *Type {
	if s.builtin == nil {
		return TypeOf(s.Group, s.Version, s.Kind)
	}
	return s.builtin.get()
}

// InternalPackage returns the Go package of a group's internal types, which errors name.
func InternalPackage(group string) string {
	if group == "" || group == "events.k8s.io" { // whose Events are those of the core group
		return "core"
	}
	name, _, _ := strings.Cut(group, ".")
	return name
}
