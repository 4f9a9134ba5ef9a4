// Package source records the source of an answer: which API server answered, from its watch cache
// or from etcd, as of which revision, by which rule, and which revisions the request wrote. Clients
// that send the first of these headers get one like the others:
//
//	Tabernetes-Explain: 1
//	Tabernetes-Explain: ?1;id=a.17
//
//	Tabernetes-Source: server=0, from=cache, revision=38, head=46, rule=list-any
//	Tabernetes-Source: server=0, from=etcd, head=31, rule=write, wrote=(31)
//	Tabernetes-Source: server=0, from=etcd, head=1285, rule=write, wrote=(30 33;to=1285)
//
// The parameter id is the client's own ID of the request: the revisions stream then has it with each revision that the
// request commits, also if there is no answer. It is a token, and forgotten with the process.
//
// The value is a dictionary of RFC 8941 (structured fields): server, revision, head, waited and
// more are integers, from and rule tokens, and wrote is a list of integers; one with the parameter
// to means all up to that one.
//
// A write that admission policies decided about has their decisions in policies, a list of strings, the names of the
// policies. Their parameters are did (refused, warned, audited, changed, ignored), binding and expression; long ones
// are cut:
//
//	policies=("p";did=refused;binding="b";expression="object.spec.replicas <= 5")
//
// # How it is recorded
//
// A request with the first header has a Source in its context. The code that decides something
// records it there: the HTTP layer the server, core/registry the rest, where it reads and writes.
// The rules are those of core/semantics.
//
// # Invariants
//
//   - Parse reads what String writes as the same Source.
//   - Parse accepts what other versions may add: unknown keys and parameters.
//   - A Source belongs to one request, and one goroutine writes to it.
//
// # Costs
//
// A request without the header costs a lookup in its context, a few nanoseconds. A header has at
// most MaxSpans spans and some 100 bytes.
package source
