package plugins

import (
	"context"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/object"
)

// Requestor is the admission plugin that records in a new CertificateSigningRequest which
// user makes it, replacing what the client has set.
type Requestor struct{}

var _ admission.Mutator = Requestor{}

// Mutate sets the fields of a request's spec that identify the user.
func (Requestor) Mutate(ctx context.Context, a *admission.Attributes) error {
	if a.Operation != admission.Create || a.Kind != "CertificateSigningRequest" || a.Group != "certificates.k8s.io" {
		return nil
	}
	spec := object.GetMap(a.Object, "spec")
	if spec == nil {
		return nil // which is invalid
	}
	for _, name := range []string{"username", "uid", "groups", "extra"} {
		delete(spec, name)
	}
	u := auth.UserOf(ctx)
	spec["username"] = u.Name
	if u.UID != "" {
		spec["uid"] = u.UID
	}
	if len(u.Groups) > 0 {
		spec["groups"] = object.ListOf(u.Groups)
	}
	if len(u.Extra) > 0 {
		spec["extra"] = u.ExtraTree()
	}
	return nil
}
