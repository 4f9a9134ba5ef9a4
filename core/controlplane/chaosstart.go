package controlplane

import (
	"context"
	"encoding/binary"
	"io"
	"time"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/random"
)

// ChaosStart is the admission plugin that completes a ControlPlane which enables chaos: it
// sets a seed if it has none, so that the same chaos can be repeated, and the start time. Set its field before use.
type ChaosStart struct{ Plane *ControlPlane }

var _ admission.Mutator = ChaosStart{}

// Mutate completes the spec and the status.
func (p ChaosStart) Mutate(_ context.Context, a *admission.Attributes) error {
	if a.Resource != Resource || a.Subresource != "" || a.Object == nil {
		return nil
	}
	settings, errs := p.Plane.Parse(a.Object)
	next := settings.Chaos
	if len(errs) > 0 || !next.Enabled {
		return nil
	}
	if !next.Seeded {
		var b [4]byte // few digits, so that people can write them down
		if _, err := io.ReadFull(random.For(p.Plane.Registry.Rand, "chaos"), b[:]); err != nil {
			return err
		}
		next.Plan.Seed = int64(binary.LittleEndian.Uint32(b[:]))
		object.SetNested(a.Object, next.Plan.Seed, "spec", "chaos", "seed")
	}
	before, _ := p.Plane.Parse(a.Old)
	old := before.Chaos
	next.Seeded, next.Plan.Start = old.Seeded, old.Plan.Start
	if next != old || old.Plan.Start.IsZero() {
		next.Plan.Start = p.Plane.Clock.Now()
	}
	object.SetNested(a.Object, next.Plan.Start.UTC().Format(time.RFC3339Nano), "status", "chaos", "startTime")
	return nil
}
