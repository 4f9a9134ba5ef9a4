package core

import (
	"context"
	"encoding/binary"
	"io"
	"slices"
	"time"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/chaos"
	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/random"
)

// chaosSpec is spec.chaos: what goes wrong at random.
type chaosSpec struct {
	enabled bool
	// seeded is whether there is a seed. The server chooses one when chaos is enabled
	// without.
	seeded bool
	// plan begins at status.chaos.startTime, which is when chaos was enabled or changed.
	plan chaos.Plan
}

// maxSeed is the greatest whole number that clients in JavaScript read exactly.
const maxSeed = 1<<53 - 1

var defaultChaos = chaosSpec{plan: chaos.Plan{Interval: 10 * time.Second, Allowed: [3]bool{true, true, true}}}

// tree is spec.chaos as it is shown.
func (c chaosSpec) tree() map[string]any {
	var acts []any
	for i, kind := range chaos.Kinds {
		if c.plan.Allowed[i] {
			acts = append(acts, string(kind))
		}
	}
	return map[string]any{"enabled": c.enabled, "intervalSeconds": int64(c.plan.Interval / time.Second), "acts": acts}
}

// read reads spec.chaos.
func (c *chaosSpec) read(s section) {
	s.bool("enabled", &c.enabled)
	c.seeded = s.tree["seed"] != nil
	s.number("seed", 0, maxSeed, &c.plan.Seed)
	s.seconds("intervalSeconds", 1, maxSeconds, &c.plan.Interval)
	s.values("acts", 1, len(chaos.Kinds), func(acts []any, at field.Path) {
		c.plan.Allowed = [3]bool{}
		for n, act := range acts {
			name, _ := act.(string)
			switch i := slices.Index(chaos.Kinds, chaos.Kind(name)); {
			case i < 0:
				s.faults.Add(field.NotSupported(at.Index(n), act, chaos.Kinds...))
			case c.plan.Allowed[i]:
				s.faults.Add(field.Duplicate(at.Index(n), act))
			default:
				c.plan.Allowed[i] = true
			}
		}
	})
}

// begun reads when the plan begins, of what is stored.
func (c *chaosSpec) begun(obj map[string]any) {
	start, err := time.Parse(time.RFC3339Nano, object.GetString(obj, "status", "chaos", "startTime"))
	if err == nil {
		c.plan.Start = start.UTC()
	}
}

// chaosStarter completes a ControlPlane that enables chaos: with a seed if it has none, so
// that the same can be tried again, and with the time of the beginning.
type chaosStarter struct{ i *instance }

// Mutate completes the spec and the status.
func (c chaosStarter) Mutate(_ context.Context, a *admission.Attributes) error {
	if a.Resource != controlPlanes || a.Subresource != "" || a.Object == nil {
		return nil
	}
	next, faults := c.i.defaults().parse(a.Object)
	if len(faults) > 0 || !next.chaos.enabled {
		return nil
	}
	if !next.chaos.seeded {
		var b [4]byte // few digits, since people note them
		if _, err := io.ReadFull(random.For(c.i.registry.Rand, "chaos"), b[:]); err != nil {
			return err
		}
		next.chaos.plan.Seed = int64(binary.LittleEndian.Uint32(b[:]))
		object.SetNested(a.Object, next.chaos.plan.Seed, "spec", "chaos", "seed")
	}
	old, _ := c.i.defaults().parse(a.Old)
	next.chaos.seeded, next.chaos.plan.Start = old.chaos.seeded, old.chaos.plan.Start
	if next.chaos != old.chaos || old.chaos.plan.Start.IsZero() {
		next.chaos.plan.Start = c.i.clock.Now()
	}
	object.SetNested(a.Object, next.chaos.plan.Start.UTC().Format(time.RFC3339Nano), "status", "chaos", "startTime")
	return nil
}
