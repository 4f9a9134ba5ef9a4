// More than 400 lines: what starts the pair, as envtest does, and what it has to answer then.

package envtest

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/devserver/envtest/internal/program"
)

// TestMain lets the test be the programs of the pair too, by the names of links to it, and what starts them: a test
// framework that is killed.
func TestMain(m *testing.M) {
	if run := Program(os.Args[0]); run != nil {
		os.Exit(run(os.Args[1:]))
	}
	if program.NameOf(os.Args[0]) == frameworkName {
		os.Exit(beFramework(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// patience is how long something may take that a test waits for.
const patience = time.Minute

// install installs the pair, whose programs are this test.
func install(t testing.TB, s program.Settings) string {
	t.Helper()
	dir := t.TempDir()
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out, notes bytes.Buffer
	if err := Install(Options{Dir: dir, Source: own, Settings: s, Out: &out, Notes: &notes}); err != nil {
		t.Fatal(err)
	}
	if want := "export KUBEBUILDER_ASSETS='" + dir + "'\n"; out.String() != want {
		t.Errorf("it printed %q, want %q", out.String(), want)
	}
	return dir
}

// A pki is what envtest makes before it starts the programs.
type pki struct {
	dir    string
	ca     *x509.Certificate
	key    *ecdsa.PrivateKey
	signer *ecdsa.PrivateKey
}

func block(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

func newPKI(t testing.TB, dir string) *pki {
	t.Helper()
	p := &pki{dir: dir}
	var err error
	if p.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	p.signer = p.key
	now := time.Now()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "ca"}, IsCA: true,
		BasicConstraintsValid: true, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour),
		KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, p.key.Public(), p.key)
	if err != nil {
		t.Fatal(err)
	}
	if p.ca, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	p.write(t, "client-ca.crt", block("CERTIFICATE", der))
	p.write(t, "sa.crt", block("CERTIFICATE", der)) // of the same key, which signs tokens too
	private, err := x509.MarshalPKCS8PrivateKey(p.key)
	if err != nil {
		t.Fatal(err)
	}
	p.write(t, "sa.key", block("PRIVATE KEY", private))
	return p
}

func (p *pki) write(t testing.TB, name string, text []byte) string {
	t.Helper()
	name = filepath.Join(p.dir, name)
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// client returns a client with a certificate that is valid until some time from now.
func (p *pki) client(t testing.TB, user string, valid time.Duration, groups ...string) *http.Client {
	t.Helper()
	return newClient(t, p.certificate(t, user, valid, groups...))
}

// certificate returns such a certificate.
func (p *pki) certificate(t testing.TB, user string, valid time.Duration, groups ...string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: user, Organization: groups},
		NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(valid),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	der, err := x509.CreateCertificate(rand.Reader, template, p.ca, key.Public(), p.key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func newClient(t testing.TB, certificates ...tls.Certificate) *http.Client {
	transport := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{
		InsecureSkipVerify: true, Certificates: certificates, //nolint:gosec // as envtest's health check does
	}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// freePort returns a port that nobody has.
func freePort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// A process is a program that was started.
type process struct {
	*exec.Cmd
	said *lockedBuffer
	done chan struct{}
}

// A lockedBuffer has what a process says.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func start(t testing.TB, file string, args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(file, args...), said: new(lockedBuffer), done: make(chan struct{})}
	p.Stdout, p.Stderr = p.said, p.said
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = p.Wait(); close(p.done) }()
	t.Cleanup(func() {
		_ = p.Process.Kill()
		<-p.done
	})
	return p
}

// end waits for the end of a process, and returns its exit status.
func (p *process) end(t testing.TB) int {
	t.Helper()
	select {
	case <-p.done:
	case <-time.After(patience):
		t.Fatalf("%s goes on\n%s", p.Path, p.said)
	}
	return p.ProcessState.ExitCode()
}

// await asks until the answer is a 200.
func await(t testing.TB, c *http.Client, url string, p *process) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := c.Do(r)
		if err == nil {
			text, _ := io.ReadAll(answer.Body)
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return string(text)
			}
		}
		select {
		case <-p.done:
			t.Fatalf("%s has ended: %s", p.Path, p.said)
		case <-ctx.Done():
			t.Fatalf("%s: %v\n%s", url, err, p.said)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// A pair is one that runs.
type pair struct {
	*pki
	assets, data  string
	etcd, server  *process
	url, etcdURL  string
	admin, nobody *http.Client
}

// flags are those of envtest.
func (p *pair) flags(port string, more ...string) []string {
	return append([]string{"--allow-privileged=true", "--authorization-mode=RBAC", "--bind-address=127.0.0.1",
		"--cert-dir=" + filepath.Join(p.dir, "certs"), "--client-ca-file=" + filepath.Join(p.dir, "client-ca.crt"),
		"--disable-admission-plugins=ServiceAccount", "--etcd-servers=" + p.etcdURL, "--secure-port=" + port,
		"--service-account-issuer=https://127.0.0.1:" + port + "/",
		"--service-account-key-file=" + filepath.Join(p.dir, "sa.crt"),
		"--service-account-signing-key-file=" + filepath.Join(p.dir, "sa.key"),
		"--service-cluster-ip-range=10.0.0.0/24"}, more...)
}

// startEtcd starts the etcd.
func (p *pair) startEtcd(t testing.TB) {
	t.Helper()
	port := freePort(t)
	p.etcdURL = "http://127.0.0.1:" + port
	p.etcd = start(t, filepath.Join(p.assets, fileName("etcd")), "--advertise-client-urls="+p.etcdURL,
		"--data-dir="+p.data, "--listen-client-urls="+p.etcdURL, "--listen-peer-urls=http://127.0.0.1:0",
		"--unsafe-no-fsync=true")
	await(t, http.DefaultClient, p.etcdURL+"/health", p.etcd)
}

// startServer starts the API server.
func (p *pair) startServer(t testing.TB, more ...string) {
	t.Helper()
	port := freePort(t)
	p.url = "https://127.0.0.1:" + port
	p.server = start(t, filepath.Join(p.assets, fileName("kube-apiserver")), p.flags(port, more...)...)
	await(t, p.admin, p.url+"/healthz", p.server)
}

func newPair(t testing.TB, s program.Settings) *pair {
	t.Helper()
	p := &pair{pki: newPKI(t, t.TempDir()), assets: install(t, s), data: t.TempDir(), nobody: newClient(t)}
	p.admin = p.client(t, "admin", time.Hour, "system:masters")
	p.startEtcd(t)
	return p
}

// ask makes a request, and returns its answer.
func (p *pair) ask(t testing.TB, c *http.Client, method, path, body string, header ...string) (int, map[string]any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, p.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if len(header) == 2 {
		r.Header.Set(header[0], header[1])
	}
	answer, err := c.Do(r)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", method, path, err, p.server.said)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	if json.Unmarshal(text, &object) != nil {
		object = map[string]any{"text": string(text)}
	}
	return answer.StatusCode, object
}

// stop ends a process as envtest does.
func (p *process) stop(t testing.TB) {
	t.Helper()
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if status := p.end(t); status != 0 {
		t.Errorf("%s ended with %d: %s", p.Path, status, p.said)
	}
}

// TestHelpOfThePrograms is what envtest looks for before it starts them.
func TestHelpOfThePrograms(t *testing.T) {
	dir := install(t, program.Settings{})
	for name, want := range map[string]string{
		"etcd": "\n      --unsafe-no-fsync", "kube-apiserver": "\n      --secure-port",
	} {
		out, err := exec.CommandContext(t.Context(), filepath.Join(dir, fileName(name)), "--help").CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) || strings.Contains(string(out), "--insecure-port") {
			t.Errorf("%s --help: %v\n%s", name, err, out)
		}
		out, err = exec.CommandContext(t.Context(), filepath.Join(dir, fileName(name)), "--version").CombinedOutput()
		if err != nil || len(out) == 0 {
			t.Errorf("%s --version: %v %s", name, err, out)
		}
	}
}

// TestContract is what test frameworks, and their tests, want of the pair.
func TestContract(t *testing.T) {
	p := newPair(t, program.Settings{})
	if health := await(t, http.DefaultClient, p.etcdURL+"/health", p.etcd); !strings.Contains(health, `"health":"true"`) {
		t.Errorf("/health of etcd: %s", health)
	}
	p.startServer(t, "--feature-gates=WatchList=true", "--unknown-flag", "x", "-v", "4")
	if !strings.Contains(p.server.said.String(), "--unknown-flag is unknown here and is ignored") {
		t.Errorf("it does not name the unknown flag: %s", p.server.said)
	}
	jane := p.client(t, "jane", time.Hour, "dev", "ops")
	for _, c := range []struct {
		who          *http.Client
		method, path string
		body         string
		code         int
		want         string
	}{
		{p.nobody, "GET", "/healthz", "", 200, "ok"},
		{p.nobody, "GET", "/readyz", "", 200, "ok"},
		{p.nobody, "GET", "/livez", "", 200, "ok"},
		{p.nobody, "GET", "/version", "", 200, "v1.36.3"},
		{p.nobody, "GET", "/api/v1/namespaces", "", 403, "system:anonymous"},
		{p.client(t, "late", -time.Hour, "system:masters"), "GET", "/healthz", "", 401, "Unauthorized"},
		{newPKI(t, t.TempDir()).client(t, "other", time.Hour, "system:masters"), "GET", "/healthz", "", 401, "Unauthorized"},
		{p.client(t, "", time.Hour, "system:masters"), "GET", "/api/v1/namespaces", "", 403, "system:anonymous"},
		{jane, "GET", "/api/v1/namespaces", "", 403, `User \"jane\" cannot list`},
		{jane, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", `{"apiVersion":"authentication.k8s.io/v1",
			"kind":"SelfSubjectReview"}`, 201, `"groups":["dev","ops","system:authenticated"]`},
		{p.admin, "GET", "/api/v1/namespaces/default", "", 200, `"name":"default"`},
		{p.admin, "GET", "/api/v1/namespaces/default/services/kubernetes", "", 200, `"clusterIP":"10.0.0.1"`},
		{p.admin, "GET", "/apis/networking.k8s.io/v1/servicecidrs/kubernetes", "", 200, `["10.0.0.0/24"]`},
		{p.admin, "POST", "/api/v1/namespaces/default/services", `{"metadata":{"name":"s"},"spec":{"clusterIP":"10.96.0.7",
			"ports":[{"port":80}]}}`, 422, "the provided network does not match the current range"},
		{p.admin, "POST", "/api/v1/namespaces/default/pods", `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c",
			"image":"i","securityContext":{"privileged":true}}]}}`, 201, `"privileged":true`},
		{p.admin, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", `{"metadata":{"name":"x"},"spec":{}}`,
			422, "spec.group: Required value"},
	} {
		code, answer := p.ask(t, c.who, c.method, c.path, c.body)
		text, _ := json.Marshal(answer)
		if code != c.code || !strings.Contains(string(text), c.want) {
			t.Errorf("%s %s: %d %s, want %d with %s", c.method, c.path, code, text, c.code, c.want)
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+"/api/v1/namespaces", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := p.admin.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.ProtoMajor != 2 {
		t.Errorf("it speaks %s, want HTTP/2", answer.Proto)
	}
	p.server.stop(t)
	p.etcd.stop(t)
}

// TestServiceAccountKeys starts servers with keys in each of their forms, and uses a token with each.
func TestServiceAccountKeys(t *testing.T) {
	p := newPair(t, program.Settings{})
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	must := func(der []byte, err error) []byte {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return der
	}
	for _, c := range []struct {
		name            string
		private, public []byte
	}{
		{"EC", block("EC PRIVATE KEY", must(x509.MarshalECPrivateKey(p.signer))),
			block("PUBLIC KEY", must(x509.MarshalPKIXPublicKey(p.signer.Public())))},
		{"EC, both private", block("PRIVATE KEY", must(x509.MarshalPKCS8PrivateKey(p.signer))),
			block("EC PRIVATE KEY", must(x509.MarshalECPrivateKey(p.signer)))},
		{"RSA, PKCS 1", block("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(rsaKey)),
			block("RSA PUBLIC KEY", x509.MarshalPKCS1PublicKey(&rsaKey.PublicKey))},
		{"RSA, PKCS 8", block("PRIVATE KEY", must(x509.MarshalPKCS8PrivateKey(rsaKey))),
			block("PUBLIC KEY", must(x509.MarshalPKIXPublicKey(&rsaKey.PublicKey)))},
	} {
		private, public := p.write(t, "private", c.private), p.write(t, "public", c.public)
		p.startServer(t, "--service-account-signing-key-file", private, "--service-account-key-file", public)
		if code, answer := p.ask(t, p.admin, "POST", "/api/v1/namespaces/default/serviceaccounts",
			`{"metadata":{"name":"robot"}}`); code != 201 && code != 409 {
			t.Fatalf("%s: %d %v", c.name, code, answer)
		}
		_, request := p.ask(t, p.admin, "POST", "/api/v1/namespaces/default/serviceaccounts/robot/token",
			`{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{}}`)
		status, _ := request["status"].(map[string]any)
		token, _ := status["token"].(string)
		if token == "" {
			t.Fatalf("%s: no token: %v", c.name, request)
		}
		code, answer := p.ask(t, p.nobody, "GET", "/api/v1/namespaces/default/pods", "", "Authorization", "Bearer "+token)
		if text := fmt.Sprint(answer); code != 403 || !strings.Contains(text, "system:serviceaccount:default:robot") {
			t.Errorf("%s: %d %s", c.name, code, text)
		}
		p.server.stop(t)
	}
}

// TestDataIsKept starts the API server again, with other flags: what was written is there, and the flags count.
func TestDataIsKept(t *testing.T) {
	p := newPair(t, program.Settings{})
	p.startServer(t)
	const maps = "/api/v1/namespaces/default/configmaps"
	code, made := p.ask(t, p.admin, "POST", maps, `{"metadata":{"name":"kept"},"data":{"a":"1"}}`)
	if code != 201 {
		t.Fatalf("%d %v", code, made)
	}
	if err := p.server.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.server.end(t)
	p.startServer(t, "--authorization-mode=AlwaysAllow", "--feature-gates=WatchList=false")
	code, kept := p.ask(t, p.client(t, "anyone", time.Hour), "GET", maps+"/kept", "")
	if fmt.Sprint(made["metadata"]) != fmt.Sprint(kept["metadata"]) || code != 200 {
		t.Errorf("%d %v, was %v", code, kept, made)
	}
	if code, _ := p.ask(t, p.admin, "GET", maps+"?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&"+
		"allowWatchBookmarks=true", ""); code != 422 {
		t.Errorf("a watch list without its gate: %d", code)
	}
	p.server.stop(t)
	p.startServer(t, "--etcd-prefix=/other")
	if code, _ := p.ask(t, p.admin, "GET", maps+"/kept", ""); code != 404 {
		t.Errorf("below another prefix: %d", code)
	}
}

// TestAudit has a policy write what is asked and how that is answered.
func TestAudit(t *testing.T) {
	p := newPair(t, program.Settings{})
	policy := p.write(t, "policy.yaml", []byte(`apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: RequestResponse, resources: [{group: "", resources: [configmaps]}]}
