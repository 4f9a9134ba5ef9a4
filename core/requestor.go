package core

import (
	"context"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
)

// requestor writes into a new CertificateSigningRequest who asks for it, in the
// place of what the client says of that.
type requestor struct{}

func (requestor) Mutate(ctx context.Context, v *registry.Review) error {
	if v.Operation != registry.OperationCreate || v.Kind != "CertificateSigningRequest" || v.Group != "certificates.k8s.io" {
		return nil
	}
	spec := object.GetMap(v.Object, "spec")
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
		spec["groups"] = anyList(u.Groups)
	}
	if len(u.Extra) > 0 {
		extra := map[string]any{}
		for name, values := range u.Extra {
			extra[name] = anyList(values)
		}
		spec["extra"] = extra
	}
	return nil
}

func (requestor) Validate(context.Context, *registry.Review) error { return nil }

// anyList is a list of texts as trees have it.
func anyList(texts []string) []any {
	out := make([]any, len(texts))
	for i, text := range texts {
		out[i] = text
	}
	return out
}
