package front

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/tabernetes/tabernetes/core/room/roomhost"
	"github.com/tabernetes/tabernetes/core/status"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// keepsOut answers a request that a server with rooms takes from this machine only, and reports whether
// it was one: those to the server's own cluster, which asks nobody who they are, and those that show a
// token to everybody on the way.
func (f *Front) keepsOut(w http.ResponseWriter, r *http.Request, room, api bool) bool {
	if !room {
		withoutWriteTime(w)
	}
	if IsLocal(r) {
		return false
	}
	switch open := f.opt.TLS && r.TLS == nil; {
	case api && !room:
		roomhost.Refuse(w, status.NewForbidden(status.GroupResource{}, "",
			"this server's own cluster answers only the machine that it runs on; rooms answer others: POST /rooms opens one"))
	case api && open:
		roomhost.Refuse(w, status.NewForbidden(status.GroupResource{}, "",
			"rooms answer over HTTPS only, to keep tokens secret"))
	case open:
		w.Header().Set("Cache-Control", wellknown.NoCache)
		http.Redirect(w, r, "https://"+r.Host+r.URL.RequestURI(), http.StatusTemporaryRedirect)
	default:
		return false
	}
	return true
}

// IsLocal reports whether a request comes from this machine: from an address of loopback, or from the
// one that it has reached, and for such a host. One that a proxy on this machine hands on has the name of
// another host.
func IsLocal(r *http.Request) bool {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	ip, reached := from.Addr().Unmap(), netip.Addr{}
	if at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
		reached = at.AddrPort().Addr().Unmap()
	}
	if !ip.IsLoopback() && ip != reached {
		return false
	}
	host := roomhost.HostOf(r.Host)
	if named, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return named.IsLoopback() || named.Unmap() == reached
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}
