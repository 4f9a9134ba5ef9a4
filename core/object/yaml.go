package object

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	goyaml "sigs.k8s.io/yaml/goyaml.v2"
)

const (
	// maxExpanded is the maximum number of bytes of JSON made from a YAML text: one with aliases may
	// repeat a long text thousands of times.
	maxExpanded = 32 << 20
	// maxConverting is the maximum number of bytes of YAML that are converted at a time.
	maxConverting = 3 << 20
)

// errAliasing is the library's error for documents with too many aliases.
var errAliasing = errors.New("yaml: document contains excessive aliasing")

// YAMLToJSON converts the first document of a YAML text to JSON. As in Kubernetes this is YAML 1.1
// in part: y and n are bools. Of duplicate keys the last one counts, see YAMLProblem. The error is ErrTooDeep
// if values nest deeper than MaxDepth, and ErrTooMany if there are more than MaxValues, among which the keys of objects
// count too, since the library makes a node of some 300 bytes for each; aliases replaced.
func YAMLToJSON(data []byte) ([]byte, error) { return yamlToJSON(data, goyaml.Unmarshal) }

// StrictYAMLToJSON is YAMLToJSON, but for the error of YAMLProblem.
func StrictYAMLToJSON(data []byte) ([]byte, error) { return yamlToJSON(data, goyaml.UnmarshalStrict) }

func yamlToJSON(data []byte, unmarshal func([]byte, any) error) ([]byte, error) {
	if isPlainJSON(data) {
		if err := Check(data); err != nil {
			return nil, err
		}
		tree, err := DecodeAny(data)
		if err == nil {
			return EncodeAny(make([]byte, 0, len(data)), tree), nil
		}
	}
	return convertYAML(data, unmarshal)
}

// YAMLProblem returns the error of a strict reading of a YAML text: keys that occur twice. The
// error lists all of them with their lines. Nil means none.
func YAMLProblem(data []byte) error {
	if isPlainJSON(data) {
		return nil
	}
	_, err := convertYAML(data, goyaml.UnmarshalStrict)
	return err
}

// convertYAML converts a YAML text to JSON, if it is within the limits: the library calls itself for each level
// and for each alias, and has limits that are too large for the stacks and the memory that there are.
func convertYAML(data []byte, unmarshal func([]byte, any) error) ([]byte, error) {
	text, err := yamlInUTF8(data)
	if err != nil {
		return nil, err
	}
	text, hidden, err := hideMarks(text)
	if err != nil {
		return nil, err
	}
	switch s := scanYAML(text, MaxDepth); {
	case s.reached > MaxDepth:
		return nil, ErrTooDeep
	case s.aliased > s.values/100*99 && s.values > MaxValues: // the library's share for so many
		return nil, errAliasing
	case s.values > MaxValues:
		return nil, ErrTooMany
	}
	defer converting.enter(len(text))()
	var tree any
	if err := unmarshal(text, &tree); err != nil {
		return nil, err
	}
	document, err := appendYAML(nil, tree)
	if hidden != "" {
		document = bytes.ReplaceAll(document, []byte(hidden), []byte(byteOrderMark))
	}
	return document, err
}

// appendYAML appends a value that the YAML library has read as JSON, keys sorted.
func appendYAML(dst []byte, v any) ([]byte, error) {
	if len(dst) > maxExpanded {
		return nil, errAliasing
	}
	var err error
	switch v := v.(type) {
	case map[any]any:
		members, err := yamlMembers(v)
		if err != nil {
			return nil, err
		}
		dst = append(dst, '{')
		for i, m := range members {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = appendYAML(dst, m.key); err != nil {
				return nil, err
			}
			if dst, err = appendYAML(append(dst, ':'), m.value); err != nil {
				return nil, err
			}
		}
		return append(dst, '}'), nil
	case []any:
		dst = append(dst, '[')
		for i, e := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = appendYAML(dst, e); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	}
	text, err := json.Marshal(v)
	return append(dst, text...), err
}

type yamlMember struct {
	key   string
	value any
}

// yamlMembers returns the members of a map sorted by their keys. Keys that are not strings are
// converted.
func yamlMembers(m map[any]any) ([]yamlMember, error) {
	members := make([]yamlMember, 0, len(m))
	for k, value := range m {
		var key string
		switch k := k.(type) {
		case string:
			key = k
		case int:
			key = strconv.Itoa(k)
		case int64:
			key = strconv.FormatInt(k, 10)
		case float64:
			switch key = strconv.FormatFloat(k, 'g', -1, 32); key { // as the library does
			case "+Inf":
				key = ".inf"
			case "-Inf":
				key = "-.inf"
			case "NaN":
				key = ".nan"
			}
		case bool:
			key = strconv.FormatBool(k)
		default:
			return nil, fmt.Errorf("unsupported map key of type: %s, key: %+#v, value: %+#v", typeName(k), k, value)
		}
		members = append(members, yamlMember{key, value})
	}
	slices.SortFunc(members, func(a, b yamlMember) int { return strings.Compare(a.key, b.key) })
	return slices.CompactFunc(members, func(a, b yamlMember) bool { return a.key == b.key }), nil
}

// converting limits how much YAML is converted at a time: concurrent requests would otherwise need
// all their memory at once.
var converting = newGate(maxConverting)

// A gate limits the sum of the sizes in use at a time, but always lets one in.
type gate struct {
	sync.Mutex
	left        *sync.Cond
	limit, used int
}

func newGate(limit int) *gate {
	g := &gate{limit: limit}
	g.left = sync.NewCond(&g.Mutex)
	return g
}

// enter waits until n may be used, and returns a function that releases it.
func (g *gate) enter(n int) (leave func()) {
	g.Lock()
	defer g.Unlock()
	for g.used > 0 && g.used+n > g.limit {
		g.left.Wait()
	}
	g.used += n
	return func() {
		g.Lock()
		defer g.Unlock()
		g.used -= n
		g.left.Broadcast()
	}
}

// typeName returns the type of a key in errors, as the library prints that of null too.
func typeName(key any) string {
	if key == nil {
		return "%!s(<nil>)"
	}
	return fmt.Sprintf("%T", key)
}

// AnyToJSON returns a document as JSON: as the real server's clients do, it takes what does not begin with a brace for
// YAML.
func AnyToJSON(document []byte) ([]byte, error) {
	if bytes.HasPrefix(bytes.TrimLeftFunc(document, unicode.IsSpace), []byte("{")) {
		return document, nil
	}
	return YAMLToJSON(document)
}
