package controlplane

import (
	"encoding/json"
	"net/http"

	"github.com/tabernetes/tabernetes/core/apiserver"
)

// windows answers with what the watch caches remember.
type windows struct {
	Servers []serverWindows `json:"servers"`
}

// serverWindows is what the caches of an API server remember: nothing from before Since, for the reason
// Why. Types without events since then are left out.
type serverWindows struct {
	Since int64        `json:"since"`
	Why   string       `json:"why"`
	Types []typeWindow `json:"types"`
}

// A typeWindow is what the cache of a type remembers: a watch can go on from the version Horizon, not
// from before, for the reason Why.
type typeWindow struct {
	Group    string `json:"group"`
	Resource string `json:"resource"`
	Horizon  int64  `json:"horizon"`
	Why      string `json:"why"`
	Version  int64  `json:"version"`
	Held     int    `json:"held"`
	Capacity int    `json:"capacity"`
}

// windows shows where the watch caches of the API servers begin, and how full they are.
func (p *ControlPlane) windows(w http.ResponseWriter, _ *http.Request, _ apiserver.Call) error {
	replicas := p.Registry.Replicas
	answer := windows{}
	for i, begun := range replicas.Forgotten().Begun {
		s := serverWindows{Since: begun.Revision, Why: string(begun.Why), Types: []typeWindow{}}
		for _, t := range replicas.Windows(i) {
			s.Types = append(s.Types, typeWindow{
				Group: t.Resource.Group, Resource: t.Resource.Plural, Horizon: t.Horizon, Why: string(t.Why),
				Version: t.Version, Held: t.Held, Capacity: t.Capacity,
			})
		}
		answer.Servers = append(answer.Servers, s)
	}
	return json.NewEncoder(w).Encode(answer)
}
