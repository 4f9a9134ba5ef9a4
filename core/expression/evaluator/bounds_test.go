package evaluator

import (
	"reflect"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/expression"
)

// TestBounds evaluates what would take terabytes, and what the functions return below their bounds.
func TestBounds(t *testing.T) {
	const grow = ".map(x, x.replace('', x))"
	for _, c := range []struct {
		text  string
		value any
		error string
	}{
		{"lists.range(1000000000000).size()", nil, "lists.range(1000000000000): longer than the cost limit of an expression"},
		{"lists.range(1000001) == []", nil, "longer than the cost limit"},
		{"lists.range(100000).size()", int64(100000), ""},
		{"lists.range(3)", []any{int64(0), int64(1), int64(2)}, ""},
		{"lists.range(0) == [] && lists.range(-5) == []", true, ""},
		{"lists.range(object.spec.none)", nil, "no such key: none"},
		{"['abcdef']" + strings.Repeat(grow, 5), nil, "cost limit exceeded"}, // which is known after the fourth
		{"['abcdef']" + grow + grow + ".map(x, x.replace('', x" + strings.Repeat("+x", 12) + "))", nil,
			"replace: the result would have more than 67108864 bytes"},
		{"['abcdef']" + grow + " == ['" + "abcdefaabcdefbabcdefcabcdefdabcdefeabcdeffabcdef" + "']", true, ""},
		{"'aaaa'.replace('a', 'bb') + 'aaaa'.replace('a', 'b', 2) + 'aa'.replace('a', 'b', 0)", "bbbbbbbbbbaaaa", ""},
		{"'aaaa'.replace('a', '', -7) + 'aa'.replace('a', 'c', 9000000000000000000)", "cc", ""},
	} {
		got := evaluate(t, unitOf(c.text), input(t))
		if !strings.Contains(got.Error, c.error) || (c.error != "") != (got.Kind == expression.Failed) ||
			!reflect.DeepEqual(got.Value, c.value) {
			t.Errorf("%s: %#v, %s", c.text, got.Value, got.Error)
		}
	}
}
