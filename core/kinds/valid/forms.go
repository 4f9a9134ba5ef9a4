package valid

import (
	"math"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
)

// LowerSubdomain is the form of subdomains, in which capitals are as good as small letters.
func LowerSubdomain(name string) []string { return syntax.Subdomain(strings.ToLower(name)) }

// PosixID is for the id of a user or a group, if there is one.
var PosixID = rule.All{rule.IfSet{}, rule.Range{Min: 0, Max: math.MaxInt32}}

// FileMode is for the mode of a file in a volume, if there is one.
var FileMode = rule.All{rule.IfSet{}, rule.Func(func(v any, at field.Path) field.ErrorList {
	if n, ok := v.(int64); ok && (n < 0 || n > 0o777) {
		return field.ErrorList{field.Invalid(at, n, "must be a number between 0 and 0777 (octal), both inclusive")}
	}
	return nil
})}

const upwards = "must not contain '..'"

// NotUpwards are paths that do not go upwards.
func NotUpwards(path string) []string {
	if slices.Contains(strings.Split(path, "/"), "..") {
		return []string{upwards}
	}
	return nil
}

// Downwards are paths that lead downwards from where one is.
func Downwards(path string) []string {
	if strings.HasPrefix(path, "/") {
		return append([]string{"must be a relative path"}, NotUpwards(path)...)
	}
	return NotUpwards(path)
}

// KeyPath are the paths of files in volumes that are made of keys.
func KeyPath(path string) []string {
	wrong := Downwards(path)
	if strings.HasPrefix(path, "..") && !strings.HasPrefix(path, "../") {
		wrong = append(wrong, "must not start with '..'")
	}
	return wrong
}

func Absolute(path string) []string {
	if !strings.HasPrefix(path, "/") {
		return []string{"must be an absolute path"}
	}
	return nil
}

// QualifiedISCSI are the names of iSCSI.
func QualifiedISCSI(name string) []string {
	kind, rest := name, ""
	if len(name) > 3 {
		kind, rest = name[:3], name[4:]
	}
	good := false
	switch kind {
	case "iqn":
		date, host, _ := strings.Cut(rest, ".")
		year, month, _ := strings.Cut(date, "-")
		authority, unique, _ := strings.Cut(host, ":")
		good = len(year) == 4 && len(month) == 2 && Digits(year+month) && name[3] == '.' && authority != "" && unique != "" &&
			strings.Trim(authority, Alphanumeric+"-.") == "" && !strings.ContainsAny(unique, "^,;*&$| \t\n")
	case "eui":
		good = len(rest) == 16 && strings.Trim(rest, Alphanumeric) == ""
	case "naa":
		good = len(rest) == 32 && strings.Trim(rest, Alphanumeric) == ""
	default:
		return []string{"must be valid format starting with iqn, eui, or naa"}
	}
	if !good {
		return []string{"must be valid format"}
	}
	return nil
}

const Alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

func Digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
