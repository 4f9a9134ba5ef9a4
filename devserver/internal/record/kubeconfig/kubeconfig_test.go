package kubeconfig

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A place is a server over TLS, and a directory with what a kubeconfig may name.
type place struct {
	*testing.T
	server *httptest.Server
	dir    string
	ca     string // in base64
	refuse string // a token that the server refuses
}

// newPlace returns one whose server answers with who a request is of.
func newPlace(t *testing.T) *place {
	p := &place{T: t, dir: t.TempDir()}
	p.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		if p.refuse != "" && who == p.refuse {
			w.WriteHeader(401)
			return
		}
		if user, password, ok := r.BasicAuth(); ok {
			who = user + ":" + password
		}
		if len(r.TLS.PeerCertificates) > 0 {
			who = "CN=" + r.TLS.PeerCertificates[0].Subject.CommonName + who
		}
		for name, values := range r.Header {
			if strings.HasPrefix(name, "Impersonate-") {
				who += fmt.Sprint(" ", name, values)
			}
		}
		if r.URL.Path == "/elsewhere" {
			http.Redirect(w, r, "https://example.com/", http.StatusFound)
		}
		fmt.Fprint(w, who)
	}))
	p.server.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	p.server.StartTLS()
	t.Cleanup(p.server.Close)
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.server.Certificate().Raw})
	p.ca = base64.StdEncoding.EncodeToString(ca)
	p.write("ca.crt", string(ca))
	certificate, key := p.certificate("file")
	p.write("client.crt", certificate)
	p.write("client.key", key)
	p.write("token", "from-a-file\n")
	return p
}

func (p *place) write(name, text string) {
	p.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o700); err != nil {
		p.Fatal(err)
	}
}

// certificate makes a certificate of a client, and its key.
func (p *place) certificate(name string) (certificate, private string) {
	p.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		p.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		p.Fatal(err)
	}
	text, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		p.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: text}))
}

// load loads a kubeconfig with a cluster and a user, in which $URL and $CA stand for the server's: with a character
// that base64 does not have, as a certificate is random and may hold any word.
func (p *place) load(cluster, user string) (*Target, error) {
	text := strings.NewReplacer("$URL", p.server.URL, "$CA", p.ca).Replace(`
apiVersion: v1
kind: Config
current-context: here
contexts:
- {name: other, context: {cluster: other, user: other}}
- {name: here, context: {cluster: c, user: u, namespace: shop}}
clusters:
- {name: other, cluster: {server: "https://other"}}
- {name: c, cluster: ` + cluster + `}
users:
- {name: u, user: ` + user + `}
`)
	p.write("config", text)
	return Load(filepath.Join(p.dir, "config"), "")
}

func (p *place) ask(t *Target, path string) (string, error) {
	answer, err := t.Client.Get(t.Server + path)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	var b strings.Builder
	_, err = fmt.Fprint(&b, answer.StatusCode, " ")
	text := make([]byte, 1<<10)
	n, _ := answer.Body.Read(text) // which may be empty
	return b.String() + string(text[:n]), err
}

const trusted = `{server: "$URL/", certificate-authority-data: "$CA"}`

