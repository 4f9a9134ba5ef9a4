// Package syntax checks the syntax of names, labels and other short texts of the API, and has the
// messages for invalid ones.
//
// Every check returns the messages, nil for a valid text. The checks are hand-written scanners:
// each is linear in the text, allocates nothing when the text is valid, and keeps package regexp
// out of the browser's binary. Regular expressions appear only inside the messages, where clients
// expect them.
package syntax

import (
	"strconv"
	"strings"
)

// The maximum lengths of texts of each form, in bytes.
const (
	MaxLabel        = 63
	MaxSubdomain    = 253
	MaxLabelKeyName = 63
	MaxLabelValue   = 63
	MaxConfigMapKey = 253
	MaxPortName     = 15
)

const (
	labelForm     = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
	subdomainForm = labelForm + `(\.` + labelForm + ")*"
	looseForm     = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
	label1035Form = "[a-z]([-a-z0-9]*[a-z0-9])?"
	keyNameForm   = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"

	labelText = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must " +
		"start and end with an alphanumeric character"
	subdomainText = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
		"and must start and end with an alphanumeric character"
	looseText = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or " +
		"'.', and must start and end with an alphanumeric character"
	label1035Text = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an " +
		"alphabetic character, and end with an alphanumeric character"
	keyNameText = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
		"alphanumeric character"
	valueText = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', " +
		"and must start and end with an alphanumeric character"
	configKeyText = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
	envVarText    = "a valid environment variable name must consist only of printable ASCII characters other than '='"
	wildcardText  = "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which " +
		"must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character"
	identifierText = "a valid C identifier must start with alphabetic character or '_', followed by a string of " +
		"alphanumeric characters or '_'"
	reasonText = "a condition reason must start with alphabetic character, optionally followed by a string of " +
		"alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'"
	percentText = "a valid percent string must be a numeric string followed by an ending '%'"
)

// Pattern returns the message for a text that does not match a pattern.
func Pattern(text, form string, examples ...string) string {
	var b strings.Builder
	b.WriteString(text + " (")
	for i, e := range examples {
		if i == 0 {
			b.WriteString("e.g. ")
		} else {
			b.WriteString(" or ")
		}
		b.WriteString("'" + e + "', ")
	}
	b.WriteString("regex used for validation is '" + form + "')")
	return b.String()
}

// Empty is the message for a text that may not be empty.
const Empty = "must be non-empty"

// TooLong returns the message for a text longer than max bytes.
func TooLong(max int) string { return "must be no more than " + strconv.Itoa(max) + " bytes" }

// TooLongCharacters returns the same message in the words of the older checks.
func TooLongCharacters(max int) string {
	return "must be no more than " + strconv.Itoa(max) + " characters"
}

// Between returns the message for a number outside lo and hi.
func Between(lo, hi int) string {
	return "must be between " + strconv.Itoa(lo) + " and " + strconv.Itoa(hi) + ", inclusive"
}

func lower(c byte) bool    { return 'a' <= c && c <= 'z' }
func upper(c byte) bool    { return 'A' <= c && c <= 'Z' }
func digit(c byte) bool    { return '0' <= c && c <= '9' }
func alnum(c byte) bool    { return lower(c) || digit(c) }
func anyAlnum(c byte) bool { return lower(c) || upper(c) || digit(c) }

func every(s string, is func(byte) bool) bool {
	for i := 0; i < len(s); i++ {
		if !is(s[i]) {
			return false
		}
	}
	return true
}

// framed reports whether s is not empty, starts with first, ends with last, and has inner
// characters between.
func framed(s string, first, inner, last func(byte) bool) bool {
	return s != "" && first(s[0]) && last(s[len(s)-1]) && every(s, inner)
}

func isLabel(s string) bool {
	return framed(s, alnum, func(c byte) bool { return alnum(c) || c == '-' }, alnum)
}

func isSubdomain(s string) bool {
	for {
		part, rest, more := strings.Cut(s, ".")
		if !isLabel(part) {
			return false
		}
		if !more {
			return true
		}
		s = rest
	}
}

func isKeyName(s string) bool {
	return framed(s, anyAlnum, func(c byte) bool { return anyAlnum(c) || c == '-' || c == '_' || c == '.' }, anyAlnum)
}