- {level: Metadata, userGroups: ["dev"]}
`))
	log := filepath.Join(p.dir, "audit.log")
	p.startServer(t, "--audit-log-path="+log, "--audit-policy-file="+policy)
	p.ask(t, p.admin, "POST", "/api/v1/namespaces/default/configmaps", `{"metadata":{"name":"a"},"data":{"k":"v"}}`)
	p.ask(t, p.admin, "GET", "/api/v1/namespaces/default/configmaps/b", "")
	p.ask(t, p.client(t, "jane", time.Hour, "dev"), "GET", "/api/v1/namespaces/default/pods", "")
	p.ask(t, p.admin, "GET", "/api/v1/namespaces/default/pods", "")
	p.server.stop(t)
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(string(text)) {
		var e struct {
			Level, Verb, Stage            string
			User                          struct{ Username string }
			RequestObject, ResponseObject json.RawMessage
			ResponseStatus                struct{ Code int }
			ObjectRef                     struct{ Name string }
			Annotations                   map[string]string
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(e.Level, " ", e.Verb, " ", e.User.Username, " ", e.ObjectRef.Name, " ",
			e.ResponseStatus.Code, " ", e.Annotations["authorization.k8s.io/decision"], " ",
			strings.Contains(string(e.RequestObject), `"k":"v"`), " ", len(e.ResponseObject) > 0))
	}
	want := "RequestResponse create admin a 201 allow true true\nRequestResponse get admin b 404 allow false true\n" +
		"Metadata list jane  403 forbid false false"
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}

// TestRuntimeConfig turns types off.
func TestRuntimeConfig(t *testing.T) {
	p := newPair(t, program.Settings{})
	for _, c := range []struct {
		config string
		codes  map[string]int
	}{
		{"batch/v1=false", map[string]int{"/apis/batch/v1/jobs": 404, "/apis/batch": 404, "/apis/apps/v1/deployments": 200}},
		{"apps/v1/daemonsets=false", map[string]int{"/apis/apps/v1/daemonsets": 404, "/apis/apps/v1/deployments": 200}},
		{"api/all=false,api/v1=true,batch/v1=true", map[string]int{
			"/apis/batch/v1/jobs": 200, "/apis/apps/v1/deployments": 404, "/api/v1/pods": 200}},
		{"api/all=true", map[string]int{"/apis/batch/v1/jobs": 200, "/apis/apps/v1/deployments": 200}},
	} {
		p.startServer(t, "--runtime-config="+c.config)
		for path, want := range c.codes {
			if code, answer := p.ask(t, p.admin, "GET", path, ""); code != want {
				t.Errorf("%s: %s is %d %v, want %d", c.config, path, code, answer, want)
			}
		}
		code, answer := p.ask(t, p.admin, "POST", "/api/v1/namespaces/default/configmaps",
			`{"metadata":{"generateName":"a"}}`)
		if code != 201 {
			t.Errorf("%s: a write is %d %v", c.config, code, answer)
		}
		p.server.stop(t)
	}
}

// TestPace delays requests by the latency, and by a seed as it says.
func TestPace(t *testing.T) {
	p := newPair(t, program.Settings{Latency: 300 * time.Millisecond})
	p.startServer(t)
	begin := time.Now()
	p.ask(t, p.admin, "GET", "/api/v1/namespaces/default", "")
	if took := time.Since(begin); took < 300*time.Millisecond {
		t.Errorf("a request took %s", took)
	}
}
