package session

import (
	"testing"

	"github.com/tabernetes/tabernetes/core/settings"
	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/tap"
)

// TestDifferenceOfActs wants each act of the control plane to be named as what has changed a run.
func TestDifferenceOfActs(t *testing.T) {
	of := func(path, body string) Difference {
		return difference(&tap.Exchange{Method: "POST", Body: body, Status: 201,
			Info: tap.Classify("POST", wellknown.ControlPlane+path)})
	}
	for _, a := range settings.Acts {
		if !a.Changes() {
			continue
		}
		if d := of("/"+a.Name, a.Body(nil)); d.Expected != a.Before || d.Found != "**"+a.After+"**" {
			t.Errorf("%s %v: %+v", a.Name, a.Given, d)
		}
	}
	if d := of("", "{}"); d.Found != "**other settings**" {
		t.Errorf("settings: %+v", d)
	}
}
