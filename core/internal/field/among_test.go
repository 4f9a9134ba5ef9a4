package field_test

import (
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/internal/field"
)

func TestAmong(t *testing.T) {
	list := func(fields string) (l field.ErrorList) {
		for name := range strings.FieldsSeq(fields) {
			l.Add(field.Required(field.Path(name), ""))
		}
		return l
	}
	first := func(name string) string {
		name, _, _ = strings.Cut(name, ".")
		return name
	}
	for _, c := range []struct{ own, ordered, more, want string }{
		{"a c", "a b c", "b", "a b c"},
		{"a c", "a b c", "b.x b.y", "a b.x b.y c"},
		{"a c", "b a c", "b", "b a c"},
		{"a c", "a c b", "b", "a c b"},
		{"a c", "a c", "b", "a c b"},
		{"a b.z c", "a b.o c", "b.x", "a b.z b.x c"},
		{"m a c", "a b c", "b", "m a b c"},
		{"", "a", "a", "a"},
	} {
		var got []string
		for _, e := range list(c.own).Among(list(c.ordered), list(c.more), first) {
			got = append(got, e.Field)
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%q among %q by %q: %q, want %q", c.more, c.own, c.ordered, text, c.want)
		}
	}
}
