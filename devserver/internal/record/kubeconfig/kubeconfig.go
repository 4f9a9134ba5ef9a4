// Package kubeconfig reads how to reach a cluster from a kubeconfig, and makes the HTTP client that does: certificates,
// tokens, files of tokens, names and passwords, impersonation, proxies, and exec credential plugins, as client-go
// documents them (https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/).
//
// Invariants: nothing is written, and no credential is in an error. Credentials are sent to the cluster's server only:
// redirects are not followed.
//
// A plugin is run when the first request is made, and again when its credential expires or is refused.
package kubeconfig

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sigs.k8s.io/yaml"
)

// A Target is a cluster, and how its server is reached.
type Target struct {
	// Context is the name of the context, and Namespace its namespace; "" if it has none.
	Context, Namespace string
	// Server is the URL of the server, without a slash at its end.
	Server string
	Client *http.Client
}

type named[T any] struct {
	Name    string `json:"name"`
	Cluster T      `json:"cluster"`
	User    T      `json:"user"`
	Context T      `json:"context"`
}

type config struct {
	Current  string           `json:"current-context"`
	Clusters []named[cluster] `json:"clusters"`
	Users    []named[user]    `json:"users"`
	Contexts []named[context] `json:"contexts"`
}

type context struct {
	Cluster   string `json:"cluster"`
	User      string `json:"user"`
	Namespace string `json:"namespace"`
}

type cluster struct {
	Server        string `json:"server"`
	TLSServerName string `json:"tls-server-name"`
	Insecure      bool   `json:"insecure-skip-tls-verify"`
	Authority     string `json:"certificate-authority"`
	AuthorityData []byte `json:"certificate-authority-data"`
	ProxyURL      string `json:"proxy-url"`
	// Extensions of a cluster with the name of execExtension are for plugins.
	Extensions []struct {
		Name      string `json:"name"`
		Extension any    `json:"extension"`
	} `json:"extensions"`
}

type user struct {
	Certificate     string              `json:"client-certificate"`
	CertificateData []byte              `json:"client-certificate-data"`
	Key             string              `json:"client-key"`
	KeyData         []byte              `json:"client-key-data"`
	Token           string              `json:"token"`
	TokenFile       string              `json:"tokenFile"`
	Username        string              `json:"username"`
	Password        string              `json:"password"`
	As              string              `json:"as"`
	AsUID           string              `json:"as-uid"`
	AsGroups        []string            `json:"as-groups"`
	AsExtra         map[string][]string `json:"as-user-extra"`
	AuthProvider    any                 `json:"auth-provider"`
	Exec            *plugin             `json:"exec"`
}

// DefaultFile returns the kubeconfig that kubectl would take.
func DefaultFile() (string, error) {
	if list := os.Getenv("KUBECONFIG"); list != "" {
		if files := filepath.SplitList(list); len(files) == 1 {
			return files[0], nil
		}
		return "", errors.New("KUBECONFIG names several files: name one by --kubeconfig")
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".kube", "config"), err
}

// Load reads a file, and returns the target of one of its contexts; "" is the current one.
func Load(file, name string) (*Target, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	t, err := parse(text, filepath.Dir(file), name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return t, nil
}

// parse reads a kubeconfig whose paths begin at a directory.
func parse(text []byte, dir, name string) (*Target, error) {
	var c config
	if err := yaml.Unmarshal(text, &c); err != nil {
		return nil, errors.New("it is no kubeconfig") // the error may show a part of the text
	}
	if name == "" {
		name = c.Current
	}
	if name == "" {
		return nil, errors.New("it has no current context: name one by --context")
	}
	var at *context
	for i := range c.Contexts {
		if c.Contexts[i].Name == name {
			at = &c.Contexts[i].Context
		}
	}
	if at == nil {
		return nil, fmt.Errorf("it has no context %q", name)
	}
	var to *cluster
	for i := range c.Clusters {
		if c.Clusters[i].Name == at.Cluster {
			to = &c.Clusters[i].Cluster
		}
	}
	if to == nil {
		return nil, fmt.Errorf("it has no cluster %q", at.Cluster)
	}
	who := &user{}
	for i := range c.Users {
		if c.Users[i].Name == at.User {
			who = &c.Users[i].User
		}
	}
	server, err := url.Parse(to.Server)
	if err != nil || server.Host == "" || server.Scheme != "http" && server.Scheme != "https" {
		return nil, fmt.Errorf("the server of cluster %q is no URL of http or https", at.Cluster)
	}
	client, err := newClient(to, who, dir)
	if err != nil {
		return nil, err
	}
	return &Target{Context: name, Namespace: at.Namespace, Server: strings.TrimRight(to.Server, "/"), Client: client}, nil
}

// newClient returns what sends a user's requests to a cluster.
func newClient(to *cluster, who *user, dir string) (*http.Client, error) {
	t := &tls.Config{ServerName: to.TLSServerName, InsecureSkipVerify: to.Insecure, MinVersion: tls.VersionTLS12}
	authority, err := dataOf(to.AuthorityData, to.Authority, dir)
	if err != nil {
		return nil, err
	}
	if len(authority) > 0 && !to.Insecure {
		t.RootCAs = x509.NewCertPool()
		if !t.RootCAs.AppendCertsFromPEM(authority) {
			return nil, errors.New("certificate-authority has no certificates")
		}
	}
	a := &authorizer{user: who, dir: dir}
	switch {
	case who.AuthProvider != nil:
		return nil, errors.New("auth-provider is not supported any more by Kubernetes: use an exec plugin")
	case who.Exec != nil:
		if a.plugin, err = newRunner(who.Exec, to, authority, dir); err != nil {
			return nil, err
		}
		t.GetClientCertificate = a.plugin.clientCertificate
	default:
		certificate, err := dataOf(who.CertificateData, who.Certificate, dir)
		if err != nil {
			return nil, err
		}
		key, err := dataOf(who.KeyData, who.Key, dir)
		if err != nil {
			return nil, err
		}
		if len(certificate) > 0 || len(key) > 0 {
			pair, err := tls.X509KeyPair(certificate, key)
			if err != nil {
				return nil, errors.New("the client certificate and its key do not fit")
			}
			t.Certificates = []tls.Certificate{pair}
		}
	}
	proxy := http.ProxyFromEnvironment
	if to.ProxyURL != "" {
		u, err := url.Parse(to.ProxyURL)
		if err != nil || u.Host == "" {
			return nil, errors.New("proxy-url is no URL")
		}
		proxy = http.ProxyURL(u)
	}
	a.next = &http.Transport{
		TLSClientConfig: t, Proxy: proxy, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 15 * time.Second,
		ResponseHeaderTimeout: 90 * time.Second, IdleConnTimeout: 90 * time.Second, MaxIdleConnsPerHost: 32,
		HTTP2: &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
	}
	return &http.Client{
		Transport:     a,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

// dataOf returns what is given as data, or else in a file.
func dataOf(data []byte, file, dir string) ([]byte, error) {
	if len(data) > 0 || file == "" {
		return data, nil
	}
	return os.ReadFile(within(dir, file))
}

// within returns a path that begins at a directory, unless it is absolute.
func within(dir, file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(dir, file)
}