// TestUsers reaches a server as every kind of user, by every kind of trust.
func TestUsers(t *testing.T) {
	p := newPlace(t)
	certificate, key := p.certificate("data")
	data := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	for name, test := range map[string]struct{ cluster, user, want string }{
		"nobody":            {trusted, "{}", "200 "},
		"a token":           {trusted, "{token: abc}", "200 abc"},
		"a file of a token": {trusted, "{tokenFile: token, token: abc}", "200 from-a-file"},
		"a password":        {trusted, "{username: ada, password: pw}", "200 ada:pw"},
		"a certificate": {trusted, `{client-certificate-data: "` + data(certificate) +
			`", client-key-data: "` + data(key) + `"}`, "200 CN=data"},
		"files": {`{server: "$URL", certificate-authority: ca.crt}`,
			"{client-certificate: client.crt, client-key: client.key}", "200 CN=file"},
		"insecure": {`{server: "$URL", insecure-skip-tls-verify: true}`, "{token: abc}", "200 abc"},
		"another name": {`{server: "$URL", certificate-authority: ca.crt, tls-server-name: example.com}`,
			"{token: abc}", "200 abc"},
		"as somebody": {trusted, "{token: abc, as: bob, as-groups: [g, h]}",
			"200 abc Impersonate-User[bob] Impersonate-Group[g h]"},
	} {
		t.Run(name, func(t *testing.T) {
			target, err := p.load(test.cluster, test.user)
			if err != nil {
				t.Fatal(err)
			}
			if target.Context != "here" || target.Namespace != "shop" || strings.HasSuffix(target.Server, "/") {
				t.Errorf("%+v", target)
			}
			got, err := p.ask(target, "/")
			if name == "as somebody" && err == nil && len(got) == len(test.want) {
				return // in any order
			}
			if err != nil || got != test.want {
				t.Errorf("%q, %v, want %q", got, err, test.want)
			}
		})
	}
	target, err := p.load(trusted, "{token: abc}")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := p.ask(target, "/elsewhere"); err != nil || !strings.HasPrefix(got, "302") {
		t.Errorf("a redirect is followed: %q, %v", got, err)
	}
	if target, err = p.load(`{server: "$URL"}`, "{}"); err != nil {
		t.Fatal(err)
	}
	if got, err := p.ask(target, "/"); err == nil {
		t.Errorf("a server that is not trusted answers %q", got)
	}
}

// TestProxy reaches a server by a proxy.
func TestProxy(t *testing.T) {
	p := newPlace(t)
	asked := ""
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Method + " " + r.Host
		w.WriteHeader(http.StatusBadGateway)
	}))
	defer proxy.Close()
	target, err := p.load(`{server: "https://shop.example:6443", proxy-url: "`+proxy.URL+`"}`, "{}")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.ask(target, "/"); err == nil || asked != "CONNECT shop.example:6443" {
		t.Errorf("the proxy was asked %q, %v", asked, err)
	}
}

