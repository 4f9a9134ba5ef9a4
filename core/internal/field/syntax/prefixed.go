package syntax

import (
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
)

// PrefixedPath returns the violations of a name that has to be a domain, a slash and a path, as those of controllers
// have to.
func PrefixedPath(text string, at field.Path) field.ErrorList {
	if text == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	domain, path, _ := strings.Cut(text, "/")
	if domain == "" || path == "" {
		return field.ErrorList{field.Invalid(at, text, `must be a domain-prefixed path (such as "acme.io/foo")`)}
	}
	var errs field.ErrorList
	for _, wrong := range Subdomain(domain) {
		errs.Add(field.Invalid(at, domain, wrong))
	}
	other := func(c rune) bool {
		return c >= 0x80 || !anyAlnum(byte(c)) && !strings.ContainsRune("/-._~%!$&'()*+,;=:", c)
	}
	if strings.ContainsFunc(path, other) {
		errs.Add(field.Invalid(at, path, Pattern("Invalid path", `[A-Za-z0-9/\-._~%!$&'()*+,;=:]+`)))
	}
	return errs
}
