package roomhost

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/tabernetes/tabernetes/core/status"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// Origins decides from which pages a browser may send requests to the API: those of this server, and those of the
// origins that its settings allow. Clients other than browsers send no Origin header and are not concerned.
type Origins struct {
	protection *http.CrossOriginProtection
	allowed    map[string]bool
}

// NewOrigins allows the pages of some origins, as ParseOrigin returns them.
func NewOrigins(allowed []string) *Origins {
	o := &Origins{http.NewCrossOriginProtection(), map[string]bool{}}
	for _, origin := range allowed {
		o.allowed[origin] = true
		if err := o.protection.AddTrustedOrigin(origin); err != nil {
			panic(err) // ParseOrigin lets through what this takes
		}
	}
	return o
}

// ParseOrigin reads an origin as a browser sends it: the scheme, the host, and the port unless it is the scheme's
// default.
func ParseOrigin(text string) (string, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return "", err
	case u.Scheme == "" || u.Host == "" || u.User != nil || strings.ContainsAny(text, "?#") || u.Path != "":
		return "", errors.New("an origin is a scheme, a host and perhaps a port, like https://host.example:8443")
	}
	host := strings.ToLower(u.Host)
	if port := map[string]string{"http": ":80", "https": ":443"}[u.Scheme]; port != "" {
		host = strings.TrimSuffix(host, port)
	}
	return u.Scheme + "://" + strings.TrimSuffix(host, ":"), nil
}

// Guard refuses requests that a page from elsewhere makes. Browsers let such a page read
// no answer, but they send what it posts, and they let it open WebSockets and read those:
// so a request that asks for another protocol is judged as one that writes.
func (o *Origins) Guard(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h, origin := w.Header(), r.Header.Get("Origin")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if len(o.allowed) > 0 {
			h.Add("Vary", "Origin") // the headers below depend on it
		}
		if o.allowed[origin] {
			h.Set("Cross-Origin-Resource-Policy", "cross-origin")
			allowCrossOrigin(h, origin)
			if r.Method == http.MethodOptions {
				h.Set("Cache-Control", wellknown.NoCache)
				w.WriteHeader(http.StatusNoContent)
				return
			}
		}
		judged := r
		if upgrades(r) {
			judged = r.WithContext(r.Context())
			judged.Method = http.MethodPost
		}
		if err := o.protection.Check(judged); err != nil {
			Refuse(w, status.NewForbidden(status.GroupResource{}, "",
				fmt.Sprintf("pages of %s may not do this here; --allow-origin of the server can allow it", pageOf(r))))
			return
		}
		api.ServeHTTP(w, r)
	})
}

// allowCrossOrigin sets the headers by which kube-apiserver, with --cors-allowed-origins,
// lets the pages of an origin read its answers.
func allowCrossOrigin(h http.Header, origin string) {
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Allow-Methods", "POST, GET, OPTIONS, PUT, DELETE, PATCH")
	h.Set("Access-Control-Allow-Headers",
		"Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since")
	h.Set("Access-Control-Expose-Headers", "Date")
	h.Set("Access-Control-Allow-Credentials", "true")
}

// upgrades reports whether a request asks for another protocol, also one that the server does not speak.
func upgrades(r *http.Request) bool {
	return r.Header.Get("Upgrade") != "" ||
		strings.Contains(strings.ToLower(strings.Join(r.Header.Values("Connection"), ",")), "upgrade")
}

// pageOf returns the origin of the page that makes a request, as far as the browser says.
func pageOf(r *http.Request) string {
	if origin := r.Header.Get("Origin"); origin != "" {
		return fmt.Sprintf("the origin %q", origin)
	}
	return "other origins"
}
