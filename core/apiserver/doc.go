// Package apiserver is the HTTP layer of a cluster. It limits the number and time of requests
// (limits.go, deadline.go), parses the path (requestinfo.go), negotiates the representation
// (negotiate.go), reads the body (body.go) and the options (query.go, options.go), calls the
// registry for the verb (resource.go, patch.go, watch.go), or a separate handler for other
// subresources (act.go, subresources.go), and writes the answer (write.go). Discovery
// (discovery.go), health (health.go) and the version are answered from data.
//
// # Invariants
//
//   - All requests take the same path; built-in and custom resource types are treated alike.
//   - Every error becomes a Status object with the real server's code, reason and text; unknown
//     paths outside of the API get its plain-text 404.
//   - A request beyond the limit gets the real server's plain-text 429, and a late one its untyped
//     504.
//   - A panic in a handler is answered with code 500 and does not end the server.
//   - A stream's headers are sent before its first event.
//
// # Costs
//
// Lists and events are written from the stored bytes; nothing is decoded or encoded again unless
// the client asks for another representation.
package apiserver
