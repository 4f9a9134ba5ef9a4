// Package conformance replays recordings of a real Kubernetes API server against another one and
// reports how their answers differ.
//
// A recording is a Scenario: HTTP requests, watches and waits in order, each with kube-apiserver's
// answer. Replay performs the steps against a Server and compares. Values that differ between any
// two servers (versions, uids, times, generated names, continue tokens) are first normalized on
// both sides: a resourceVersion becomes its rank among the versions in the scenario, a uid its
// order of appearance, and so on. So a server passes if and only if clients could distinguish it
// from the recorded one by nothing but such values.
//
// The package speaks plain HTTP and does not depend on this project's server, so it works with any
// URL. Only tests import it.
package conformance