// Label checks a DNS label of RFC 1123.
func Label(s string) []string {
	var wrong []string
	if len(s) > MaxLabel {
		wrong = append(wrong, TooLongCharacters(MaxLabel))
	}
	switch {
	case isLabel(s):
	case isSubdomain(s):
		wrong = append(wrong, "must not contain dots")
	default:
		wrong = append(wrong, Pattern(labelText, labelForm, "my-name", "123-abc"))
	}
	return wrong
}

// Label1035 checks a DNS label of RFC 1035: as Label, but it starts with a letter.
func Label1035(s string) []string {
	var wrong []string
	if len(s) > MaxLabel {
		wrong = append(wrong, TooLongCharacters(MaxLabel))
	}
	if !isLabel(s) || !lower(s[0]) {
		wrong = append(wrong, Pattern(label1035Text, label1035Form, "my-name", "abc-123"))
	}
	return wrong
}

// Subdomain checks a DNS subdomain of RFC 1123: what most names must be.
func Subdomain(s string) []string { return subdomain(s, TooLongCharacters) }

// LongName is Subdomain with a length in bytes.
func LongName(s string) []string { return subdomain(s, TooLong) }

func subdomain(s string, tooLong func(int) string) []string {
	var wrong []string
	if len(s) > MaxSubdomain {
		wrong = append(wrong, tooLong(MaxSubdomain))
	}
	if !isSubdomain(s) {
		wrong = append(wrong, Pattern(subdomainText, subdomainForm, "example.com"))
	}
	return wrong
}

// LooseSubdomain is Subdomain with underscores, which may begin any part or be inside it.
func LooseSubdomain(s string) []string {
	var wrong []string
	if len(s) > MaxSubdomain {
		wrong = append(wrong, TooLongCharacters(MaxSubdomain))
	}
	inner := func(c byte) bool { return alnum(c) || c == '_' || c == '-' }
	for _, part := range strings.Split(s, ".") {
		if !framed(strings.TrimPrefix(part, "_"), alnum, inner, alnum) {
			return append(wrong, Pattern(looseText, looseForm+`(\.`+looseForm+")*", "example.com"))
		}
	}
	return wrong
}

// HeaderName checks the name of an HTTP header.
func HeaderName(s string) []string {
	if s == "" || !every(s, func(c byte) bool { return anyAlnum(c) || c == '-' }) {
		return []string{Pattern("a valid HTTP header must consist of alphanumeric characters or '-'", "[-A-Za-z0-9]+",
			"X-Header-Name")}
	}
	return nil
}

// WildcardSubdomain checks a subdomain after "*.".
func WildcardSubdomain(s string) []string {
	var wrong []string
	if len(s) > MaxSubdomain {
		wrong = append(wrong, TooLongCharacters(MaxSubdomain))
	}
	if rest, ok := strings.CutPrefix(s, "*."); !ok || !isSubdomain(rest) {
		wrong = append(wrong, Pattern(wildcardText, `\*\.`+subdomainForm, "*.example.com"))
	}
	return wrong
}

// LabelKey checks the key of a label or annotation: a name, or a subdomain, a
// slash and a name.
func LabelKey(s string) []string {
	var wrong []string
	name := s
	switch strings.Count(s, "/") {
	case 0:
	case 1:
		var prefix string
		prefix, name, _ = strings.Cut(s, "/")
		if prefix == "" {
			wrong = append(wrong, "prefix part "+Empty)
		} else {
			for _, w := range subdomain(prefix, TooLong) {
				wrong = append(wrong, "prefix part "+w)
			}
		}
	default:
		return []string{"a valid label key " + Pattern(keyNameText, keyNameForm, "MyName", "my.name", "123-abc") +
			" with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"}
	}
	if name == "" {
		wrong = append(wrong, "name part "+Empty)
	} else if len(name) > MaxLabelKeyName {
		wrong = append(wrong, "name part "+TooLong(MaxLabelKeyName))
	}
	if !isKeyName(name) {
		wrong = append(wrong, "name part "+Pattern(keyNameText, keyNameForm, "MyName", "my.name", "123-abc"))
	}
	return wrong
}

