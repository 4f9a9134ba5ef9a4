package object

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Key returns a string that is equal for two values if and only if they are Equal: lists can be as
// long as a request, and finding duplicates by comparing all pairs would take quadratic time. An
// empty map and an empty list, which are both Equal to null but not to each other, have the key of
// null.
func Key(v any) string {
	var short [256]byte
	return string(appendIdentity(short[:0], v))
}

func appendIdentity(dst []byte, v any) []byte {
	if none(v) {
		return append(dst, 'n')
	}
	switch v := v.(type) {
	case Ordered:
		return appendIdentity(dst, Parsed(v))
	case map[string]any:
		start := len(dst)
		dst = append(dst, '{')
		var few [8]string
		for _, k := range sortedKeys(few[:0], v) {
			if !isEmptiness(v[k]) {
				dst = appendIdentity(appendText(dst, k), v[k])
			}
		}
		if len(dst) == start+1 {
			return append(dst[:start], 'n')
		}
		return append(dst, '}')
	case []any:
		dst = append(dst, '[')
		for _, e := range v {
			dst = appendIdentity(dst, e)
		}
		return append(dst, ']')
	case string:
		return appendText(dst, v)
	case int64:
		return append(strconv.AppendInt(append(dst, 'i'), v, 10), ';')
	case float64:
		return append(strconv.AppendUint(append(dst, 'f'), math.Float64bits(v+0), 16), ';') // -0 is 0
	case bool:
		if v {
			return append(dst, 't')
		}
		return append(dst, 'o')
	}
	text := fmt.Sprintf("%T %v", v, v)
	return append(append(strconv.AppendInt(append(dst, 'x'), int64(len(text)), 10), ':'), text...)
}

// appendText appends a text with its length in front, so that nothing has to be escaped.
func appendText(dst []byte, text string) []byte {
	return append(append(strconv.AppendInt(append(dst, 's'), int64(len(text)), 10), ':'), text...)
}

// sortedKeys appends the keys of a map in their order.
func sortedKeys(keys []string, m map[string]any) []string {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
