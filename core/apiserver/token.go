package apiserver

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/serviceaccount"
	"github.com/tabernetes/tabernetes/core/status"
)

// The lifetimes of tokens, in seconds.
const (
	tokenDefault = 60 * 60
	tokenMin     = 10 * 60
	tokenMax     = 1 << 32
	// tokenProjected is the lifetime that the API server requests for tokens in the volumes of pods.
	// Such a token is valid for far longer, since old clients do not request the next one; after its
	// requested time its use is only noted.
	tokenProjected = 60*60 + 7
	tokenExtended  = 365 * 24 * 60 * 60
)

var tokenKind = status.GroupKind{Group: "authentication.k8s.io", Kind: "TokenRequest"}

// token answers a POST of a TokenRequest for a service account: with the token in the request's
// status.
func (s *Server) token(w *answer, r *http.Request, i *info) error {
	if s.Tokens == nil {
		return status.NewUnknownPath()
	}
	want := expect(tokenKind.Group, "v1", tokenKind.Kind)
	request, o, err := s.readWrite(w, r, i, want)
	if err != nil {
		return err
	}
	if err := registry.MatchNamespace(i.Target, request); err != nil {
		return err
	}
	if err := s.Registry.Precheck(r.Context(), i.Target, request); err != nil {
		return err
	}
	if _, given := object.GetInt(request, "spec", "expirationSeconds"); !given {
		object.SetNested(request, int64(tokenDefault), "spec", "expirationSeconds")
	}
	s.Registry.Own(i.Target, request, o)
	claims, err := s.accountOf(r.Context(), i, request)
	if err != nil {
		return err
	}
	own := s.Tokens.Own()
	if errs := defaultToken(request, claims, own); len(errs) > 0 {
		return status.NewInvalid(tokenKind, "", errs)
	}
	if err := s.Registry.AdmitVirtual(r.Context(), i.Target, request, o); err != nil {
		return err
	}
	if err := s.bindToken(r.Context(), i, object.GetMap(request, "spec", "boundObjectRef"), claims); err != nil {
		return err
	}
	seconds, _ := object.GetInt(request, "spec", "expirationSeconds")
	if most := s.Tokens.MostSeconds; most > 0 && seconds > most {
		w.warn(fmt.Sprintf("requested expiration of %d seconds shortened to %d seconds", seconds, most))
		seconds = most
		object.SetNested(request, seconds, "spec", "expirationSeconds")
	}
	lifetime := seconds
	foreign := slices.ContainsFunc(claims.Audiences, func(audience string) bool { return !slices.Contains(own, audience) })
	if claims.Pod != nil && seconds == tokenProjected && !foreign && !s.Tokens.Exact {
		claims.WarnAfterSeconds, lifetime = seconds, tokenExtended
		if most := s.Tokens.MostSeconds; most > 0 {
			lifetime = min(lifetime, most)
		}
	}
	now := s.Registry.Clock.Now().UTC()
	token := s.Tokens.Issue(*claims, time.Duration(lifetime)*time.Second)
	object.Meta(request)["creationTimestamp"] = now.Format(time.RFC3339)
	request["status"] = map[string]any{
		"token": token, "expirationTimestamp": now.Add(time.Duration(seconds) * time.Second).Format(time.RFC3339),
	}
	return w.stored(http.StatusCreated, object.Encode(nil, request, want.schema))
}

// accountOf returns the service account of a token request, and sets the request's metadata.
func (s *Server) accountOf(ctx context.Context, i *info, request map[string]any) (*serviceaccount.Claims, error) {
	meta := object.Meta(request)
	if name := object.Name(request); name != "" && name != i.Name {
		return nil, status.NewInvalid(tokenKind, i.Name, field.ErrorList{
			field.Invalid("metadata.name", name, "must match the service account name if specified")})
	}
	account, err := s.object(ctx, "serviceaccounts", i.Namespace, i.Name)
	if err != nil {
		return nil, err
	}
	have := object.UID(account)
	if uid := object.UID(request); uid != "" && uid != have {
		return nil, status.NewConflict(status.GroupResource{Group: tokenKind.Group, Resource: tokenKind.Kind}, i.Name,
			fmt.Sprintf("the UID in the token request (%s) does not match the UID of the service account (%s)", uid, have))
	}
	meta["name"], meta["namespace"], meta["uid"] = i.Name, i.Namespace, have
	return &serviceaccount.Claims{Namespace: i.Namespace, Account: serviceaccount.Ref{Name: i.Name, UID: have}}, nil
}

