// Package conformance replays recordings of a real Kubernetes API server against another one and
// reports how their answers differ.
//
// A recording is a Scenario: HTTP requests, watches and waits in order, each with what
// kube-apiserver answered. Replay performs the steps against a Server and compares. Values that no
// two servers share (versions, uids, times, generated names, continue tokens) are first replaced, on
// both sides, by what must be equal about them: a resourceVersion by its rank among the versions that
// the scenario has shown, a uid by its order of appearance, and so on. So a server passes exactly if
// a client could tell it from the recorded one only by such values.
//
// The package speaks plain HTTP and knows nothing of this project's server, so it works with any URL.
// Only tests import it.
package conformance
