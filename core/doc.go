// Package core is a Kubernetes API server as a library: New starts a cluster, which is an
// http.Handler. It runs wherever Go does: its clock, its randomness and its storage are given to it.
//
// # Architecture
//
// The packages are layers. Imports point down only, in this list as well.
//
//	9  generate    a program: writes the tables of schema from Kubernetes' sources
//	9  core        assembles the parts (instance.go), adds extensions (extend.go), starts,
//	               restores, replaces and forks (fork.go) clusters; has the order of admission plugins
//	9  room        an extension: a cluster that several people share; room/replica: a copy of it
//	8  extension   what can be added to a cluster without its centre knowing of it
//	7  control-    the ControlPlane: settings (settings.go), acts (acts.go), the
//	   plane       stream of revisions
//	6  apiserver   HTTP: paths, options, bodies, Status errors, streams
//	6  bootstrap   the initial objects of every cluster
//	6  chaos/      random disturbances, carried out
//	   driver
//	6  persist     saving and loading a cluster: header, storage
//	6  history     compaction of the history: retention and limits
//	6  access      authentication and authorization according to the settings
//	6  controller  small controllers: namespaces, garbage collection, definitions
//	5  registry    the verbs over the store
//	5  conversion  custom resources between their versions, by webhooks
//	4  admission/* attributes, phases and the chain of admission;
//	               the plugins, a package each: priority, policies, webhooks, …;
//	               match: what webhooks and policies are for
//	4  openapi     the resource types as OpenAPI v3 and v2
//	4  tables      objects as rows: the columns and cells of every kind
//	4  protobuf,   objects in their other encodings
//	   cbor
//	4  managed-    field management: managedFields, server-side apply
//	   fields
//	4  patch       JSON patch, merge patch and strategic merge patch
//	5  audit       what the audit log says of a request
//	4  service-    tokens of service accounts; authentication, impersonation, RBAC
//	   account,
//	   auth
//	3  kinds/*     the strategies of kinds, a package for each area: defaults, validation,
//	               what an update may change, warnings
//	3  custom-     the resource types of CustomResourceDefinitions
//	   resource
//	2  object      one object as a tree: decoding, encoding, metadata
//	2  selector    label and field selectors
//	2  schema      resource types and their fields, as data
//	1  structural  the schemas of custom resources: pruning, defaults, validation
//	2  expression  what is asked of an evaluator of CEL; syntax: what is known without one;
//	               evaluator: the one on cel-go, which hosts choose
//	1  gates       the feature gates of kube-apiserver
//	1  status,     the Status that errors become; validation errors
//	   field
//	1  journal     the write-ahead log
//	1  mvcc        revisions over a B-tree: ranges, watches, compaction
//	1  clock       time, which a lever may pause and move
//	1  semantics   the rules of reads, as data
//	1  source      the source of an answer, for clients that ask for it
//	1  chaos       random disturbances, planned from a seed
//	1  faults      faults in the requests of certain clients
//	1  lasting     answers that go on after their handlers have returned
//	1  random      randomness that a seed makes repeatable
//	1  wellknown   paths, headers and limits that other programs share
//	0  horizon     why the past ends: the causes of a 410, and the limits of buffers
//	0  settings    the settings of the ControlPlane, as data
//	0  set         sets that give memory back
//
// A request goes one way:
//
//	HTTP -> authentication, authorization -> resource and verb -> store -> stored bytes -> answer or stream
//
// A write passes these stages: the first phase of admission (does the namespace exist?),
// defaults, field management, mutating admission, the kind's strategy, validation and
// validating admission.
//
// # Invariants
//
//   - One revision counter per cluster, as in etcd. Every committed write takes
//     the next revision.
//   - The levers are API objects: there is no other channel into a cluster.
//   - The centre (this package, apiserver, registry, controlplane) names no extension:
//     extension/centre_test.go.
//   - A reset makes a new cluster behind the same handler; all streams of the old
//     one end. So does a snapshot that replaces it, unless it restores everything
//     that this or the last cluster ever committed: see chooseIdentity.
package core
