//go:build js && wasm

// Package programs gives the programs of the control plane the cluster's clock, by the methods clock and settle of the
// host. PROTOCOL.md, one directory up, has the whole of it.
package programs

import (
	"context"
	"syscall/js"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/wasm/jsvalue"
)

// New returns the programs of a host.
func New(host js.Value) clock.Programs { return programs{host} }

type programs struct{ host js.Value }

// Show implements clock.Programs.
func (p programs) Show(a *clock.Adjustable) {
	s, at := a.State(), js.Null()
	if s.Paused {
		at = js.ValueOf(milliseconds(s.At))
	}
	p.host.Call("clock", float64(s.Offset)/float64(time.Millisecond), at, s.Rate, milliseconds(s.Since))
}

func milliseconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1000 }

// Settle implements clock.Programs.
func (p programs) Settle(ctx context.Context, a *clock.Adjustable) (time.Time, bool, error) {
	p.Show(a)
	next, err := jsvalue.Await(ctx, p.host.Call("settle"))
	if err != nil || next.IsNull() {
		return time.Time{}, false, err
	}
	return time.UnixMicro(int64(next.Float() * 1000)), true, nil
}
