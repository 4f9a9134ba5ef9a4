// Package kubetest is a Kubernetes API server inside a Go test: New(t) starts one in about a millisecond, in the
// test's own process, and ends it with the test. It is the server of package core, with its resource versions, paging,
// watches and 410, validation, server-side apply and admission.
//
// Clients reach it over HTTPS by Kubeconfig, or without a socket by Transport, which also works in a bubble of
// testing/synctest. Fork makes a copy of a prepared server for each test, in a fraction of a millisecond. Levers do
// what no cluster offers: compact its history, cut or delay its watches, move its clock, hold or refuse certain
// requests. What clients have asked is in Requests.
//
// # Invariants
//
//   - Signatures have types of the standard library only, so that it fits any version of client-go.
//   - Servers share nothing that can be written: tests may run in parallel, with a server each.
//   - Everything that a server has started has ended when the cleanup of its test has run.
//   - A server without a URL or a Kubeconfig opens no socket.
//
// # Costs
//
// README.md has measured ones. A request in process takes a goroutine; a server that listens takes one more, and one
// for each connection.
package kubetest
