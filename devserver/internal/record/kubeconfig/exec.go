package kubeconfig

import (
	"bytes"
	gocontext "context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

const (
	// execExtension is the name of the extension of a cluster that its plugins get.
	execExtension = "client.authentication.k8s.io/exec"
	// execTimeout is how long a plugin may take: a person may have to log in.
	execTimeout = 5 * time.Minute
)

// A plugin is the exec section of a user.
type plugin struct {
	APIVersion string   `json:"apiVersion"`
	Command    string   `json:"command"`
	Args       []string `json:"args"`
	Env        []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"env"`
	InstallHint        string `json:"installHint"`
	ProvideClusterInfo bool   `json:"provideClusterInfo"`
	InteractiveMode    string `json:"interactiveMode"`
}

// A credential is what a plugin prints: an ExecCredential.
type credential struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Status     *struct {
		Expires         *time.Time `json:"expirationTimestamp"`
		Token           string     `json:"token"`
		CertificateData string     `json:"clientCertificateData"`
		KeyData         string     `json:"clientKeyData"`
	} `json:"status"`
	pair *tls.Certificate
}

// A runner runs a plugin, and keeps its credential.
type runner struct {
	plugin *plugin
	info   map[string]any // the cluster, for plugins that ask for it
	dir    string

	mu      sync.Mutex
	current *credential
}

func newRunner(p *plugin, to *cluster, authority []byte, dir string) (*runner, error) {
	switch p.APIVersion {
	case "client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1":
	default:
		return nil, fmt.Errorf("exec: the apiVersion %q is none of client.authentication.k8s.io/v1 and v1beta1", p.APIVersion)
	}
	if p.Command == "" {
		return nil, errors.New("exec: it has no command")
	}
	r := &runner{plugin: p, dir: dir}
	if p.ProvideClusterInfo {
		r.info = map[string]any{"server": to.Server}
		set := func(name string, value any, is bool) {
			if is {
				r.info[name] = value
			}
		}
		set("tls-server-name", to.TLSServerName, to.TLSServerName != "")
		set("insecure-skip-tls-verify", true, to.Insecure)
		set("certificate-authority-data", authority, len(authority) > 0)
		set("proxy-url", to.ProxyURL, to.ProxyURL != "")
		for _, e := range to.Extensions {
			set("config", e.Extension, e.Name == execExtension)
		}
	}
	return r, nil
}

// credential returns the present credential, and whether it is another one than before.
func (r *runner) credential(ctx gocontext.Context) (c *credential, changed bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.current; c != nil && (c.Status.Expires == nil || time.Now().Before(*c.Status.Expires)) {
		return c, false, nil
	}
	before := r.current
	if r.current, err = r.run(ctx); err != nil {
		r.current = nil
		return nil, false, err
	}
	return r.current, before != nil, nil
}

// refuse forgets a credential that the server has refused.
func (r *runner) refuse(c *credential) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current == c {
		r.current = nil
	}
}

// clientCertificate returns the certificate of the present credential; none if it has none.
func (r *runner) clientCertificate(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current == nil || r.current.pair == nil {
		return &tls.Certificate{}, nil
	}
	return r.current.pair, nil
}

// run runs the plugin.
func (r *runner) run(ctx gocontext.Context) (*credential, error) {
	ctx, cancel := gocontext.WithTimeout(ctx, execTimeout)
	defer cancel()
	p := r.plugin
	stdin, err := os.Stdin.Stat()
	interactive := p.InteractiveMode != "Never" && err == nil && stdin.Mode()&os.ModeCharDevice != 0
	if p.InteractiveMode == "Always" && !interactive {
		return nil, fmt.Errorf("exec: %s needs a terminal", p.Command)
	}
	spec := map[string]any{"interactive": interactive}
	if r.info != nil {
		spec["cluster"] = r.info
	}
	asked, err := json.Marshal(map[string]any{"apiVersion": p.APIVersion, "kind": "ExecCredential", "spec": spec})
	if err != nil {
		return nil, err
	}
	command := p.Command
	if strings.ContainsRune(command, os.PathSeparator) {
		command = within(r.dir, command)
	}
	cmd := exec.CommandContext(ctx, command, p.Args...)
	cmd.Env = append(os.Environ(), "KUBERNETES_EXEC_INFO="+string(asked))
	for _, e := range p.Env {
		cmd.Env = append(cmd.Env, e.Name+"="+e.Value)
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if interactive {
		cmd.Stdin = os.Stdin
	}
	if err := cmd.Run(); err != nil {
		hint := ""
		if errors.Is(err, exec.ErrNotFound) && p.InstallHint != "" {
			hint = "\n" + p.InstallHint
		}
		return nil, fmt.Errorf("exec: %s: %w%s", p.Command, err, hint)
	}
	return parseCredential(out.Bytes(), p.APIVersion)
}

// parseCredential reads what a plugin has printed. Errors show nothing of it.
func parseCredential(text []byte, apiVersion string) (*credential, error) {
	var c credential
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, errors.New("exec: the plugin printed no ExecCredential")
	}
	switch s := c.Status; {
	case c.Kind != "ExecCredential" || c.APIVersion != apiVersion:
		return nil, fmt.Errorf("exec: the plugin printed a %q of %q, and no ExecCredential of %q", c.Kind, c.APIVersion,
			apiVersion)
	case s == nil || s.Token == "" && s.CertificateData == "":
		return nil, errors.New("exec: the plugin's ExecCredential has neither a token nor a certificate")
	case (s.CertificateData == "") != (s.KeyData == ""):
		return nil, errors.New("exec: the plugin's ExecCredential has a certificate without a key, or a key alone")
	case s.CertificateData != "":
		pair, err := tls.X509KeyPair([]byte(s.CertificateData), []byte(s.KeyData))
		if err != nil {
			return nil, errors.New("exec: the certificate of the plugin and its key do not fit")
		}
		c.pair = &pair
	}
	return &c, nil
}
