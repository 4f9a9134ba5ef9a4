// Package samples has the data that the lab offers to begin with: manifests, pods of a realistic size,
// patches, and the representations of an object. It is data only.
package samples

import (
	_ "embed"
	"fmt"
)

// Guestbook is the manifest of the Kubernetes guestbook: a web frontend with a
// leader and followers behind it.
//
//go:embed guestbook.yaml
var Guestbook string

const (
	// Pods is how many pods the paging example of Kubernetes' API concepts page
	// has: pages of 500, 500 and 253.
	Pods = 1253
	// PodsNamespace is where they are created.
	PodsNamespace = "paging"
)

// Pod returns the i-th of them, from 0, as JSON.
func Pod(i int) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"pod-%04d","labels":{"app":"paging",`+
		`"shard":"s%d"}},`+
		`"spec":{"containers":[{"name":"main","image":"registry.example/main:1"}]}}`, i+1, i%8)
}
