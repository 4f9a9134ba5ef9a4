package controlplane

import (
	"time"

	"github.com/tabernetes/tabernetes/core/horizon"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/settings"
)

// capacitySetting is how many events the watch cache of a type holds, at least and at most.
var capacitySetting = setting{
	path:    "cache.capacity",
	initial: func(s *Settings) { s.Capacity = horizon.DefaultLimits },
	parse: func(in section, name string, s *Settings) {
		in = in.child(name)
		in.only("least", "most")
		least, most := int64(s.Capacity.Least), int64(s.Capacity.Most)
		in.number("least", settings.Least.Least, settings.Least.Most, &least)
		in.number("most", settings.Most.Least, settings.Most.Most, &most)
		if most < least {
			in.invalid(in.at.Child("most"), most, "must not be less than least")
		}
		s.Capacity = horizon.Limits{Least: int(least), Most: int(most)}
	},
	show: func(s *Settings) any {
		return map[string]any{"least": int64(s.Capacity.Least), "most": int64(s.Capacity.Most)}
	},
	apply: func(p *ControlPlane, s *Settings, _ int64) { p.Registry.Replicas.SetLimits(s.Capacity, s.Progress) },
}

// cachesSetting is spec.cache.replicas: the API servers, and what each of them ignores, which defaults to
// what all ignore.
var cachesSetting = setting{
	path:    settings.Replicas.Path,
	initial: func(s *Settings) { s.Caches = make([]registry.CacheSpec, 1) },
	parse: func(in section, name string, s *Settings) {
		for i := range s.Servers {
			s.Servers[i] = s.Compatibility
		}
		in.list(name, int(settings.Replicas.Least), int(settings.Replicas.Most), func(replicas []section) {
			s.Caches = make([]registry.CacheSpec, len(replicas))
			for i, r := range replicas {
				r.only("lagSeconds", "frozen", "compatibility")
				r.seconds("lagSeconds", settings.Lag.Least, settings.Lag.Most, &s.Caches[i].Lag)
				r.bool("frozen", &s.Caches[i].Frozen)
				r.child("compatibility").compatibility(&s.Servers[i])
			}
		})
	},
	show: func(s *Settings) any {
		list := make([]any, len(s.Caches))
		for i, c := range s.Caches {
			list[i] = map[string]any{
				"lagSeconds": int64(c.Lag / time.Second), "frozen": c.Frozen,
			}
		}
		return list
	},
	apply: func(p *ControlPlane, s *Settings, rev int64) {
		applyReads(p, s, rev)
		p.Chaos.SetCaches(s.Caches, rev)
	},
}
