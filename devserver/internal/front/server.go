package front

import (
	"context"
	"net"
	"net/http"
	"time"
)

// maxHeader is how long the URL and the headers of a request may be together, in bytes: a watch keeps its selectors.
const maxHeader = 64 << 10

// Server returns a server with this handler. Every request's context ends with ctx, and with it every stream.
func (f *Front) Server(ctx context.Context) *http.Server {
	return &http.Server{
		Handler:           limitBodyTime(bodyTimeout, f),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    maxHeader,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
}

// PageHost returns the host and port to give to a browser: the port that was opened
// on the host that was asked for, or on loopback when that was "any".
func PageHost(addr string, opened net.Addr) string {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return opened.String()
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	_, port, err := net.SplitHostPort(opened.String())
	if err != nil {
		return opened.String()
	}
	return net.JoinHostPort(host, port)
}
