package kubetest

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/core/admission/webhooks"
)

// hooks are the webhooks in process.
type hooks struct {
	mu    sync.Mutex
	hosts map[string]http.Handler
}

func newHooks() *hooks { return &hooks{hosts: map[string]http.Handler{}} }

func (h *hooks) fork() *hooks {
	h.mu.Lock()
	defer h.mu.Unlock()
	return &hooks{hosts: maps.Clone(h.hosts)}
}

// Webhook has a handler serve the webhooks of a Service, admission and conversion, for this server and the forks that
// are made of it later: what refers to the Service in its clientConfig is called there, in process, without TLS. Other
// webhooks are called over the network.
func (s *Server) Webhook(namespace, service string, h http.Handler) {
	s.t.Helper()
	if namespace == "" || service == "" || h == nil {
		s.misused("Webhook", "it needs a namespace, a service and a handler: %q, %q, %v", namespace, service, h)
	}
	s.hooks.mu.Lock()
	defer s.hooks.mu.Unlock()
	s.hooks.hosts[service+"."+namespace+".svc"] = h
}

// caller calls the webhooks that there are in process, and others by another Caller.
func (h *hooks) caller(others webhooks.Caller) webhooks.Caller {
	return func(ctx context.Context, c *webhooks.Call) (*webhooks.Reply, error) {
		u, err := url.Parse(c.URL)
		if err != nil {
			return nil, err
		}
		h.mu.Lock()
		handler := h.hosts[strings.ToLower(u.Hostname())]
		h.mu.Unlock()
		if handler == nil {
			return others(ctx, c)
		}
		r := httptest.NewRequest(http.MethodPost, u.RequestURI(), bytes.NewReader(c.Body)).WithContext(ctx)
		r.Header, r.Host = c.Header, u.Host
		w, done := httptest.NewRecorder(), make(chan struct{})
		go func() {
			defer close(done)
			handler.ServeHTTP(w, r)
		}()
		select {
		case <-done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		return &webhooks.Reply{Code: w.Code, ContentType: w.Header().Get("Content-Type"), Body: w.Body.Bytes()}, nil
	}
}
