package patch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// maxProblems is the maximum number of problems that are reported for one document.
const maxProblems = 100

// strictProblems returns the duplicate keys of a document and, for the operations of a JSON patch,
// the unknown ones.
func strictProblems(doc []byte, operations bool) []string {
	w := walker{Decoder: json.NewDecoder(bytes.NewReader(doc)), operations: operations}
	w.value(0)
	return w.problems
}

type walker struct {
	*json.Decoder
	operations bool
	problems   []string
	path       []byte // of the value being read
}

func (w *walker) value(depth int) {
	token, err := w.Token()
	if err != nil {
		return
	}
	above := len(w.path)
	switch token {
	case json.Delim('['):
		for i := 0; w.More(); i++ {
			w.path = append(strconv.AppendInt(append(w.path, '['), int64(i), 10), ']')
			w.value(depth + 1)
			w.path = w.path[:above]
		}
	case json.Delim('{'):
		seen := map[string]bool{}
		for w.More() {
			key, _ := w.Token()
			if above > 0 {
				w.path = append(w.path, '.')
			}
			w.path = append(w.path, key.(string)...)
			w.member(key.(string), seen, depth)
			w.path = w.path[:above]
		}
	default:
		return
	}
	w.Token() // the closing one
}

func (w *walker) member(key string, seen map[string]bool, depth int) {
	unknown := w.operations && depth == 1 && !slices.Contains([]string{"op", "path", "from", "value"}, key)
	switch {
	case seen[key] && !unknown:
		w.problem("duplicate field %q")
	case unknown:
		w.problem("unknown field %q")
	}
	seen[key] = true
	if unknown {
		var skipped json.RawMessage
		_ = w.Decode(&skipped) // the next token gives the error again
		return
	}
	w.value(depth + 1)
}

// problem notes a problem of the value being read.
func (w *walker) problem(format string) {
	if len(w.problems) >= maxProblems {
		return
	}
	if p := fmt.Sprintf(format, w.path); !slices.Contains(w.problems, p) {
		w.problems = append(w.problems, p)
	}
}