// LabelValue checks the value of a label.
func LabelValue(s string) []string {
	var wrong []string
	if len(s) > MaxLabelValue {
		wrong = append(wrong, TooLong(MaxLabelValue))
	}
	if s != "" && !isKeyName(s) {
		wrong = append(wrong, Pattern(valueText, "("+keyNameForm+")?", "MyValue", "my_value", "12345"))
	}
	return wrong
}

// PathSegment checks a name that may be any segment of a URL's path, as RBAC's may.
func PathSegment(s string) []string {
	switch s {
	case ".":
		return []string{"may not be '.'"}
	case "..":
		return []string{"may not be '..'"}
	}
	return PathSegmentPrefix(s)
}

// PathSegmentPrefix checks the prefix of a PathSegment.
func PathSegmentPrefix(s string) []string {
	var wrong []string
	for _, c := range []string{"/", "%"} {
		if strings.Contains(s, c) {
			wrong = append(wrong, "may not contain '"+c+"'")
		}
	}
	return wrong
}

// ConfigMapKey checks a key of a ConfigMap's or Secret's data.
func ConfigMapKey(s string) []string {
	var wrong []string
	if len(s) > MaxConfigMapKey {
		wrong = append(wrong, TooLongCharacters(MaxConfigMapKey))
	}
	if s == "" || !every(s, func(c byte) bool { return anyAlnum(c) || c == '-' || c == '_' || c == '.' }) {
		wrong = append(wrong, Pattern(configKeyText, "[-._a-zA-Z0-9]+", "key.name", "KEY_NAME", "key-name"))
	}
	switch {
	case s == ".":
		wrong = append(wrong, "must not be '.'")
	case s == "..":
		wrong = append(wrong, "must not be '..'")
	case strings.HasPrefix(s, ".."):
		wrong = append(wrong, "must not start with '..'")
	}
	return wrong
}

// EnvVarName checks the name of a container's environment variable.
func EnvVarName(s string) []string {
	if s == "" {
		return []string{"environment variable name " + Empty}
	}
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' || s[i] == '=' {
			return []string{envVarText}
		}
	}
	return nil
}

// PortName checks the name of a port as defined in RFC 6335.
func PortName(s string) []string {
	var wrong []string
	if len(s) > MaxPortName {
		wrong = append(wrong, TooLongCharacters(MaxPortName))
	}
	if s == "" || !every(s, func(c byte) bool { return alnum(c) || c == '-' }) {
		wrong = append(wrong, "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
	}
	if every(s, func(c byte) bool { return !lower(c) }) {
		wrong = append(wrong, "must contain at least one letter (a-z)")
	}
	if strings.Contains(s, "--") {
		wrong = append(wrong, "must not contain consecutive hyphens")
	}
	if s != "" && (s[0] == '-' || s[len(s)-1] == '-') {
		wrong = append(wrong, "must not begin or end with a hyphen")
	}
	return wrong
}

// PortNumber checks a port.
func PortNumber(n int64) []string {
	if n < 1 || n > 65535 {
		return []string{Between(1, 65535)}
	}
	return nil
}

// Identifier checks a C identifier.
func Identifier(s string) []string {
	word := func(c byte) bool { return anyAlnum(c) || c == '_' }
	if !framed(s, func(c byte) bool { return word(c) && !digit(c) }, word, word) {
		return []string{Pattern(identifierText, "[A-Za-z_][A-Za-z0-9_]*", "my_name", "MY_NAME", "MyName")}
	}
	return nil
}

// Reason checks the reason of a condition.
func Reason(s string) []string {
	inner := func(c byte) bool { return anyAlnum(c) || c == '_' || c == ',' || c == ':' }
	if !framed(s, func(c byte) bool { return lower(c) || upper(c) }, inner,
		func(c byte) bool { return anyAlnum(c) || c == '_' }) {
		return []string{Pattern(reasonText, "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?", "my_name", "MY_NAME", "MyName",
			"ReasonA,ReasonB", "ReasonA:ReasonB")}
	}
	return nil
}

// Percent checks a number followed by a percent sign.
func Percent(s string) []string {
	n, ok := strings.CutSuffix(s, "%")
	if !ok || n == "" || !every(n, digit) {
		return []string{Pattern(percentText, "[0-9]+%", "1%", "93%")}
	}
	return nil
}
