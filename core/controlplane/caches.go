package controlplane

import (
	"time"

	"github.com/tabernetes/tabernetes/core/registry"
)

// maxLag bounds how far a cache may be behind, in seconds: an hour.
const maxLag = 60 * 60

// cachesSetting is spec.servers: the API servers, and what each of them ignores, which defaults to
// what all ignore.
var cachesSetting = setting{
	path:    "cache.replicas",
	initial: func(s *Settings) { s.Caches = make([]registry.CacheSpec, 1) },
	parse: func(in section, name string, s *Settings) {
		for i := range s.Servers {
			s.Servers[i] = s.Compatibility
		}
		in.list(name, 1, registry.MaxReplicas, func(replicas []section) {
			s.Caches = make([]registry.CacheSpec, len(replicas))
			for i, r := range replicas {
				r.seconds("lagSeconds", 0, maxLag, &s.Caches[i].Lag)
				r.bool("frozen", &s.Caches[i].Frozen)
				r.seconds("keepSeconds", 0, maxSeconds, &s.Caches[i].Keep)
				r.child("compatibility").compatibility(&s.Servers[i])
			}
		})
	},
	show: func(s *Settings) any {
		list := make([]any, len(s.Caches))
		for i, c := range s.Caches {
			list[i] = map[string]any{
				"lagSeconds": int64(c.Lag / time.Second), "frozen": c.Frozen, "keepSeconds": int64(c.Keep / time.Second),
			}
		}
		return list
	},
	apply: func(p *ControlPlane, s *Settings, rev int64) {
		applyReads(p, s, rev)
		p.Chaos.SetCaches(s.Caches, rev)
	},
}
