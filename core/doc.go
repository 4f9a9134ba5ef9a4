// Package core is a Kubernetes API server as a library: New makes a cluster,
// which is an http.Handler and nothing else. It runs wherever Go does and knows
// nothing of where that is: its time, its randomness and the place where it is
// kept are given to it.
//
// # Architecture
//
// The packages are layers. Imports point down only, in this list as well.
//
//	9  generate    a program: writes the tables of schema from Kubernetes' sources
//	8  core        puts it together (assemble.go), starts and restores, and lets one
//	               cluster take the place of another; the order of admission
//	7  control-    the ControlPlane: settings (settings.go), acts (acts.go), the
//	   plane       stream of revisions
//	6  apiserver   HTTP: what is asked, options, bodies, Status errors, streams
//	6  bootstrap   the objects that every cluster has
//	6  chaos/      what goes wrong at random, carried out
//	   driver
//	6  persist     how a cluster is kept: header, loading, storage
//	6  history     how much of the past is kept, and for how long
//	6  access      who is let in, and what they may do, as the settings say
//	6  controller  the small controllers: what namespaces begin and end with, garbage
//	5  registry    the verbs over the store
//	4  admission/* what the plugins and the verbs have in common: attributes, phases, chain;
//	               the plugins, a package each: webhooks, limit ranges, …
//	4  openapi     the resource types as OpenAPI v3 and v2
//	4  tables      objects as rows: the columns and cells of every kind
//	4  protobuf,   objects in their other encodings
//	   cbor
//	4  managed-    which fields belong to whom: managedFields, server-side apply
//	   fields
//	4  patch       JSON patch, merge patch and strategic merge patch
//	4  service-    who calls, and what they may do: tokens, impersonation, RBAC
//	   account,
//	   auth
//	3  kinds/*     the strategies of kinds, a package for each area: defaults, validation,
//	               what an update may change, warnings
//	3  custom-     the rows that definitions of custom resources add
//	   resource
//	2  object      one object as a tree: decoding, encoding, metadata
//	2  selector    label and field selectors
//	2  schema      resource types and their fields, as data
//	1  structural  the schemas of custom resources: pruning, defaults, validation
//	1  cel         the syntax of CEL expressions
//	1  status,     the Status that errors become; validation errors
//	   field
//	1  journal     the write-ahead log
//	1  mvcc        revisions over a B-tree: ranges, watches, compaction
//	1  clock       time, which a lever may pause and move
//	1  semantics   the rules of reading, as data
//	1  source      where an answer came from, for clients that ask
//	1  chaos       what goes wrong at random, planned from a seed
//	1  faults      what goes wrong with the requests of certain clients
//	1  random      randomness that a seed makes repeatable
//	1  wellknown   paths, headers and limits that other programs know too
//
// A request goes one way:
//
//	HTTP -> who asks, and may they -> what is asked -> verb -> store -> stored bytes -> answer or stream
//
// A write on its way to the store is looked at by admission (whether its namespace takes
// anything), filled in, managed (whose are the fields), admitted (mutating), prepared,
// validated and admitted (validating).
//
// # Invariants
//
//   - One revision counter per cluster, as in etcd. Every committed write takes
//     the next revision.
//   - The levers are API objects: there is no other channel into a cluster.
//   - A reset makes a new cluster behind the same handler; all streams of the old
//     one end. So does a snapshot that is put in its place, unless it brings back
//     all that this or the last cluster ever committed: see claim.
package core
