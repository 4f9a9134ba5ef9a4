package levers

import (
	"testing"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/core/horizon"
	"github.com/tabernetes/tabernetes/web/internal/golden"
	"github.com/tabernetes/tabernetes/web/revisions"
)

// remembered has a window of each cause.
var remembered = revisions.Windows{
	Capacity: revisions.Capacity{Least: 8, Most: 8},
	Servers: []revisions.ServerWindows{
		{Since: 17, Why: horizon.Started, Types: []revisions.Window{
			{Resource: "configmaps", Horizon: 17, Why: horizon.Started, Held: 3, Capacity: 8},
			{Resource: "events", Horizon: 223, Why: horizon.Compacted},
			{Resource: "pods", Horizon: 226, Why: horizon.Busy, Held: 8, Capacity: 8},
			{Group: "a.io", Resource: "things", Horizon: 230, Why: horizon.Defined, Capacity: 8},
		}},
		{Since: 232, Why: horizon.Restarted, Types: []revisions.Window{
			{Resource: "configmaps", Horizon: 234, Why: horizon.Relisted, Held: 1, Capacity: 8},
			{Resource: "events", Horizon: 223, Why: horizon.Compacted},
			{Resource: "pods", Horizon: 236, Why: horizon.Forgotten, Held: 2, Capacity: 8},
			{Resource: "secrets", Horizon: 232, Why: horizon.Restarted, Held: 1, Capacity: 8},
		}},
	},
}

func TestGolden(t *testing.T) {
	golden.Test(t, map[string]templ.Component{
		"servers":      Servers(),
		"clock":        Clock(),
		"more":         More(),
		"result/bad":   Result("503: <no>", true),
		"chaos/off":    Chaos(revisions.Chaos{}),
		"chaos/on":     Chaos(revisions.Chaos{On: true, Seed: -42, Acts: 3, Last: "Lag"}),
		"compact":      Compact(),
		"buffers":      Buffers(),
		"windows/none": BufferTable(revisions.Windows{}, nil),
		"windows/two": BufferTable(remembered,
			BufferRows(remembered, revisions.State{Head: 240, Caches: []int64{240, 240}})),
		"kept/none": KeptClusters(nil),
		"kept/two":  KeptClusters([]Kept{{1, "revision 31, before the fork at 24"}, {2, "another"}}),
	})
}
