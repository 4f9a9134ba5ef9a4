package patch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// maxProblems is the maximum number of problems that are reported for one document.
const maxProblems = 100

// strictProblems returns the duplicate keys of a document and, for the operations of a JSON patch,
// the unknown ones.
func strictProblems(doc []byte, operations bool) []string {
	w := walker{Decoder: json.NewDecoder(bytes.NewReader(doc)), operations: operations}
	w.value("", 0)
	return w.problems
}

type walker struct {
	*json.Decoder
	operations bool
	problems   []string
}

func (w *walker) value(path string, depth int) {
	token, err := w.Token()
	if err != nil {
		return
	}
	switch token {
	case json.Delim('['):
		for i := 0; w.More(); i++ {
			w.value(fmt.Sprintf("%s[%d]", path, i), depth+1)
		}
	case json.Delim('{'):
		seen := map[string]bool{}
		for w.More() {
			key, _ := w.Token()
			w.member(path, key.(string), seen, depth)
		}
	default:
		return
	}
	w.Token() // the closing one
}

func (w *walker) member(path, key string, seen map[string]bool, depth int) {
	at := key
	if path != "" {
		at = path + "." + key
	}
	unknown := w.operations && depth == 1 && !slices.Contains([]string{"op", "path", "from", "value"}, key)
	switch {
	case seen[key] && !unknown:
		w.problem("duplicate field %q", at)
	case unknown:
		w.problem("unknown field %q", at)
	}
	seen[key] = true
	if unknown {
		var skipped json.RawMessage
		_ = w.Decode(&skipped) // the next token gives the error again
		return
	}
	w.value(at, depth+1)
}

func (w *walker) problem(format string, at string) {
	if p := fmt.Sprintf(format, at); len(w.problems) < maxProblems && !slices.Contains(w.problems, p) {
		w.problems = append(w.problems, p)
	}
}
