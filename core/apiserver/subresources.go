package apiserver

import "net/http"

// subresources answer the requests that are no view of an object, by the names of
// resource and subresource.
var subresources = map[string]func(*Server, *answer, *http.Request, *info) error{
	"pods/eviction":         (*Server).evict,
	"serviceaccounts/token": (*Server).token,
}
