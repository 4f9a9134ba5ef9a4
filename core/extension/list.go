package extension

import (
	"maps"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/controlplane"
	"github.com/tabernetes/tabernetes/core/schema"
)

// A List is what each extension of an instance adds. Its methods put together what they add to one of the
// instance's parts.
type List []Additions

// Verifiers returns what verifies bearer tokens.
func (l List) Verifiers() (all auth.TokenVerifiers) {
	for _, a := range l {
		if a.Tokens != nil {
			all = append(all, a.Tokens)
		}
	}
	return all
}

// Restrict returns why a request is refused that RBAC would allow; empty if it is not.
func (l List) Restrict(r *auth.Attributes) (reason string) {
	for _, a := range l {
		if a.Restrict == nil {
			continue
		}
		if reason := a.Restrict(r); reason != "" {
			return reason
		}
	}
	return ""
}

// Plugins returns the admission plugins.
func (l List) Plugins() (all admission.Chain) {
	for _, a := range l {
		all = append(all, a.Admission...)
	}
	return all
}

// AddSettings adds to the parts of a ControlPlane.
func (l List) AddSettings(to *controlplane.Parts) {
	for _, a := range l {
		if a.Check != nil {
			to.Checks = append(to.Checks, a.Check)
		}
		if a.Authors != nil {
			to.AuthorName = a.Authors
		}
	}
}

// SetDefaults changes the defaults of settings.
func (l List) SetDefaults(s *controlplane.Settings) {
	for _, a := range l {
		if a.Defaults != nil {
			a.Defaults(s)
		}
	}
}

// AddTo adds to a server, whose Registry and Subresources are set.
func (l List) AddTo(s *apiserver.Server) {
	for _, a := range l {
		for _, t := range a.Resources {
			s.Registry.Hooks[t.Row] = t.Hooks
		}
		maps.Copy(s.Subresources, a.Acts)
		if a.Limiter != nil {
			s.Limiters = append(s.Limiters, a.Limiter)
		}
		if a.Access != nil {
			s.Access = a.Access
		}
		if a.Follows {
			s.Faults = nil // they are for the clients of the other cluster
		}
	}
}

// Follows reports whether one of them feeds the instance.
func (l List) Follows() bool {
	for _, a := range l {
		if a.Follows {
			return true
		}
	}
	return false
}

// Reserve returns the part of the quota, in bytes, for writes that a Guard lets use it.
func (l List) Reserve() (bytes int64) {
	for _, a := range l {
		bytes += a.Space.Reserve
	}
	return bytes
}

// Lasting returns the types whose objects outlast a reset; none of an instance that follows another cluster.
func (l List) Lasting() (rows []*schema.Resource) {
	for _, a := range l {
		for _, t := range a.Resources {
			if t.Lasting && !l.Follows() {
				rows = append(rows, t.Row)
			}
		}
	}
	return rows
}

// LastingSettings returns the sections of the ControlPlane's spec that outlast a snapshot.
func (l List) LastingSettings() (sections []string) {
	for _, a := range l {
		sections = append(sections, a.Lasting...)
	}
	return sections
}

// Objects returns the initial objects.
func (l List) Objects() (all []map[string]any) {
	for _, a := range l {
		if a.Objects != nil {
			all = append(all, a.Objects()...)
		}
	}
	return all
}

// Observe tells them of an object.
func (l List) Observe(bucket, key string, value []byte, revision int64) {
	for _, a := range l {
		if a.Observe != nil {
			a.Observe(bucket, key, value, revision)
		}
	}
}

// Start tells them that the instance takes its place.
func (l List) Start() {
	for _, a := range l {
		if a.Start != nil {
			a.Start()
		}
	}
}