// defaultToken sets the audiences of a request that names none, and validates the rest.
func defaultToken(request map[string]any, c *serviceaccount.Claims, audiences []string) field.ErrorList {
	if len(object.GetList(request, "spec", "audiences")) == 0 {
		object.SetNested(request, object.ListOf(audiences), "spec", "audiences")
	}
	for _, v := range object.GetList(request, "spec", "audiences") {
		text, _ := v.(string)
		c.Audiences = append(c.Audiences, text)
	}
	const at = field.Path("spec.expirationSeconds")
	switch seconds, _ := object.GetInt(request, "spec", "expirationSeconds"); {
	case seconds < tokenMin:
		return field.ErrorList{field.Invalid(at, seconds, "may not specify a duration less than 10 minutes")}
	case seconds > tokenMax:
		return field.ErrorList{field.Invalid(at, seconds, "may not specify a duration larger than 2^32 seconds")}
	}
	return nil
}

// bindToken binds a token to the object in a request, if any.
func (s *Server) bindToken(ctx context.Context, i *info, ref map[string]any, c *serviceaccount.Claims) error {
	if ref == nil {
		return nil
	}
	apiVersion, kind, name := object.GetString(ref, "apiVersion"), object.GetString(ref, "kind"),
		object.GetString(ref, "name")
	group, version := object.SplitGroupVersion(apiVersion)
	resource, namespace := map[string]string{"/Pod": "pods", "/Node": "nodes", "/Secret": "secrets"}[group+"/"+kind],
		i.Namespace
	switch resource {
	case "":
		return status.NewBadRequest(fmt.Sprintf("cannot bind token to object of type %s/%s, Kind=%s", group, version, kind))
	case "nodes":
		namespace = ""
	}
	if err := registry.CheckKey(name); err != nil {
		return err
	}
	obj, err := s.object(ctx, resource, namespace, name)
	if err != nil {
		return err
	}
	bound := &serviceaccount.Ref{Name: name, UID: object.UID(obj)}
	switch resource {
	case "pods":
		if object.GetString(obj, "spec", "serviceAccountName") != i.Name {
			return status.NewBadRequest(fmt.Sprintf("cannot bind token for serviceaccount %q to pod running with different "+
				"serviceaccount name.", i.Name))
		}
		c.Pod = bound
		if node := object.GetString(obj, "spec", "nodeName"); node != "" {
			c.Node = &serviceaccount.Ref{Name: node, UID: object.UID(s.Registry.Lookup("nodes", "", node))}
		}
	case "nodes":
		c.Node = bound
	case "secrets":
		c.Secret = bound
	}
	if uid := object.GetString(ref, "uid"); uid != "" && uid != bound.UID {
		return status.NewConflict(status.GroupResource{Group: group, Resource: kind}, name, fmt.Sprintf(
			"the UID in the bound object reference (%s) does not match the UID in record. The object might have been "+
				"deleted and then recreated", uid))
	}
	return nil
}

// object reads an object of the core group.
func (s *Server) object(ctx context.Context, resource, namespace, name string) (map[string]any, error) {
	row := s.Table.Resource("", "v1", resource)
	value, err := s.Registry.Get(ctx, registry.Target{Resource: row, Namespace: namespace, Name: name})
	if err != nil {
		return nil, err
	}
	obj, _, err := object.Decode(value, row.Type())
	return obj, err
}
