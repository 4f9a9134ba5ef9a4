// Package wellknown says once what several programs have to agree on: the paths
// that an API server answers, the headers that are this project's own, where the
// settings of a cluster are, and the limits that two sides of a connection share.
//
// The core, the devserver, the programs of the page and, by way of the generated
// wellknown.js, the scripts of the page and of the tests take it from here. The
// package imports nothing of the project. What only one program knows is none of
// its business.
package wellknown

import "strings"

// The paths that an API server answers, each with everything below it. What a
// page fetches from one of them must reach the cluster in the tab.
const (
	API     = "/api"
	APIs    = "/apis"
	OpenAPI = "/openapi"
	Version = "/version"
	Healthz = "/healthz"
	Livez   = "/livez"
	Readyz  = "/readyz"
	Metrics = "/metrics"
)

// Roots are those paths. Nobody may change them.
var Roots = []string{API, APIs, OpenAPI, Version, Healthz, Livez, Readyz, Metrics}

// IsAPI reports whether an API server answers a path, which has no query.
func IsAPI(path string) bool {
	for _, root := range Roots {
		if rest, ok := strings.CutPrefix(path, root); ok && (rest == "" || rest[0] == '/') {
			return true
		}
	}
	return false
}

// Devserver is what the paths begin with that the devserver answers for itself.
const Devserver = "/_devserver/"

// The project's own headers, of requests and of their answers.
const (
	// HeaderPrefix is what their names begin with.
	HeaderPrefix = "Tabernetes-"
	// ReplicaHeader names the API server that a request wants, counted from 0, and the
	// one that answers if there are several.
	ReplicaHeader = HeaderPrefix + "Replica"
	// ExplainHeader asks where the answer comes from, SourceHeader tells it: see core/source.
	ExplainHeader = HeaderPrefix + "Explain"
	SourceHeader  = HeaderPrefix + "Source"
)

// DescriptionsFile is the file of the site with what Kubernetes says of its types, which
// the API server in a tab loads when OpenAPI documents are asked for.
const DescriptionsFile = "descriptions.txt"

// Group is the API group of the ControlPlane and the prefix of the project's own
// annotations.
const Group = "sandbox.tabernetes.dev"

// ControlPlane is the path of the object whose settings are those of the cluster.
// Its subresources are below it.
const ControlPlane = APIs + "/" + Group + "/v1/controlplanes/default"

// Limits, in bytes.
const (
	// MaxBody is how long the body of a request may be, and what a rule may be shown
	// of one.
	MaxBody = 3 << 20
	// Window is how much of an answer the server in a tab sends before the reader has
	// made room for more.
	Window = 256 << 10
	// MaxChunk is how long the parts are in which it sends a stream.
	MaxChunk = 64 << 10
)
