// Package core is a Kubernetes API server as a library: New starts a cluster, which is an
// http.Handler. It runs wherever Go does: its clock, its randomness and its storage are given to it.
//
// # Architecture
//
// The packages at the top of this folder are for other programs, and each is imported by one, which a test checks.
// What only core uses is in internal. A package of this list, and those below it that have no line here, import only
// packages with lower numbers, which a test checks too.
//
//	12  room/replica              a copy of a room, which follows it
//	12  room/internal/roomtest    rooms for tests
//	11  core                      assembles the parts (instance.go), adds extensions (extend.go), starts,
//	                              restores, replaces and forks clusters; the order of admission plugins
//	11  room                      an extension: a cluster that several people share
//	11  trial                     an extension: requests that are tried, and what their expressions came to
//	10  extension                 what can be added to a cluster without its centre knowing of it
//	 9  controlplane              the ControlPlane: settings (settings.go), acts (acts.go), the stream of
//	                              revisions
//	 9  internal/conversion       custom resources between their versions, by webhooks
//	 8  apiserver                 HTTP: paths, options, bodies, Status errors, streams
//	 8  admission/webhooks        the plugins that call admission webhooks
//	 8  internal/plugins/policies  the plugins of admission policies
//	 8  internal/bootstrap        the initial objects of every cluster
//	 8  internal/chaos            random disturbances, planned from a seed and carried out
//	 8  internal/controller       small controllers: namespaces, garbage collection, definitions
//	 8  internal/persist          saving and loading a cluster: header, storage
//	 7  registry                  the verbs over the store
//	 7  internal/plugins          the other admission plugins; match: what webhooks and policies are for
//	 6  admission                 attributes, phases and the chain of admission
//	 6  internal/managedfields    field management: managedFields, server-side apply
//	 5  audit                     what the audit log says of a request
//	 5  serviceaccount            tokens of service accounts
//	 5  internal/access           authentication and authorization according to the settings
//	 5  internal/kinds            the strategies of kinds, a package for each area: defaults, validation, what
//	                              an update may change, warnings
//	 5  internal/generate         a program: writes the tables of schema and others from Kubernetes' sources
//	 4  auth                      authentication, impersonation, RBAC
//	 4  cbor, protobuf            objects in their other encodings
//	 4  openapi                   the resource types as OpenAPI v3 and v2
//	 4  patch                     JSON patch, merge patch and strategic merge patch
//	 4  expression/evaluator      the evaluator of CEL on cel-go, which hosts choose
//	 4  expression/remote         an evaluator of CEL that runs elsewhere
//	 4  internal/customresource   the resource types of CustomResourceDefinitions
//	 4  internal/tables           objects as rows: the columns and cells of every kind
//	 3  object                    one object as a tree: decoding, encoding, metadata
//	 3  internal/history          compaction of the history: retention and limits
//	 2  schema                    resource types and their fields, as data
//	 2  expression                what is asked of an evaluator of CEL
//	 2  journal                   the write-ahead log
//	 2  room/roomhost             what every host of rooms does: addresses, limits
//	 2  internal/watchcache       the rules of a watch cache
//	 1  mvcc                      revisions over a B-tree: ranges, watches, compaction
//	 1  clock                     time, which a lever may pause and move
//	 1  status                    the Status that errors become
//	 1  semantics                 the rules of reads, as data
//	 1  apitest                   requests, streams and the use of memory, for tests
//	 1  conformance               exchanges with the real server, recorded and compared
//	 1  internal/selector         label and field selectors
//	 1  internal/structural       the schemas of custom resources: pruning, defaults, validation
//	 0  wellknown                 paths, headers and limits that other programs share
//	 0  settings                  the settings of the ControlPlane, as data
//	 0  horizon                   why the past ends: the causes of a 410, and the limits of buffers
//	 0  source                    the source of an answer, for clients that ask for it
//	 0  gates                     the feature gates of kube-apiserver
//	 0  random                    randomness that a seed makes repeatable
//	 0  lasting                   answers that continue after their handlers have returned
//	 0  set                       sets that give memory back
//	 0  expression/syntax         what is known of an expression without an evaluator
//	 0  internal/faults           faults in the requests of certain clients
//	 0  internal/field            the errors of validation
//	 0  internal/traces           what is noted of a request that is tried
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
