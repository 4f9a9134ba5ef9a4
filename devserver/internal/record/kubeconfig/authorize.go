package kubeconfig

import (
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

// tokenLife is how long the content of a file of a token is used before it is read again.
const tokenLife = time.Minute

// An authorizer adds a user's credentials to requests.
type authorizer struct {
	user   *user
	dir    string
	plugin *runner // nil means none
	next   *http.Transport

	mu    sync.Mutex
	token string // of the file
	read  time.Time
}

func (a *authorizer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range map[string]string{"Impersonate-User": a.user.As, "Impersonate-Uid": a.user.AsUID} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	for _, group := range a.user.AsGroups {
		r.Header.Add("Impersonate-Group", group)
	}
	for name, values := range a.user.AsExtra {
		for _, value := range values {
			r.Header.Add("Impersonate-Extra-"+name, value)
		}
	}
	if a.plugin != nil {
		return a.viaPlugin(r)
	}
	token, err := a.bearer()
	switch {
	case err != nil:
		return nil, err
	case token != "":
		r.Header.Set("Authorization", "Bearer "+token)
	case a.user.Username != "":
		r.SetBasicAuth(a.user.Username, a.user.Password)
	}
	return a.next.RoundTrip(r)
}

// bearer returns the token; that of a file takes precedence.
func (a *authorizer) bearer() (string, error) {
	if a.user.TokenFile == "" {
		return a.user.Token, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.token == "" || time.Since(a.read) > tokenLife {
		text, err := os.ReadFile(within(a.dir, a.user.TokenFile))
		if err != nil && a.token == "" {
			return "", err
		}
		if err == nil { // otherwise the last one may be good still
			a.token = strings.TrimSpace(string(text))
		}
		a.read = time.Now()
	}
	return a.token, nil
}

// viaPlugin sends a request with the credential of a plugin, which is run again if that is refused.
func (a *authorizer) viaPlugin(r *http.Request) (*http.Response, error) {
	for again := false; ; again = true {
		c, changed, err := a.plugin.credential(r.Context())
		if err != nil {
			return nil, err
		}
		if changed {
			a.next.CloseIdleConnections() // they have the certificate from before
		}
		if c.Status.Token != "" {
			r.Header.Set("Authorization", "Bearer "+c.Status.Token)
		}
		answer, err := a.next.RoundTrip(r)
		if err != nil || answer.StatusCode != http.StatusUnauthorized || again {
			return answer, err
		}
		_ = answer.Body.Close() // the request is made again
		a.plugin.refuse(c)
	}
}
