package syntax_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
)

const (
	labelForm = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
	keyForm   = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
)

// checks are the scanners with the regular expressions in their messages.
var checks = []struct {
	name  string
	check func(string) []string
	form  string
	max   int
}{
	{"Label", syntax.Label, labelForm, 63},
	{"Label1035", syntax.Label1035, "[a-z]([-a-z0-9]*[a-z0-9])?", 63},
	{"Subdomain", syntax.Subdomain, labelForm + `(\.` + labelForm + ")*", 253},
	{"WildcardSubdomain", syntax.WildcardSubdomain, `\*\.` + labelForm + `(\.` + labelForm + ")*", 253},
	{"LabelValue", syntax.LabelValue, "(" + keyForm + ")?", 63},
	{"ConfigMapKey", syntax.ConfigMapKey, `[-._a-zA-Z0-9]+`, 253},
	{"Percent", syntax.Percent, "[0-9]+%", 1 << 30},
	{"Identifier", syntax.Identifier, "[A-Za-z_][A-Za-z0-9_]*", 1 << 30},
	{"Reason", syntax.Reason, "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?", 1 << 30},
}

var texts = []string{
	"", "a", "-", "a-", "-a", "a-b", "A", "a.b", "a..b", ".a", "a.", "a.-b", "1", "1-2", "a_b", "a b", "é", "a\n", "*",
	"*.a", "*.a.b", "*.",
	"a/b", "x/y/z", "/b", "a/", "A.b/c", "a.b/C_d", "0%", "12%", "%", "1.5%", "..", ".", "..x", "a\x00",
	strings.Repeat("a", 63), strings.Repeat("a", 64), strings.Repeat("a.", 126) + "a", strings.Repeat("a", 254),
}

// A check must refuse exactly what does not match its expression, what is too long, and the few
// names with a meaning in file systems.
func TestAgainstExpressions(t *testing.T) {
	for _, c := range checks {
		form := regexp.MustCompile("^" + c.form + "$")
		for _, text := range texts {
			want := form.MatchString(text) && len(text) <= c.max
			if c.name == "ConfigMapKey" {
				want = want && text != "." && !strings.HasPrefix(text, "..")
			}
			if got := c.check(text) == nil; got != want {
				t.Errorf("%s(%q) is fine: %v, want %v", c.name, text, got, want)
			}
		}
	}
}

func FuzzAgainstExpressions(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	forms := make([]*regexp.Regexp, len(checks))
	for i, c := range checks {
		forms[i] = regexp.MustCompile("^" + c.form + "$")
	}
	f.Fuzz(func(t *testing.T, text string) {
		for i, c := range checks {
			want := forms[i].MatchString(text) && len(text) <= c.max
			if c.name == "ConfigMapKey" {
				want = want && text != "." && !strings.HasPrefix(text, "..")
			}
			if got := c.check(text) == nil; got != want {
				t.Errorf("%s(%q) is fine: %v, want %v", c.name, text, got, want)
			}
		}
		if syntax.LabelKey(text) == nil {
			prefix, name, qualified := strings.Cut(text, "/")
			if !qualified {
				prefix, name = "x", text
			}
			if syntax.Subdomain(prefix) != nil || name == "" || syntax.LabelValue(name) != nil {
				t.Errorf("LabelKey(%q) is fine, its parts are not", text)
			}
		}
	})
}

func TestTexts(t *testing.T) {
	for _, c := range []struct {
		got  []string
		want string
	}{
		{syntax.Label("4s.x"), "must not contain dots"},
		{syntax.Label("C!"), "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and " +
			"must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is " +
			"'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"},
		{syntax.Subdomain("Bad_Name"),
			`a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start ` +
				`and end with an alphanumeric character (e.g. 'example.com', regex used for validation is ` +
				`'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`},
		{syntax.Subdomain(strings.Repeat("a", 254)), "must be no more than 253 characters"},
		{syntax.LabelKey("bad key"), "name part must consist of alphanumeric characters, '-', '_' or '.', and must start " +
			"and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation " +
			"is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"},
		{syntax.LabelKey("a/b/c"), "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must " +
			"start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for " +
			"validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. " +
			"'example.com/MyName')"},
		{syntax.LabelKey("/b"), "prefix part must be non-empty"},
		{syntax.LabelValue(strings.Repeat("v", 64)), "must be no more than 63 bytes"},
		{syntax.LabelValue("-bad-"), "a valid label must be an empty string or consist of alphanumeric characters, '-', " +
			"'_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or " +
			"'12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"},
		{syntax.ConfigMapKey("a b"), "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. " +
			"'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"},
		{syntax.ConfigMapKey(".."), "must not be '..'"},
		{syntax.ConfigMapKey("..a"), "must not start with '..'"},
		{syntax.PathSegment(".."), "may not be '..'"},
		{syntax.PathSegment("a/b%"), "may not contain '/'; may not contain '%'"},
		{syntax.PortName("A--"), "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-); must contain " +
			"at least one letter (a-z); must not contain consecutive hyphens; must not begin or end with a hyphen"},
		{syntax.PortNumber(70000), "must be between 1 and 65535, inclusive"},
		{syntax.EnvVarName(""), "environment variable name must be non-empty"},
		{syntax.EnvVarName("a=b"), "a valid environment variable name must consist only of printable ASCII characters " +
			"other than '='"},
	} {
		if got := strings.Join(c.got, "; "); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
