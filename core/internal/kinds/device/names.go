package device

import (
	"fmt"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
)

// driverName is the rule for the name of a driver.
var driverName = rule.All{rule.Required{}, rule.MaxBytes(63), rule.Form(valid.LowerSubdomain)}

// poolName checks the name of a pool of devices: subdomains with slashes between.
func poolName(v any, at field.Path) field.ErrorList {
	name, _ := v.(string)
	if name == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	var errs field.ErrorList
	if len(name) > syntax.MaxSubdomain {
		errs.Add(field.TooLong(at, syntax.MaxSubdomain))
	}
	for _, part := range strings.Split(name, "/") {
		errs.Add(rule.Invalid(at, part, syntax.Subdomain(part))...)
	}
	return errs
}

// uuid checks a UUID in lower case with dashes. Its other forms have different violations.
func uuid(v any, at field.Path) field.ErrorList {
	text, _ := v.(string)
	plain := text
	switch len(text) {
	case 36 + 9:
		plain = text[9:]
		if !strings.EqualFold(text[:9], "urn:uuid:") {
			return field.ErrorList{field.Invalid(at, text,
				fmt.Sprintf("error validating uid: invalid urn prefix: %q", text[:9]))}
		}
	case 36 + 2:
		plain = text[1:37]
		if text[0] != '{' || text[37] != '}' {
			return field.ErrorList{field.Invalid(at, text, "error validating uid: invalid bracketed UUID format")}
		}
	case 32:
		plain = text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
	case 36:
	default:
		return field.ErrorList{field.Invalid(at, text,
			fmt.Sprintf("error validating uid: invalid UUID length: %d", len(text)))}
	}
	for i := range len(plain) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (plain[i] == '-') || !dash && !strings.ContainsRune("0123456789abcdefABCDEF", rune(plain[i])) {
			return field.ErrorList{field.Invalid(at, text, "error validating uid: invalid UUID format")}
		}
	}
	if text != strings.ToLower(plain) {
		return field.ErrorList{field.Invalid(at, text,
			"uid must be in RFC 4122 normalized form, "+
				"`xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters")}
	}
	return nil
}

// qualifiedName checks the name of an attribute or a capacity, which may have a domain. More than
// one slash is accepted.
func qualifiedName(name string, at field.Path) field.ErrorList {
	domain, id, qualified := strings.Cut(name, "/")
	if strings.Contains(id, "/") {
		return nil
	}
	if !qualified {
		return identifier(name, at)
	}
	var errs field.ErrorList
	if domain == "" {
		errs.Add(field.Invalid(at, "", "the domain must not be empty"))
	} else {
		errs.Add(rule.Check(domain, at, driverName)...)
	}
	if id == "" {
		return append(errs, field.Invalid(at, "", "the name must not be empty"))
	}
	return append(errs, identifier(id, at)...)
}

func identifier(id string, at field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(id) > 32 {
		errs.Add(field.TooLong(at, 32))
	}
	return append(errs, rule.Invalid(at, id, syntax.Identifier(id))...)
}
