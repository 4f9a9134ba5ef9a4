package structural

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
)

var errNoField = errors.New("does not refer to a valid field")

// FieldPath parses a path of names, as in .spec.color or, with brackets, in .spec['a.b'], and
// returns it in the form of errors with the schema at its end. The error is a message for users; a
// path without a schema is an error.
func FieldPath(path string, s *Schema, brackets bool) (at field.Path, found *Schema, err error) {
	for path != "" {
		name, rest := "", ""
		switch path[0] {
		case '.':
			rest = path[1:]
			if rest == "" {
				return "", nil, errors.New("unexpected end of JSON path")
			}
			end := strings.IndexAny(rest[1:], ".[]")
			if end < 0 {
				end = len(rest) - 1
			}
			name, rest = rest[:end+1], rest[end+1:]
		case '[':
			if !brackets {
				return "", nil, errors.New("array notation is not allowed")
			}
			if name, rest, err = quoted(path[1:]); err != nil {
				return "", nil, err
			}
		default:
			end := strings.IndexAny(path, ".[]")
			if end <= 0 {
				end = len(path)
			}
			return "", nil, fmt.Errorf("expected [ or . but got: %s", path[:end])
		}
		switch {
		case s == nil || s.Properties == nil && !s.AllowsAdditional && !s.Closed:
			return "", nil, errNoField
		case s.Properties == nil:
			at, s = at.Key(name), s.Additional
		case s.Properties[name] == nil:
			return "", nil, errNoField
		default:
			at, s = at.Child(name), s.Properties[name]
		}
		path = rest
	}
	return at, s, nil
}

// quoted reads a name in single quotes and the bracket after it.
func quoted(path string) (name, rest string, err error) {
	if path == "" {
		return "", "", errors.New("unexpected end of JSON path")
	}
	end := 0
	if path[0] == '\'' {
		for end = 1; end < len(path) && (path[end] != '\'' || path[end-1] == '\\'); end++ {
		}
	}
	if end == 0 || end == len(path) {
		token, _, _ := strings.Cut(path, "]")
		return "", "", fmt.Errorf("expected single quoted string but got %s", token)
	}
	name, rest = path[1:end], path[end+1:]
	switch {
	case rest == "":
		return "", "", errors.New("unexpected end of JSON path")
	case rest[0] != ']':
		return "", "", fmt.Errorf("expected ] but got %s", rest[:1])
	}
	return strings.NewReplacer(`\\`, `\`, `\'`, `'`, `\"`, `"`).Replace(name), rest[1:], nil
}
