// Package settings has the settings of the ControlPlane as data: where each is in the object, its bounds, its default,
// and what is said of it. core/controlplane reads and applies them; the lab makes its forms of them, lessons what they
// may require, and core/README.md its table. So a new setting is a row here and what obeys it. The acts of the
// ControlPlane are rows, too: an act is a row here and what carries it out in core/controlplane; the lab makes its
// buttons, the presenter's commands, verdicts and what a lesson says of it.
//
// Invariants: paths are unique; a default is within the bounds. The values have the types of decoded objects: int64,
// bool and string. Each act that changes something has words for it.
//
// The package has no dependencies in the project, and no costs but those of its tables.
package settings

import (
	"encoding/json"
	"strings"
	"time"
)

// A Kind is what values a setting has.
type Kind int

// The kinds. A setting of the kind Other has its own type in core/controlplane.
const (
	Seconds Kind = iota
	Number
	Switch
	Choice
	Other
)

// A Setting is a row.
type Setting struct {
	// Path is its path below spec.
	Path string
	Kind Kind
	// Least and Most are the bounds of Seconds and Number, and of the length of a list.
	Least, Most int64
	// Default is its value in a new cluster, but for what the host of the cluster sets; nil: it has none.
	Default any
	// Is says what it is. It begins in lower case and has no full stop.
	Is string
	// Words are the values of a Switch or a Choice, and those of a Number that have a word.
	Words []Word
	// Form is the form of the lab that has it; empty: none of those that are made of rows. Label is what the lab calls
	// it, before its value, and Unit what is behind that.
	Form, Label, Unit string
	// Key is the word by which lessons require it, and Says what is said when that changes it: the value follows. Words
	// say it of theirs. An empty Key: lessons cannot.
	Key, Says string
}

// A Word is a value of a setting that has a word.
type Word struct {
	Value any
	// Key is the word, for lessons, and Says what is so then.
	Key, Says string
}

// The forms of the lab.
const (
	HistoryForm = "history"
	BuffersForm = "buffers"
)

// What is fixed, since the real server has no flag for it, but said in many places.
const (
	// CacheWait is how long a read waits for the watch cache to have a version, and CacheWaitText the same in words.
	CacheWait     = 3 * time.Second
	CacheWaitText = "3 s"
	// MaxReplicas is how many API servers a cluster may have.
	MaxReplicas = 3
	// MaxSeed is the greatest integer that clients in JavaScript read exactly.
	MaxSeed = 1<<53 - 1
)

// In returns the settings of a form of the lab.
func In(form string) (rows []Setting) {
	for _, s := range All {
		if s.Form == form {
			rows = append(rows, s)
		}
	}
	return rows
}

// Duration returns a default in seconds.
func (s Setting) Duration() time.Duration { return time.Duration(s.Default.(int64)) * time.Second }

// Choices returns the values of a Choice.
func (s Setting) Choices() []string {
	values := make([]string, len(s.Words))
	for i, w := range s.Words {
		values[i], _ = w.Value.(string)
	}
	return values
}

// Values are values of settings by their paths.
type Values map[string]any

// Patch returns a JSON merge patch of the ControlPlane that sets values. They have to be such that JSON can hold.
func Patch(values Values) string {
	spec := map[string]any{}
	for path, v := range values {
		Put(spec, path, v)
	}
	return marshalled(map[string]any{"spec": spec})
}

// marshalled returns a tree as JSON, which can hold it.
func marshalled(tree map[string]any) string {
	b, err := json.Marshal(tree)
	if err != nil {
		panic(err) // by the condition above
	}
	return string(b)
}

// Put sets the value at a path of a tree.
func Put(tree map[string]any, path string, v any) {
	name, rest, more := strings.Cut(path, ".")
	if !more {
		tree[name] = v
		return
	}
	below, ok := tree[name].(map[string]any)
	if !ok {
		below = map[string]any{}
		tree[name] = below
	}
	Put(below, rest, v)
}

// At returns the value at a path of a tree; null counts as none.
func At(tree map[string]any, path string) (any, bool) {
	name, rest, more := strings.Cut(path, ".")
	v, ok := tree[name]
	if !more {
		return v, ok && v != nil
	}
	below, _ := v.(map[string]any)
	return At(below, rest)
}
