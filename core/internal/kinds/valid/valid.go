// Package valid checks values that occur in kinds of several areas: addresses, label selectors,
// node selectors, resource names and quantities, conditions, CEL expressions. Most functions return
// the violations of the value at a path, with the texts of the real server.
//
// It does not depend on any kind. Checks cost the size of the value.
package valid

import (
	"math"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
)

// NameRules are the rules for an object with an optional name, which is a label.
var NameRules = rule.Fields{
	{Key: "name", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Label)}},
}

// POSIXID is the rule for the id of a user or a group, if set.
var POSIXID = rule.All{rule.IfSet{}, rule.Range{Min: 0, Max: math.MaxInt32}}

// LowerSubdomain is a rule.Form: a subdomain that may have capitals.
func LowerSubdomain(name string) []string { return syntax.Subdomain(strings.ToLower(name)) }

// NoBacksteps is a rule.Form: a path without "..".
func NoBacksteps(path string) []string {
	if slices.Contains(strings.Split(path, "/"), "..") {
		return []string{"must not contain '..'"}
	}
	return nil
}

// RelativePath is a rule.Form: a relative path without "..".
func RelativePath(path string) []string {
	if strings.HasPrefix(path, "/") {
		return append([]string{"must be a relative path"}, NoBacksteps(path)...)
	}
	return NoBacksteps(path)
}

// Alphanumeric are the ASCII letters and digits.
const Alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// Digits reports whether a text consists of digits.
func Digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
