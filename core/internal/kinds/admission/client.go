package admission

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
)

// ValidateClient returns the violations of a webhook's client config: a URL or a service.
func ValidateClient(client map[string]any, at field.Path) field.ErrorList {
	service := tree.Object(client, "service")
	if (client["url"] == nil) == (service == nil) {
		return field.ErrorList{field.Required(at, "exactly one of url or service is required")}
	}
	if service == nil {
		return validateURL(tree.Text(client, "url"), at.Child("url"))
	}
	at = at.Child("service")
	var errs field.ErrorList
	// The real server confuses the two.
	for _, name := range [][2]string{{"namespace", "name"}, {"name", "namespace"}} {
		if tree.Text(service, name[0]) == "" {
			errs.Add(field.Required(at.Child(name[1]), ""))
		}
	}
	if n, _ := tree.Int(service, "port"); syntax.PortNumber(n) != nil {
		errs.Add(field.Invalid(at.Child("port"), n, "port is not valid: "+syntax.PortNumber(n)[0]))
	}
	return append(errs, validatePath(tree.Text(service, "path"), at.Child("path"))...)
}

// validatePath checks the path of a service: every segment is a subdomain, and there may be a slash
// at the end.
func validatePath(path string, at field.Path) field.ErrorList {
	if path == "" || path == "/" {
		return nil
	}
	var errs field.ErrorList
	if path[0] != '/' {
		errs.Add(field.Invalid(at, path, "must start with a '/'"))
	}
	for i, segment := range strings.Split(strings.TrimSuffix(path[1:], "/"), "/") {
		if segment == "" {
			errs.Add(field.Invalid(at, path, fmt.Sprintf("segment[%d] may not be empty", i)))
			continue
		}
		for _, wrong := range syntax.Subdomain(segment) {
			errs.Add(field.Invalid(at, path, fmt.Sprintf("segment[%d]: %s", i, wrong)))
		}
	}
	return errs
}

func validateURL(address string, at field.Path) field.ErrorList {
	const form = "; desired format: https://host[/path]"
	u, err := url.Parse(address)
	if err != nil {
		return field.ErrorList{field.Required(at, "url must be a valid URL: "+err.Error()+form)}
	}
	var errs field.ErrorList
	if u.Scheme != "https" {
		errs.Add(field.Invalid(at, u.Scheme, "'https' is the only allowed URL scheme"+form))
	}
	if u.Host == "" {
		errs.Add(field.Invalid(at, u.Host, "host must be specified"+form))
	}
	if u.User != nil {
		errs.Add(field.Invalid(at, u.User.String(), "user information is not permitted in the URL"))
	}
	if u.Fragment != "" {
		errs.Add(field.Invalid(at, u.Fragment, "fragments are not permitted in the URL"))
	}
	if u.RawQuery != "" {
		errs.Add(field.Invalid(at, u.RawQuery, "query parameters are not permitted in the URL"))
	}
	return errs
}
