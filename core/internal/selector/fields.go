package selector

import (
	"fmt"
	"slices"
	"strings"
)

// A FieldRequirement is one term of a field selector.
type FieldRequirement struct {
	Field    string
	Operator Operator // Equals or NotEquals
	Value    string
}

// String returns r in the syntax that is parsed.
func (r FieldRequirement) String() string {
	return r.Field + string(r.Operator) + EscapeValue(r.Value)
}

// Fields is a field selector: all its requirements must be met. Without requirements it selects
// everything.
type Fields []FieldRequirement

// ParseFields parses a selector such as "metadata.name=a,status.phase!=Running". In values a
// backslash precedes a backslash, comma or equals sign. The requirements are sorted by their text,
// which determines the first error. A term without field and value is ignored.
func ParseFields(text string) (Fields, error) {
	terms := splitTerms(text)
	slices.Sort(terms)
	var f Fields
	for _, term := range terms {
		if term == "" {
			continue
		}
		r, ok := splitTerm(term)
		if !ok {
			return nil, fmt.Errorf("invalid selector: '%s'; can't understand '%s'", text, term)
		}
		value, err := unescapeValue(r.Value)
		if err != nil {
			return nil, err
		}
		if r.Value = value; r.Field != "" || r.Value != "" {
			f = append(f, r)
		}
	}
	if len(f) > MaxRequirements {
		return nil, fmt.Errorf("a field selector may have at most %d requirements, and this one has %d", MaxRequirements,
			len(f))
	}
	return f, nil
}

// splitTerms splits the text at its unescaped commas.
func splitTerms(text string) []string {
	var terms []string
	start, escaped := 0, false
	for i := 0; i < len(text); i++ {
		switch {
		case escaped:
			escaped = false
		case text[i] == '\\':
			escaped = true
		case text[i] == ',':
			terms = append(terms, text[start:i])
			start = i + 1
		}
	}
	return append(terms, text[start:])
}

// splitTerm splits a term at its first operator.
func splitTerm(term string) (r FieldRequirement, ok bool) {
	for i := 0; i < len(term); i++ {
		rest := term[i:]
		switch {
		case strings.HasPrefix(rest, "!="):
			return FieldRequirement{term[:i], NotEquals, rest[2:]}, true
		case strings.HasPrefix(rest, "=="):
			return FieldRequirement{term[:i], Equals, rest[2:]}, true
		case rest[0] == '=':
			return FieldRequirement{term[:i], Equals, rest[1:]}, true
		}
	}
	return r, false
}

// EscapeValue escapes a value so that ParseFields reads the same value back.
func EscapeValue(value string) string {
	if !strings.ContainsAny(value, `\,=`) {
		return value
	}
	return strings.NewReplacer(`\`, `\\`, `,`, `\,`, `=`, `\=`).Replace(value)
}

func unescapeValue(text string) (string, error) {
	if !strings.ContainsAny(text, `\,=`) {
		return text, nil
	}
	var b strings.Builder
	escaped := false
	for _, c := range text {
		special := c == '\\' || c == ',' || c == '='
		switch {
		case escaped && !special:
			return "", fmt.Errorf(`invalid field selector: invalid escape sequence: \%c`, c)
		case !escaped && c == '\\':
			escaped = true
			continue
		case !escaped && special:
			return "", fmt.Errorf("invalid field selector: unescaped character in value: %d", c)
		}
		escaped = false
		b.WriteRune(c)
	}
	if escaped {
		return "", fmt.Errorf(`invalid field selector: invalid escape sequence: \`)
	}
	return b.String(), nil
}

// Matches reports whether an object is selected whose field values the function value returns. A
// missing field is the empty string.
func (f Fields) Matches(value func(field string) string) bool {
	for _, r := range f {
		if (value(r.Field) == r.Value) != (r.Operator == Equals) {
			return false
		}
	}
	return true
}

// Empty reports whether everything is selected.
func (f Fields) Empty() bool { return len(f) == 0 }

// Requirements returns the selector's terms.
func (f Fields) Requirements() []FieldRequirement { return f }

// RequiresExact returns the one value that the field must have for a match, if there is such a
// value.
func (f Fields) RequiresExact(name string) (value string, ok bool) {
	for _, r := range f {
		if r.Field == name && r.Operator == Equals {
			return r.Value, true
		}
	}
	return "", false
}

// Transform replaces fields and values by those that convert returns, or fails with its first
// error. A requirement whose field and value both become empty is dropped.
func (f Fields) Transform(convert func(field, value string) (string, string, error)) (Fields, error) {
	var out Fields
	for _, r := range f {
		name, value, err := convert(r.Field, r.Value)
		if err != nil {
			return nil, err
		}
		if name != "" || value != "" {
			out = append(out, FieldRequirement{name, r.Operator, value})
		}
	}
	return out, nil
}

// String returns the selector in the syntax that is parsed.
func (f Fields) String() string {
	texts := make([]string, len(f))
	for i, r := range f {
		texts[i] = r.String()
	}
	return strings.Join(texts, ",")
}
