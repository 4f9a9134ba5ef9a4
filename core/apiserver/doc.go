// Package apiserver is the HTTP face of a cluster: it takes a place for a request
// and limits its time (limits.go, deadline.go), finds out what it asks
// (requestinfo.go), negotiates the representation (negotiate.go), reads
// the body (body.go) and the options (query.go, options.go), has the registry
// carry out the verb (resource.go, patch.go, watch.go), or an act that is no verb
// on an object (act.go, subresources.go), and writes the answer (write.go).
// Discovery (discovery.go), health (health.go) and the version are answered from
// data.
//
// # Invariants
//
//   - Every request takes this one way; built-in and added resource types do not
//     differ.
//   - Every error becomes a Status object with the real server's code, reason
//     and text; unknown paths outside of the API get the plain-text 404 that it
//     gives.
//   - A request beyond the limit gets the plain-text 429, and one that is late the
//     untyped 504, that the real server's front has.
//   - A panic in a handler is answered with code 500 and does not end the server.
//   - A stream's headers are sent before its first event.
//
// # Costs
//
// Lists and events are written from the stored bytes; nothing is decoded or
// encoded again unless the client asks for another representation.
package apiserver
