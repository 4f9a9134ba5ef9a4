// Package stage reads Stages of kwok (kwok.x-k8s.io/v1alpha1) and says which of them an object is in, when it is
// played, and what it does then: patches, Events, finalizers, deletion. It asks no server; the program that plays a
// Stage makes the requests.
//
// The format is the one of https://kwok.sigs.k8s.io/docs/user/stages-configuration: selectors and delays are jq, what
// is written is a template of Go's text/template whose output is YAML. What of the format is not here is refused by
// Parse: CEL, impersonation, and steps that apply other objects.
//
// # Invariants
//
//   - A Stage never changes once it is parsed, and may be used by several goroutines at once.
//   - An expression takes a bounded number of steps, and a template writes a bounded number of bytes, so that Stages of
//     other people cannot stop a program that has only one thread.
//   - Objects are trees of map[string]any, []any, string, bool, int, float64 and nil, as Tree makes them; they are not
//     changed.
package stage