// TestWrongFiles loads what cannot be used: a sentence says why, and shows no credential.
func TestWrongFiles(t *testing.T) {
	p := newPlace(t)
	for name, test := range map[string]struct{ cluster, user, want string }{
		"no URL":        {`{server: "tell-nobody"}`, "{}", "no URL"},
		"a wrong CA":    {`{server: "$URL", certificate-authority-data: "eA=="}`, "{}", "no certificates"},
		"no file":       {`{server: "$URL", certificate-authority: none}`, "{}", "none"},
		"a wrong key":   {trusted, `{client-certificate: client.crt, client-key-data: "eA=="}`, "do not fit"},
		"no key":        {trusted, `{client-certificate: client.crt}`, "do not fit"},
		"an old plugin": {trusted, `{exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: x}}`, "v1alpha1"},
		"no command":    {trusted, `{exec: {apiVersion: client.authentication.k8s.io/v1}}`, "no command"},
		"auth-provider": {trusted, `{auth-provider: {name: gcp}, token: tell-nobody}`, "auth-provider"},
		"a wrong proxy": {`{server: "$URL", proxy-url: "x y"}`, "{}", "proxy-url"},
		"no yaml":       {trusted, `{token: tell-nobody`, "no kubeconfig"},
	} {
		if _, err := p.load(test.cluster, test.user); err == nil || !strings.Contains(err.Error(), test.want) ||
			strings.Contains(err.Error(), "tell-nobody") {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
	if _, err := Load(filepath.Join(p.dir, "config"), "absent"); err == nil {
		t.Error("it has a context that it does not have")
	}
	for text, want := range map[string]string{"{}": "no current context", "current-context: a": "no context"} {
		if _, err := parse([]byte(text), "", ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestPlugin gets tokens and certificates of a plugin, which is run again when they expire or are refused.
func TestPlugin(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the plugin is a shell script")
	}
	p := newPlace(t)
	certificate, key := p.certificate("plugin")
	quoted := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	p.write("plugin", `#!/bin/sh
echo run >> "$(dirname "$0")/runs"
printf %s "$KUBERNETES_EXEC_INFO" > "$(dirname "$0")/info"
cat "$(dirname "$0")/$1"; exit "${FAIL:-0}"
`)
	credential := func(status string) string {
		return `{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":` + status + `}`
	}
	p.write("good", credential(`{"token":"one"}`))
	p.write("cert", credential(`{"clientCertificateData":`+quoted(certificate)+`,"clientKeyData":`+quoted(key)+`}`))
	p.write("old", credential(`{"token":"one","expirationTimestamp":"2001-01-01T00:00:00Z"}`))
	p.write("empty", credential(`{}`))
	p.write("half", credential(`{"clientCertificateData":"tell-nobody"}`))
	p.write("text", "tell-nobody")
	user := func(arg, more string) string {
		return `{exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, args: [` + arg +
			`], interactiveMode: ` +
			`Never, provideClusterInfo: true` + more + `}}`
	}
	runs := func() int {
		text, _ := os.ReadFile(filepath.Join(p.dir, "runs"))
		return strings.Count(string(text), "run")
	}
	try := func(arg, more string, times int) (got string, err error, ran int) {
		t.Helper()
		before := runs()
		target, err := p.load(trusted, user(arg, more))
		if err != nil {
			t.Fatal(err)
		}
		for range times {
			got, err = p.ask(target, "/")
		}
		return got, err, runs() - before
	}
	if got, err, ran := try("good", "", 3); err != nil || got != "200 one" || ran != 1 {
		t.Errorf("a token: %q, %v, run %d times", got, err, ran)
	}
	info, _ := os.ReadFile(filepath.Join(p.dir, "info"))
	if !strings.Contains(string(info), `"interactive":false`) || !strings.Contains(string(info), p.server.URL) {
		t.Errorf("it was told %s", info)
	}
	if got, err, _ := try("cert", "", 2); err != nil || got != "200 CN=plugin" {
		t.Errorf("a certificate: %q, %v", got, err)
	}
	if got, err, ran := try("old", "", 3); err != nil || got != "200 one" || ran != 3 {
		t.Errorf("an expired token: %q, %v, run %d times", got, err, ran)
	}
	p.refuse = "one"
	if got, err, ran := try("good", "", 1); err != nil || got != "401 " || ran != 2 {
		t.Errorf("a token that is refused: %q, %v, run %d times", got, err, ran)
	}
	p.refuse = ""
	for arg, want := range map[string]string{"empty": "neither", "half": "without a key", "text": "no ExecCredential"} {
		if got, err, _ := try(arg, "", 1); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "tell-nobody") {
			t.Errorf("%s: %q, %v", arg, got, err)
		}
	}
	if _, err, _ := try("good", `, env: [{name: FAIL, value: "3"}]`, 1); err == nil ||
		!strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("a plugin that fails: %v", err)
	}
	target, err := p.load(trusted, `{exec: {apiVersion: client.authentication.k8s.io/v1, command: no-such-plugin-here,`+
		` installHint: "buy it"}}`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.ask(target, "/"); err == nil || !strings.Contains(err.Error(), "buy it") {
		t.Errorf("a plugin that is not there: %v", err)
	}
}

// FuzzParse parses what may be in a file; nothing may be read outside of what it says, so there are no files.
func FuzzParse(f *testing.F) {
	f.Add(`{current-context: a, contexts: [{name: a, context: {cluster: c}}], clusters: [{name: c, cluster: ` +
		`{server: "http://x"}}]}`)
	f.Add("users: [{name: u, user: {exec: {}}}]")
	f.Fuzz(func(t *testing.T, text string) {
		if target, err := parse([]byte(text), t.TempDir(), ""); (err == nil) == (target == nil) {
			t.Errorf("%q: %v, %v", text, target, err)
		}
	})
}
