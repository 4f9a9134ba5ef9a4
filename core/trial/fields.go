package trial

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxPlaces is how many items a list gets for a field that is not there yet.
const maxPlaces = 100

// maxSteps is how long a path may be: longer than that of any rule, and short enough for what goes down step by step.
const maxSteps = 1000

// stepsOf splits a path as errors have it, such as spec.validations[0].expression or properties[spec]: names are
// strings, places ints; what is in brackets is a place if it is a number.
func stepsOf(path string) (steps []any, err error) {
	for path != "" {
		if len(steps) == maxSteps {
			return nil, errors.New("it is too long")
		}
		if rest, ok := strings.CutPrefix(path, "["); ok {
			inner, after, ok := strings.Cut(rest, "]")
			if !ok {
				return nil, errors.New("a bracket is not closed")
			}
			if n, err := strconv.Atoi(inner); err == nil && n >= 0 {
				steps = append(steps, n)
			} else {
				steps = append(steps, inner)
			}
			path = strings.TrimPrefix(after, ".")
			continue
		}
		n := strings.IndexAny(path, ".[")
		if n < 0 {
			n = len(path)
		}
		if n == 0 {
			return nil, errors.New("a name is missing")
		}
		steps, path = append(steps, path[:n]), strings.TrimPrefix(path[n:], ".")
	}
	if len(steps) < 2 {
		return nil, errors.New("it is not the path of an expression")
	}
	return steps, nil
}

// lookUp returns what is at a path; nil for nothing.
func lookUp(in any, steps []any) any {
	for _, step := range steps {
		switch at := in.(type) {
		case map[string]any:
			in = at[fmt.Sprint(step)]
		case []any:
			n, ok := step.(int)
			if !ok || n >= len(at) {
				return nil
			}
			in = at[n]
		default:
			return nil
		}
	}
	return in
}

// put sets the text at a path, and makes what is missing around it.
func put(in map[string]any, steps []any, text string) error {
	_, err := with(in, steps, text)
	return err
}

// with returns a value with the text at a path.
func with(in any, steps []any, text string) (any, error) {
	if len(steps) == 0 {
		return text, nil
	}
	if in == nil {
		in = map[string]any{}
		if _, isPlace := steps[0].(int); isPlace {
			in = []any{}
		}
	}
	switch at := in.(type) {
	case map[string]any:
		name := fmt.Sprint(steps[0])
		inner, err := with(at[name], steps[1:], text)
		at[name] = inner
		return at, err
	case []any:
		n, ok := steps[0].(int)
		if !ok || n > maxPlaces && n >= len(at) {
			return at, fmt.Errorf("%v is not a place of a list", steps[0])
		}
		for len(at) <= n {
			at = append(at, map[string]any{})
		}
		inner, err := with(at[n], steps[1:], text)
		at[n] = inner
		return at, err
	}
	return in, fmt.Errorf("%v is in no object", steps[0])
}
