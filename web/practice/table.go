//go:build !js

package practice

import "maps"

// generators has the Generator of each template, by its id.
var generators = merged(
	addresses, gone, paging, staleReads,
	twoPhase, apply, whoMay,
)

func merged(all ...map[string]Generator) map[string]Generator {
	out := map[string]Generator{}
	for _, some := range all {
		maps.Copy(out, some)
	}
	return out
}
