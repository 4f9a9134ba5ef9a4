package levers

import (
	"testing"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/golden"
	"github.com/tabernetes/tabernetes/web/revisions"
)

func TestGolden(t *testing.T) {
	golden.Test(t, map[string]templ.Component{
		"servers":    Servers(),
		"clock":      Clock(),
		"more":       More(),
		"result/bad": Result("503: <no>", true),
		"chaos/off":  Chaos(revisions.Chaos{}),
		"chaos/on":   Chaos(revisions.Chaos{On: true, Seed: -42, Acts: 3, Last: "Lag"}),
		"kept/none":  KeptClusters(nil),
		"kept/two":   KeptClusters([]Kept{{1, "revision 31, before the fork at 24"}, {2, "another"}}),
	})
}
