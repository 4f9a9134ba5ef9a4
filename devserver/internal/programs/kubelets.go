package programs

import (
	"crypto/rand"
	"net/http"
	"net/netip"
	"sync/atomic"

	"github.com/tabernetes/tabernetes/core"
)

// What the program of kubelets and this one agree on (wasm/controllers/nodes/listen.go): where it finds the token, and
// what it prints before the address.
const (
	tokenVariable = "KUBELETS_TOKEN"
	listeningOn   = "listening on "
)

// Kubelets reaches what stands in for kubelets: requests to the kubelet of any node go to the program that is all of
// them, wherever the Node says that it is. Nobody else knows the token that they have.
type Kubelets struct {
	token     string
	addr      atomic.Pointer[string] // nil: the program does not listen
	transport http.Transport
}

// NewKubelets returns one that reaches the program that Run runs with it.
func NewKubelets() *Kubelets { return &Kubelets{token: rand.Text()} }

// RoundTrip implements http.RoundTripper.
func (k *Kubelets) RoundTrip(r *http.Request) (*http.Response, error) {
	addr := k.addr.Load()
	if addr == nil {
		return nil, core.ErrNoKubelet
	}
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = "http", *addr
	r.Header.Set("Authorization", "Bearer "+k.token)
	return k.transport.RoundTrip(r)
}

// listens takes the address at which the program listens. The first one counts: what the program prints later may have
// texts of others. Only an address of this machine gets the token.
func (k *Kubelets) listens(addr string) {
	if at, err := netip.ParseAddrPort(addr); err == nil && at.Addr().IsLoopback() {
		k.addr.CompareAndSwap(nil, &addr)
	}
}

// ended forgets the address.
func (k *Kubelets) ended() {
	k.addr.Store(nil)
	k.transport.CloseIdleConnections()
}
