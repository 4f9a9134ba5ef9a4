package tap

import (
	"reflect"
	"slices"
	"testing"
	"time"
)

// What the server does not tell, or in a way that is not known here, is no source: the
// panels continue without.
func TestParseSource(t *testing.T) {
	for text, want := range map[string]*Source{
		"":                               nil,
		"?":                              nil,
		"server=0, from=tape, rule=x":    nil,
		"server=1, rule=list-invalid":    {Server: 1, Rule: "list-invalid"},
		"server=0, rule=x, waited=1500":  {Rule: "x", Waited: 1500 * time.Millisecond},
		"server=0, rule=x, tomorrow=(1)": {Rule: "x"},
	} {
		if got := ParseSource(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

func TestParseFields(t *testing.T) {
	got := ParseFields("Accept:application/json\n\n  X-Tag :  a: b \r\nno header\nEmpty:")
	want := []Field{{"Accept", "application/json"}, {"X-Tag", "a: b"}, {"Empty", ""}}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := ParseFields(""); got != nil {
		t.Errorf("of nothing: %q", got)
	}
}
