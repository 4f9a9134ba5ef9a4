package apiserver

import "net/http"

// subresources answer the requests that are no view of an object, by the names of
// resource and subresource.
var subresources = map[string]func(*Server, *answer, *http.Request, *info) error{
	"nodes/proxy":           (*Server).proxyNode,
	"pods/attach":           (*Server).stream,
	"pods/eviction":         (*Server).evict,
	"pods/exec":             (*Server).stream,
	"pods/log":              (*Server).log,
	"pods/portforward":      (*Server).stream,
	"pods/proxy":            (*Server).proxyPod,
	"serviceaccounts/token": (*Server).token,
	"services/proxy":        (*Server).proxyService,
}
