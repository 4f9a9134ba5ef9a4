package controlplane

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tabernetes/tabernetes/core/internal/field"
)

// A section is a part of the spec that is being read. Missing fields leave a setting as it is;
// invalid ones are errors.
type section struct {
	tree map[string]any
	at   field.Path
	errs *field.ErrorList
}

func (s section) invalid(at field.Path, value any, why string) {
	*s.errs = append(*s.errs, field.Invalid(at, value, why))
}

func (s section) child(name string) section {
	return s.object(s.tree[name], s.at.Child(name))
}

func (s section) object(value any, at field.Path) section {
	tree, ok := value.(map[string]any)
	if value != nil && !ok {
		s.invalid(at, value, "must be an object")
	}
	return section{tree, at, s.errs}
}

func (s section) seconds(name string, least, most int64, into *time.Duration) {
	if n, ok := s.whole(name, least, most, "must be a whole number of seconds"); ok {
		*into = time.Duration(n) * time.Second
	}
}

func (s section) number(name string, least, most int64, into *int64) {
	if n, ok := s.whole(name, least, most, "must be a whole number"); ok {
		*into = n
	}
}

// whole returns a whole number, if it is there; why is the message about other values.
func (s section) whole(name string, least, most int64, why string) (n int64, ok bool) {
	v := s.tree[name]
	if v == nil {
		return 0, false
	}
	if n, ok = v.(int64); !ok {
		s.invalid(s.at.Child(name), v, why)
	} else if n < least || n > most {
		s.invalid(s.at.Child(name), n, fmt.Sprintf("must be between %d and %d, inclusive", least, most))
	}
	return n, ok
}

func (s section) bool(name string, into *bool) {
	switch b := s.tree[name].(type) {
	case nil:
	case bool:
		*into = b
	default:
		s.invalid(s.at.Child(name), b, "must be true or false")
	}
}

// only refuses unknown fields.
func (s section) only(known ...string) {
	for _, name := range slices.Sorted(maps.Keys(s.tree)) {
		if !slices.Contains(known, name) {
			*s.errs = append(*s.errs, field.NotSupported(s.at, name, known...))
		}
	}
}

func (s section) text(name string, required bool, into *string) {
	switch text := s.tree[name].(type) {
	case nil, string:
		if *into, _ = text.(string); required && *into == "" {
			*s.errs = append(*s.errs, field.Required(s.at.Child(name), ""))
		}
	default:
		s.invalid(s.at.Child(name), text, "must be a string")
	}
}

func (s section) words(name string, into *[]string) {
	list, ok := s.tree[name].([]any)
	for _, one := range list {
		word, isText := one.(string)
		ok = ok && isText
		*into = append(*into, word)
	}
	if s.tree[name] != nil && !ok {
		s.invalid(s.at.Child(name), s.tree[name], "must be a list of strings")
	}
}

func (s section) word(name string, into *string, words ...string) {
	value := s.tree[name]
	if value == nil {
		return
	}
	for _, word := range words {
		if value == word {
			*into = word
			return
		}
	}
	*s.errs = append(*s.errs, field.NotSupported(s.at.Child(name), value, words...))
}

func (s section) list(name string, least, most int, set func([]section)) {
	s.values(name, least, most, func(list []any, at field.Path) {
		items := make([]section, len(list))
		for i, item := range list {
			items[i] = s.object(item, at.Index(i))
		}
		set(items)
	})
}

// values are the items of a list, and its path.
func (s section) values(name string, least, most int, set func([]any, field.Path)) {
	at := s.at.Child(name)
	switch list := s.tree[name].(type) {
	case nil:
	case []any:
		if len(list) < least || len(list) > most {
			s.invalid(at, list, fmt.Sprintf("must have between %d and %d items", least, most))
			return
		}
		set(list, at)
	default:
		s.invalid(at, list, "must be a list")
	}
}

// someWords returns a list of strings that is not empty; nil if it is missing.
func (s section) someWords(name string) (words []string) {
	s.words(name, &words)
	if list, ok := s.tree[name].([]any); ok && len(list) == 0 {
		s.invalid(s.at.Child(name), list, "must not be empty: leave it out for any")
	}
	return words
}

// optional returns a number; nil if it is missing.
func (s section) optional(name string, least, most int64) *int64 {
	if s.tree[name] == nil {
		return nil
	}
	n := new(int64)
	s.number(name, least, most, n)
	return n
}
