package check

import "testing"

// TestDiffer compares what is expected of an object with what is answered, which may have more fields.
func TestDiffer(t *testing.T) {
	for _, c := range []struct{ want, got, field string }{
		{`{"a": 1}`, `{"a": 1, "b": 2}`, ""},
		{`{"a": null}`, `{}`, ""},
		{`{"a": {"b": [1, {"c": "x"}]}}`, `{"a": {"b": [1, {"c": "y"}]}}`, ".a.b[1].c"},
		{`[1, 2]`, `[1]`, ""},
		{`{"a": 1}`, `{"a": 1.0}`, ""},
		{`{"a": 1e3}`, `{"a": 1000}`, ""},
		{`{"a": 9007199254740993}`, `{"a": 9007199254740992}`, ".a"},
		{`{"a": 1}`, `{"a": "1"}`, ".a"},
	} {
		var want, got any
		if exactly([]byte(c.want), &want) != nil || exactly([]byte(c.got), &got) != nil {
			t.Fatal(c)
		}
		field, message := differ(want, got, "")
		if field != c.field || (message == "") != (c.field == "" && c.want[0] != '[') {
			t.Errorf("%s and %s differ in %q: %s", c.want, c.got, field, message)
		}
	}
}
