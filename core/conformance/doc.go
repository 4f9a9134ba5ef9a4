// Package conformance replays recordings of a real Kubernetes API server
// against another one and says how their answers differ.
//
// A recording is a Scenario: HTTP requests, watches and waits in order, each
// with what kube-apiserver answered. Replay performs the steps against a Server
// and compares. Values that no two servers share (versions, uids, times,
// generated names, continue tokens) are first replaced, on both sides, by what
// must agree about them: a resourceVersion by its rank among the versions that
// the scenario has shown, a uid by its order of appearance, and so on. So a
// server passes exactly when a client could not tell it from the recorded one
// by anything but such values.
//
// The package speaks plain HTTP and knows nothing of this project's server, so
// that it can be pointed at anything with a URL. It is linked into tests only.
package conformance
