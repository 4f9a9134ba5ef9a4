package chaos

import (
	"time"
)

// A Report is the progress of a plan as clients see it.
type Report struct {
	Seed int64 `json:"seed"`
	Acts int64 `json:"acts"`
	Last *Last `json:"last,omitempty"`
}

// Last is the last act. Server and LagSeconds are those of a lag, which lasts.
type Last struct {
	Act        Kind   `json:"act"`
	Time       string `json:"time"`
	Server     *int   `json:"server,omitempty"`
	LagSeconds int64  `json:"lagSeconds,omitempty"`
}

// Report returns how far the plan has come, or nil.
func (d *Driver) Report() *Report { return d.report(d.state.Load()) }

func (d *Driver) report(st *state) *Report {
	if !st.on {
		return nil
	}
	r := &Report{Seed: st.plan.Seed, Acts: st.done}
	if st.done == 0 {
		return r
	}
	r.Last = &Last{Act: st.last.Kind, Time: st.last.Time.UTC().Format(time.RFC3339Nano)}
	if server, late, ok := st.lag(len(*d.caches.Load())); ok {
		r.Last.Server, r.Last.LagSeconds = &server, int64(late/time.Second)
	}
	return r
}

// Status returns the report as a tree, with the start time of the plan, or nil.
func (d *Driver) Status() map[string]any {
	st := d.state.Load()
	r := d.report(st)
	if r == nil {
		return nil
	}
	tree := map[string]any{"startTime": st.plan.Start.Format(time.RFC3339Nano), "acts": r.Acts}
	if r.Last == nil {
		return tree
	}
	last := map[string]any{"act": string(r.Last.Act), "time": r.Last.Time}
	if r.Last.Server != nil {
		last["server"], last["lagSeconds"] = int64(*r.Last.Server), r.Last.LagSeconds
	}
	tree["last"] = last
	return tree
}
