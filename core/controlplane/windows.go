package controlplane

import (
	"encoding/json"
	"net/http"

	"github.com/tabernetes/tabernetes/core/apiserver"
)

// windows answers with what the API servers remember.
type windows struct {
	// Capacity is the limits of a buffer's capacity: a buffer without events has the least one.
	Capacity windowLimits `json:"capacity"`
	// ProgressSeconds is the interval in which etcd tells caches its head.
	ProgressSeconds int64          `json:"progressSeconds"`
	Servers         []serverWindow `json:"servers"`
}

type windowLimits struct {
	Least int `json:"least"`
	Most  int `json:"most"`
}

// serverWindow is what an API server remembers: nothing from before Since, for the reason Why. Types
// that have a cache without events since then are left out.
type serverWindow struct {
	Since int64        `json:"since"`
	Why   string       `json:"why"`
	Types []typeWindow `json:"types"`
}

// A typeWindow is what a server remembers of a type: a watch can continue from the version Horizon, not
// from before, for the reason Why, and a list is answered at the version Lists. A type without a
// buffer has the Capacity 0.
type typeWindow struct {
	Group    string `json:"group"`
	Resource string `json:"resource"`
	Horizon  int64  `json:"horizon"`
	Why      string `json:"why"`
	Lists    int64  `json:"lists"`
	Version  int64  `json:"version"`
	Held     int    `json:"held"`
	Capacity int    `json:"capacity"`
}

// windows shows where the past of each type begins at each API server, and how full the buffers are.
func (p *ControlPlane) windows(w http.ResponseWriter, _ *http.Request, _ apiserver.Call) error {
	replicas, settings := p.Registry.Replicas, p.Settings()
	answer := windows{
		Capacity:        windowLimits{settings.Capacity.Least, settings.Capacity.Most},
		ProgressSeconds: int64(settings.Progress.Seconds()),
	}
	for i := range replicas.Len() {
		types, begun := replicas.Windows(i)
		s := serverWindow{Since: begun.Revision, Why: string(begun.Why), Types: []typeWindow{}}
		for _, t := range types {
			s.Types = append(s.Types, typeWindow{
				Group: t.Resource.Group, Resource: t.Resource.Plural, Horizon: t.Horizon, Why: string(t.Why),
				Lists: t.Lists, Version: t.Version, Held: t.Held, Capacity: t.Capacity,
			})
		}
		answer.Servers = append(answer.Servers, s)
	}
	return json.NewEncoder(w).Encode(answer)
}
