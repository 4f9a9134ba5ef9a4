package object

import "testing"

// Keys are equal if values are Equal, and otherwise only for empty values.
func TestKey(t *testing.T) {
	values := []any{
		nil, map[string]any{}, []any{}, "", "a", "ab", int64(0), int64(1), 0.0, -1 * 0.0, 1.0, 1e300, true, false,
		RawJSON("{}"), RawJSON("a"),
		map[string]any{"a": nil}, map[string]any{"a": []any{}}, map[string]any{"b": nil}, map[string]any{"a": "b", "c": "d"},
		map[string]any{"a": "b1:cs1:d"}, []any{"a", "b"}, []any{"ab"}, []any{[]any{"a"}, "b"}, []any{"a", []any{"b"}},
		[]any{nil}, []any{[]any{}},
		map[string]any{"x": []any{map[string]any{"y": int64(1)}}}, map[string]any{"x": []any{map[string]any{"y": 1.0}}}, "n",
		"{}", "i1;",
	}
	for _, a := range values {
		for _, b := range values {
			if same := Key(a) == Key(b); same != (Equal(a, b) || none(a) && none(b)) {
				t.Errorf("%#v and %#v: keys the same %v, Equal %v", a, b, same, Equal(a, b))
			}
		}
	}
}
