package wellknown_test

import (
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

func TestIsAPI(t *testing.T) {
	paths := map[string]bool{
		"": false, "/": false, "api": false, "/ap": false, "/apiary": false, "/api2/v1": false, "/versions": false,
		"/lab/api": false, "//api": false, wellknown.Devserver: false, wellknown.ControlPlane: true,
	}
	for _, root := range wellknown.Roots {
		paths[root], paths[root+"/"], paths[root+"/below/it"] = true, true, true
		paths[root+"-"], paths[strings.ToUpper(root)], paths["/x"+root] = false, false, false
	}
	for path, want := range paths {
		if got := wellknown.IsAPI(path); got != want {
			t.Errorf("%q: %v", path, got)
		}
	}
}
