package schema

import "strings"

// TypeNamed returns a type by the name of its OpenAPI definition, such as
// "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions", or nil.
func TypeNamed(name string) *Type {
	builtin.load()
	for _, p := range builtin.packages {
		if rest, ok := strings.CutPrefix(name, p.prefix+"."); ok && !strings.Contains(rest, ".") {
			return builtin.named(p.alias, rest)
		}
	}
	return nil
}
