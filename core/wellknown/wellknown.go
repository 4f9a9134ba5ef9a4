// Package wellknown has the constants that several programs share: the paths that an API server
// answers, the project's own headers, the path of the ControlPlane, and the limits of connections
// between the programs.
//
// The core, the devserver, the programs of the page and, by the generated wellknown.js, the scripts
// of the page and of the tests use it. The package imports nothing of the project. Constants of
// only one program do not belong here.
package wellknown

import "strings"

// The paths that an API server answers, each with everything below it. A page's fetch of one of
// them must reach the cluster in the tab.
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

// Devserver is the prefix of the paths that the devserver answers itself.
const Devserver = "/_devserver/"

// The project's own headers, of requests and of their answers.
const (
	// HeaderPrefix is the prefix of their names.
	HeaderPrefix = "Tabernetes-"
	// ReplicaHeader names the API server that a request is for, counted from 0, and the one that
	// answers if there are several.
	ReplicaHeader = HeaderPrefix + "Replica"
	// ExplainHeader requests the source of the answer, SourceHeader has it: see core/source.
	ExplainHeader = HeaderPrefix + "Explain"
	SourceHeader  = HeaderPrefix + "Source"
	// EarlyHeader requests that a stream of JSON begins with a line feed, and says that it does: some
	// browsers report the head of an answer with the first byte of its body.
	EarlyHeader = HeaderPrefix + "Early"
)

// Protocols of WebSockets.
const (
	// BearerProtocol is the prefix of the protocol that a bearer token is, in base64url without padding:
	// browsers cannot set a header. A client offers it beside the one that it wants.
	BearerProtocol = "base64url.bearer.authorization.k8s.io."
	// LinesProtocol is what the page speaks with a room: it says how much of the lines it has taken.
	LinesProtocol = "tabernetes.dev"
)

// NoCache is the Cache-Control header of all answers of an API server but a few.
const NoCache = "no-cache, private"

// DescriptionsFile is the file of the site with the descriptions of Kubernetes' types, which the
// API server in a tab loads when OpenAPI documents are requested.
const DescriptionsFile = "descriptions.txt"

// Group is the API group of the ControlPlane and the prefix of the project's own annotations.
const Group = "sandbox.tabernetes.dev"

// ControlPlane is the path of the object with the settings of the cluster. Its subresources are
// below it.
const ControlPlane = APIs + "/" + Group + "/v1/controlplanes/default"

// How many members a room may allow at most, and how many it allows at first.
const (
	MaxMembers   = 1000
	UsualMembers = 100
)

// Limits, in bytes.
const (
	// MaxBody is the maximum size of the body of a request. Cost estimates of CEL rules depend on it.
	MaxBody = 3 << 20
	// Window is how much of an answer the server in a tab sends before the reader has made room for
	// more.
	Window = 256 << 10
	// MaxChunk is the maximum size of the parts in which it sends a stream.
	MaxChunk = 64 << 10
)
