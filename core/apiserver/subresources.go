package apiserver

import "net/http"

// subresources are the handlers of subresources that are not a view of an object, by the names of
// resource and subresource, and of a type that is not stored.
var subresources = map[string]func(*Server, *answer, *http.Request, *info) error{
	"componentstatuses/":    (*Server).componentStatuses,
	"nodes/proxy":           connected((*Server).proxyNode),
	"pods/attach":           connected((*Server).stream),
	"pods/eviction":         (*Server).evict,
	"pods/exec":             connected((*Server).stream),
	"pods/log":              (*Server).log,
	"pods/portforward":      connected((*Server).stream),
	"pods/proxy":            connected((*Server).proxyPod),
	"serviceaccounts/token": (*Server).token,
	"services/proxy":        connected((*Server).proxyService),
}
