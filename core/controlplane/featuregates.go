package controlplane

import (
	"maps"
	"slices"
)

// gatesSetting is the feature gates of the API servers. Those that are not in the object have the defaults of the
// cluster, which its host may have set.
var gatesSetting = setting{
	path: "featureGates",
	parse: func(in section, name string, s *Settings) {
		given, values := in.child(name), map[string]bool{}
		for _, gate := range slices.Sorted(maps.Keys(given.tree)) {
			var on bool
			before := len(*given.errs)
			if given.bool(gate, &on); given.tree[gate] != nil && len(*given.errs) == before {
				values[gate] = on
			}
		}
		set, errs := s.Gates.With(values)
		for _, gate := range slices.Sorted(maps.Keys(errs)) {
			given.invalid(given.at.Child(gate), values[gate], errs[gate].Error())
		}
		s.Gates = set
	},
	show: func(s *Settings) any {
		shown := map[string]any{}
		for gate, on := range s.Gates.Settable() {
			shown[gate] = on
		}
		return shown
	},
	apply: applyReads,
}
