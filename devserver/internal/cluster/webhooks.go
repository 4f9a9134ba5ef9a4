package cluster

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/admission/webhooks"
)

// maxReview is the longest answer of a webhook that is read, in bytes.
const maxReview = 16 << 20

// A webhookClient calls webhooks, of admission and of conversion, over the network. It keeps a transport for each set
// of certificates and each address of a service, with the connections that are idle.
type webhookClient struct {
	mu         sync.Mutex
	transports map[transportKey]*http.Transport
}

type transportKey struct{ ca, address string }

// maxTransports is how many are kept: enough for all webhooks that are there at once.
const maxTransports = 64

// call returns a webhooks.Caller.
func (w *webhookClient) call(ctx context.Context, c *webhooks.Call) (*webhooks.Reply, error) {
	transport, err := w.transport(c)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, bytes.NewReader(c.Body))
	if err != nil {
		return nil, err
	}
	r.Header = c.Header
	answer, err := (&http.Client{Transport: transport}).Do(r)
	if wrapped := new(url.Error); errors.As(err, &wrapped) {
		err = wrapped.Err // without method and URL
	}
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxReview))
	if err != nil {
		return nil, err
	}
	return &webhooks.Reply{Code: answer.StatusCode, ContentType: answer.Header.Get("Content-Type"), Body: body}, nil
}

// transport returns the transport for a call.
func (w *webhookClient) transport(c *webhooks.Call) (*http.Transport, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := transportKey{string(c.CABundle), c.Address}
	if t := w.transports[key]; t != nil {
		return t, nil
	}
	if len(w.transports) >= maxTransports {
		for _, t := range w.transports {
			t.CloseIdleConnections()
		}
		clear(w.transports)
	}
	t := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialer(c),
		ForceAttemptHTTP2:   !c.Service && isLoopback(c.URL),
		TLSHandshakeTimeout: 10 * time.Second,
		IdleConnTimeout:     90 * time.Second,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12},
	}
	if len(c.CABundle) > 0 {
		t.TLSClientConfig.RootCAs = x509.NewCertPool()
		if !t.TLSClientConfig.RootCAs.AppendCertsFromPEM(c.CABundle) {
			return nil, fmt.Errorf("unable to load root certificates: unable to parse bytes as PEM block")
		}
	}
	if w.transports == nil {
		w.transports = map[transportKey]*http.Transport{}
	}
	w.transports[key] = t
	return t, nil
}

// dialer connects to where a call goes. Addresses of services belong to a network that does not exist here, except for
// the names of hosts outside.
func dialer(c *webhooks.Call) func(context.Context, string, string) (net.Conn, error) {
	plain := &net.Dialer{Timeout: 30 * time.Second}
	if !c.Service {
		return plain.DialContext
	}
	address := c.Address
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		if ip, err := netip.ParseAddrPort(address); err == nil {
			return nil, fmt.Errorf("dial tcp %s: connect: network is unreachable", ip)
		}
		return plain.DialContext(ctx, network, address)
	}
}

// isLoopback reports whether a URL is of this machine, to which the real server speaks HTTP/2; to others it has to
// spread its connections.
func isLoopback(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && ip.IsLoopback() || strings.EqualFold(u.Hostname(), "localhost")
}
