package serviceaccount

import (
	"fmt"
	"time"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/object"
)

// A Verifier authenticates service accounts by their tokens. It is an auth.TokenVerifier.
type Verifier struct {
	Issuer *Issuer
	// Lookup returns an object of the core group; nil if it does not exist.
	Lookup func(resource, namespace, name string) map[string]any
}

var _ auth.TokenVerifier = (*Verifier)(nil)

// Verify returns the user of a token. The account and the bound objects must still exist, with the
// uids in the token.
func (v *Verifier) Verify(token string) (*auth.User, []string, error) {
	c, err := v.Issuer.Verify(token)
	if c == nil || err != nil {
		return nil, nil, err
	}
	account := v.Lookup("serviceaccounts", c.Namespace, c.Account.Name)
	switch {
	case account == nil:
		return nil, nil, fmt.Errorf("serviceaccounts %q not found", c.Account.Name)
	case object.UID(account) != c.Account.UID:
		return nil, nil, fmt.Errorf("service account UID (%s) does not match claim (%s)", object.UID(account), c.Account.UID)
	case v.deleted(account):
		return nil, nil, fmt.Errorf("service account %s/%s has been deleted", c.Namespace, c.Account.Name)
	}
	for _, bound := range []struct {
		ref                        *Ref
		resource, namespace, title string
		ignored                    bool
	}{
		{ref: c.Secret, resource: "secrets", namespace: c.Namespace, title: "secret"},
		{ref: c.Pod, resource: "pods", namespace: c.Namespace, title: "pod"},
		{ref: c.Node, resource: "nodes", title: "node", ignored: c.Pod != nil}, // a pod's node is only reported
	} {
		if bound.ref == nil || bound.ignored {
			continue
		}
		obj := v.Lookup(bound.resource, bound.namespace, bound.ref.Name)
		switch {
		case obj == nil || object.UID(obj) == bound.ref.UID && v.deleted(obj):
			return nil, nil, errVoid
		case object.UID(obj) != bound.ref.UID:
			return nil, nil, fmt.Errorf("%s UID (%s) does not match service account %s ref claim (%s)", bound.title,
				object.UID(obj), bound.title, bound.ref.UID)
		}
	}
	return c.user(), c.Audiences, nil
}

// deleted reports whether an object was marked for deletion some time ago.
func (v *Verifier) deleted(obj map[string]any) bool {
	at, err := time.Parse(time.RFC3339, object.DeletionTimestamp(obj))
	return err == nil && at.Before(v.Issuer.Now().Add(-leeway))
}

// user returns the user of a service account, with the pod and node in the token.
func (c *Claims) user() *auth.User {
	extra := map[string][]string{}
	add := func(name, value string) {
		if value != "" {
			extra["authentication.kubernetes.io/"+name] = []string{value}
		}
	}
	if c.Pod != nil {
		add("pod-name", c.Pod.Name)
		add("pod-uid", c.Pod.UID)
	}
	if c.Node != nil {
		add("node-name", c.Node.Name)
		add("node-uid", c.Node.UID)
	}
	if c.ID != "" {
		add("credential-id", "JTI="+c.ID)
	}
	return &auth.User{
		Name: auth.ServiceAccountName(c.Namespace, c.Account.Name), UID: c.Account.UID,
		Groups: auth.ServiceAccountGroups(c.Namespace), Extra: extra,
	}
}
