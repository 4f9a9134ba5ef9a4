package godebug_test

import (
	"testing"

	"github.com/tabernetes/tabernetes/wasm/overlay/godebug"
)

func TestSetting(t *testing.T) {
	for given, name := range map[string]string{"urlmaxqueryparams": "urlmaxqueryparams", "#other": "other", "": ""} {
		s := godebug.New(given)
		s.IncNonDefault()
		if s.Name() != name || s.Undocumented() != (given == "#other") || s.Value() != "" || s.String() != name+"=" {
			t.Errorf("%q is %s, %t, %q", given, s, s.Undocumented(), s.Value())
		}
	}
}
