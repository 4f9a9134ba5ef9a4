package controlplane

import (
	"slices"
	"time"

	"github.com/tabernetes/tabernetes/core/internal/chaos"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/settings"
)

// Chaos is the setting of chaos.
type Chaos struct {
	Enabled bool
	// Seeded is whether there is a seed. The server chooses one when chaos is enabled without: see ChaosStart.
	Seeded bool
	// Plan begins at status.chaos.startTime, which is when chaos was enabled or changed.
	Plan chaos.Plan
}

var chaosSeedSetting = setting{
	path: settings.ChaosSeed.Path,
	parse: func(in section, name string, s *Settings) {
		s.Chaos.Seeded = in.tree[name] != nil
		in.number(name, settings.ChaosSeed.Least, settings.ChaosSeed.Most, &s.Chaos.Plan.Seed)
	},
}

// chaosActsSetting is the last of its section, and applies all of it.
var chaosActsSetting = setting{
	path:    "chaos.acts",
	initial: func(s *Settings) { s.Chaos.Plan.Allowed = [3]bool{true, true, true} },
	parse: func(in section, name string, s *Settings) {
		in.values(name, 1, len(chaos.Kinds), func(acts []any, at field.Path) {
			s.Chaos.Plan.Allowed = allowed(in, acts, at)
		})
	},
	show: func(s *Settings) any {
		var acts []any
		for i, kind := range chaos.Kinds {
			if s.Chaos.Plan.Allowed[i] {
				acts = append(acts, string(kind))
			}
		}
		return acts
	},
	apply: func(p *ControlPlane, s *Settings, _ int64) {
		p.Chaos.Follow(s.Chaos.Enabled && !s.Chaos.Plan.Start.IsZero(), s.Chaos.Plan)
	},
}

// allowed reads which kinds of acts are allowed.
func allowed(in section, acts []any, at field.Path) (is [3]bool) {
	for n, act := range acts {
		name, _ := act.(string)
		switch i := slices.Index(chaos.Kinds, chaos.Kind(name)); {
		case i < 0:
			in.errs.Add(field.NotSupported(at.Index(n), act, chaos.Kinds...))
		case is[i]:
			in.errs.Add(field.Duplicate(at.Index(n), act))
		default:
			is[i] = true
		}
	}
	return is
}

// readStart reads the start time of the plan from the stored object.
func (c *Chaos) readStart(obj map[string]any) {
	start, err := time.Parse(time.RFC3339Nano, object.GetString(obj, "status", "chaos", "startTime"))
	if err == nil {
		c.Plan.Start = start.UTC()
	}
}
