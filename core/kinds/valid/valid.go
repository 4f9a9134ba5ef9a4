// Package valid checks values that occur in kinds of several areas: addresses, label
// selectors, node selectors, resource names and quantities, conditions, expressions in
// CEL. Most functions return the violations of the value at a path, in the words of the
// real server.
//
// It knows no kind. Checks cost what the value costs.
package valid

import (
	"math"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
)

// NameRules are those of an object that may have a name, which is a label.
var NameRules = rule.Fields{
	{Key: "name", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Label)}},
}

// POSIXID is the rule of the id of a user or a group, if there is one.
var POSIXID = rule.All{rule.IfSet{}, rule.Range{Min: 0, Max: math.MaxInt32}}

// SystemPriority has the values of the priority classes that every cluster has, by name.
var SystemPriority = map[string]int64{"system-cluster-critical": 2000000000, "system-node-critical": 2000001000}

// LowerSubdomain is a rule.Form: a subdomain that may have capitals.
func LowerSubdomain(name string) []string { return syntax.Subdomain(strings.ToLower(name)) }

// NoBacksteps is a rule.Form: a path without "..".
func NoBacksteps(path string) []string {
	if slices.Contains(strings.Split(path, "/"), "..") {
		return []string{"must not contain '..'"}
	}
	return nil
}

// RelativePath is a rule.Form: a path that leads downwards from where one is.
func RelativePath(path string) []string {
	if strings.HasPrefix(path, "/") {
		return append([]string{"must be a relative path"}, NoBacksteps(path)...)
	}
	return NoBacksteps(path)
}

// Alphanumeric has the letters and digits of ASCII.
const Alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// Digits reports whether a text is made of digits alone.
func Digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
