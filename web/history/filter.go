package history

import (
	"strings"

	"github.com/tabernetes/tabernetes/web/tap"
)

// Kind is a sort of requests to be listed alone.
type Kind string

// The kinds.
const (
	All     Kind = ""
	Reads   Kind = "reads"
	Writes  Kind = "writes"
	Watches Kind = "watches"
	Errors  Kind = "errors" // answered with 400 or more, not at all, or with an ERROR event
)

// A Filter says which requests are listed. Beside the Place, the zero
// Filter lists all.
type Filter struct {
	Kind   Kind
	Origin string // who made the request (tap.Event.Origin); empty: anybody
	Place  string // the cluster that it was made of (tap.Event.Place)
	// Text is looked for, in any case, in the request line, the status, the header
	// lines and the bodies of request and answer; not in bodies that are no text.
	Text string
}

// passes reports whether an entry is of the filter's kind and origin.
func (f Filter) passes(e *tap.Exchange) bool {
	if f.Origin != "" && e.Origin != f.Origin || e.Place != f.Place {
		return false
	}
	switch f.Kind {
	case Reads:
		return !writes(e) && e.Info.Verb != "watch"
	case Writes:
		return writes(e)
	case Watches:
		return e.Info.Verb == "watch"
	case Errors:
		return bad(e)
	}
	return true
}

// headContains reports whether what is short of an entry has the text, which is
// in lower case.
func headContains(e *tap.Exchange, text string) bool {
	return joined(e.Method, " ", e.URL, text) || e.Status > 0 && contains(itoa(int64(e.Status)), text) ||
		contains(e.Err, text) ||
		inFields(e.Header, text) || inFields(e.ResHeader, text)
}

func inFields(fields []tap.Field, text string) bool {
	for _, f := range fields {
		if joined(f.Name, ": ", f.Value, text) {
			return true
		}
	}
	return false
}

// joined reports whether the text is in a, between and b together, across their borders. It joins them only where that
// is possible.
func joined(a, between, b, text string) bool {
	if contains(a, text) || contains(b, text) {
		return true
	}
	return strings.ContainsAny(text, between) && contains(a+between+b, text)
}

// contains reports whether s has the text, which is in lower case, in any case
// of the letters of ASCII.
func contains(s, text string) bool {
	if text == "" {
		return true
	}
	first := text[0]
	for i := 0; i+len(text) <= len(s); i++ {
		if lower(s[i]) == first && equalLower(s[i:i+len(text)], text) {
			return true
		}
	}
	return false
}

func equalLower(s, text string) bool {
	for i := 0; i < len(s); i++ {
		if lower(s[i]) != text[i] {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// lowered returns the text as contains wants it.
func lowered(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text)
}
