package kubetest

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
)

// Host is the host of URLs for clients that use a Transport. It leads nowhere else.
const Host = "http://kubetest.invalid"

// adminToken is the bearer token of a user who may do anything.
const adminToken = "kubetest"

// A Client is how somebody reaches a server.
type Client struct {
	server *Server
	user   string
	groups []string
}

// As returns a client for a user who is in these groups, and in system:authenticated: an administrator that
// impersonates that user. With RBAC its requests are allowed by what the roles allow.
func (c *Client) As(user string, groups ...string) *Client {
	c.server.t.Helper()
	if user == "" {
		c.server.misused("As", "it needs a user: without one, requests are the administrator's")
	}
	return &Client{c.server, user, groups}
}

// Transport returns a transport to the server that uses no socket: its requests are served in the test's own process,
// whatever their host. In a bubble of testing/synctest, waiting for an answer counts as being blocked. With client-go:
// &rest.Config{Host: kubetest.Host, Transport: s.Transport()}. Connections cannot be upgraded (exec, port-forward).
func (c *Client) Transport() http.RoundTripper { return transport{c} }

// HTTP returns an HTTP client that uses Transport.
func (c *Client) HTTP() *http.Client { return &http.Client{Transport: c.Transport()} }

// Do makes a request of the server by Transport and returns the answer's code and body. A body is JSON, or of a PATCH a
// JSON merge patch.
func (c *Client) Do(method, path, body string) (code int, answer string, err error) {
	r, err := http.NewRequest(method, Host+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	w, err := c.Transport().RoundTrip(r)
	if err != nil {
		return 0, "", err
	}
	defer w.Body.Close()
	text, err := io.ReadAll(w.Body)
	return w.StatusCode, string(text), err
}

// Kubeconfig returns a kubeconfig with which any client reaches the server over HTTPS, as JSON, which is YAML: what
// clientcmd.RESTConfigFromKubeConfig takes.
func (c *Client) Kubeconfig() []byte {
	type object = map[string]any
	const name = "kubetest"
	user := object{"token": adminToken}
	if c.user != "" {
		user["as"] = c.user
	}
	if len(c.groups) > 0 {
		user["as-groups"] = c.groups
	}
	text, err := json.Marshal(object{
		"apiVersion": "v1", "kind": "Config", "current-context": name,
		"clusters": []any{object{"name": name,
			"cluster": object{"server": c.server.URL(), "certificate-authority-data": c.server.CA()}}},
		"contexts": []any{object{"name": name, "context": object{"cluster": name, "user": name}}},
		"users":    []any{object{"name": name, "user": user}},
	})
	if err != nil {
		panic("kubetest: " + err.Error()) // texts only
	}
	return append(text, '\n')
}

// KubeconfigFile writes the Kubeconfig into a file, for kubectl and other programs, and returns its name. It is removed
// with the test.
func (c *Client) KubeconfigFile(t TB) string {
	t.Helper()
	f, err := os.CreateTemp("", "kubetest-*.kubeconfig")
	if err == nil {
		t.Cleanup(func() { _ = os.Remove(f.Name()) })
		_, err = f.Write(c.Kubeconfig())
	}
	if err != nil {
		t.Fatalf("kubetest: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatalf("kubetest: %v", err)
	}
	return f.Name()
}

// identify adds the client's credentials to a request that has none.
func (c *Client) identify(h http.Header) {
	if h.Get("Authorization") == "" {
		h.Set("Authorization", "Bearer "+adminToken)
	}
	if c.user == "" || h.Get("Impersonate-User") != "" {
		return
	}
	h.Set("Impersonate-User", c.user)
	for _, group := range c.groups {
		h.Add("Impersonate-Group", group)
	}
}
