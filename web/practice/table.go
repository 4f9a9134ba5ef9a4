//go:build !js

package practice

import "maps"

// draws are those of all templates, by their ids.
var draws = merged(
	addresses, verbs, versions, listThenWatch, watchStarts, bookmarks, gone, streamingLists, paging, staleReads, grid,
	oldServers, tooNew, shapes, bytes, twoPhase, namespaces, fieldValidation, rehearsal, apply, ownTypes, whoMay,
)

func merged(all ...map[string]Draw) map[string]Draw {
	out := map[string]Draw{}
	for _, some := range all {
		maps.Copy(out, some)
	}
	return out
}
