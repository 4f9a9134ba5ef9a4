package tap

import (
	"reflect"
	"testing"
	"time"
)

// What the server does not tell, or in a way that is not known here, is no source: the
// panels go on without.
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
