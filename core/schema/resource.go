package schema

// NameRule says which metadata.name a resource accepts.
type NameRule uint8

// The rules for names.
const (
	DNSSubdomain NameRule = iota // RFC 1123 subdomain, 253 characters
	DNSLabel                     // RFC 1123 label, 63 characters
	PathSegment                  // anything that is safe as a segment of a path
	IPName                       // a canonical IP address (ipaddresses)
	AnyName                      // checked by the kind's own rules only
)

// Resource is one served resource of one group version: what discovery says about it
// and how the API server treats it. Resources are immutable once in a Table.
type Resource struct {
	Group, Version, Plural, Singular, Kind, ListKind string
	Namespaced                                       bool
	ShortNames, Categories, Verbs                    []string
	Subresources                                     []Subresource
	// StorageVersionHash is discovery's, empty for virtual resources.
	StorageVersionHash string
	// StoragePrefix is the key under which etcd holds the objects ("/registry/pods", "/registry/services/specs").
	// Resources of several versions (autoscaling v1 and v2) or groups (events) share one.
	StoragePrefix string
	Behaviour
	typ  string // names of the definitions
	list string
	t    *Type
}

// Behaviour are the facts about a resource that discovery does not tell.
type Behaviour struct {
	// Virtual resources are not stored: reviews, bindings, component statuses.
	Virtual bool
	// CreateOnUpdate: PUT of an absent object creates it.
	CreateOnUpdate bool
	// UnconditionalUpdate: PUT without a resourceVersion is accepted.
	UnconditionalUpdate bool
	// ReturnsDeleted: DELETE answers with the object instead of a Status.
	ReturnsDeleted bool
	// HasGeneration: metadata.generation starts at 1 and rises with the spec.
	HasGeneration bool
	// HasStatus: the resource itself does not change status; /status does.
	HasStatus bool
	// OrphanByDefault: without a propagation policy dependents are orphaned.
	OrphanByDefault bool
	// Graceful: deletion has a grace period.
	Graceful bool
	// NameRule is the rule for metadata.name.
	NameRule NameRule
}

// Subresource is one subresource of a Resource. Group, Version and Kind are those of
// the object exchanged, always explicit; discovery leaves group and version
// empty when they are the resource's own.
type Subresource struct {
	Name, Group, Version, Kind string
	Verbs                      []string
}

// APIVersion returns "v1" or "apps/v1".
func (r *Resource) APIVersion() string {
	if r.Group == "" {
		return r.Version
	}
	return r.Group + "/" + r.Version
}

// GroupResource returns "pods" or "deployments.apps", as error messages name resources.
func (r *Resource) GroupResource() string {
	if r.Group == "" {
		return r.Plural
	}
	return r.Plural + "." + r.Group
}

// HasVerb reports whether the resource itself serves the verb.
func (r *Resource) HasVerb(verb string) bool { return has(r.Verbs, verb) }

// HasVerb reports whether the subresource serves the verb.
func (s *Subresource) HasVerb(verb string) bool { return has(s.Verbs, verb) }

// Subresource returns the subresource of that name, nil if there is none.
func (r *Resource) Subresource(name string) *Subresource {
	for i := range r.Subresources {
		if r.Subresources[i].Name == name {
			return &r.Subresources[i]
		}
	}
	return nil
}

// Type returns the type of the objects: nil for custom resources, whose objects are
// untyped trees.
func (r *Resource) Type() *Type { return r.t }

// Type returns the type of the object exchanged, nil if it is untyped.
func (s *Subresource) Type() *Type { return TypeOf(s.Group, s.Version, s.Kind) }

func has(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
