package envtest

import (
	"bufio"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/devserver/envtest/internal/program"
)

// frameworkName is the name by which the test is a test framework: it starts the pair with the directories that it is
// given, says that it has, and waits until it is killed.
const frameworkName = "tabernetes-test-framework"

// beFramework starts what each line of a file names: a program and its arguments, one a word.
func beFramework(args []string) int {
	for _, line := range args {
		words := strings.Split(line, " ")
		if err := exec.Command(words[0], words[1:]...).Start(); err != nil { //nolint:gosec // the test has made the line
			fmt.Println(err)
			return 1
		}
	}
	fmt.Println("started")
	select {}
}

// TestStartsAndStops starts the pair many times, and ends it by signals or by the end of what has started it: no
// process, no port and no file is left.
func TestStartsAndStops(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals")
	}
	times, killed := 8, 4
	if os.Getenv("TABERNETES_LONG") != "" {
		times, killed = 50, 20
	}
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	temporary := t.TempDir()
	framework := filepath.Join(t.TempDir(), frameworkName)
	if err := os.Symlink(own, framework); err != nil {
		t.Fatal(err)
	}
	assets := install(t, program.Settings{})
	keys := newPKI(t, t.TempDir())
	nobody := newClient(t)
	for i := range times {
		data, certs := filepath.Join(temporary, fmt.Sprintf("k8s_test_framework_%d", 2*i)),
			filepath.Join(temporary, fmt.Sprintf("k8s_test_framework_%d", 2*i+1))
		for _, dir := range []string{data, certs} {
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		p := &pair{pki: keys, assets: assets, data: data, nobody: nobody}
		etcdPort, peerPort, port := freePort(t), freePort(t), freePort(t)
		p.etcdURL, p.url = "http://127.0.0.1:"+etcdPort, "https://127.0.0.1:"+port
		etcdArgs := []string{"--data-dir=" + data, "--listen-client-urls=" + p.etcdURL,
			"--listen-peer-urls=http://127.0.0.1:" + peerPort}
		serverArgs := append(p.flags(port), "--cert-dir="+certs)
		etcd, server := filepath.Join(assets, "etcd"), filepath.Join(assets, "kube-apiserver")
		if i%times < killed {
			parent := exec.Command(framework, strings.Join(append([]string{etcd}, etcdArgs...), " "),
				strings.Join(append([]string{server}, serverArgs...), " "))
			out, err := parent.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := parent.Start(); err != nil {
				t.Fatal(err)
			}
			if line, err := bufio.NewReader(out).ReadString('\n'); line != "started\n" {
				t.Fatalf("%q, %v", line, err)
			}
			await(t, nobody, p.url+"/healthz", &process{Cmd: parent, said: new(lockedBuffer), done: make(chan struct{})})
			if err := parent.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = parent.Wait() // whose end was wanted
		} else {
			p.etcd = start(t, etcd, etcdArgs...)
			p.server = start(t, server, serverArgs...)
			await(t, nobody, p.url+"/healthz", p.server)
			p.server.stop(t)
			p.etcd.stop(t)
			for _, dir := range []string{data, certs} { // as the framework does
				if err := os.RemoveAll(dir); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, port := range []string{etcdPort, peerPort, port} {
			untilFree(t, port)
		}
	}
	deadline := time.Now().Add(patience)
	for {
		left, err := os.ReadDir(temporary)
		if err != nil {
			t.Fatal(err)
		}
		running := processesOf(t, assets)
		if len(left) == 0 && len(running) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("left are the files %v and the processes %v", left, running)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// untilFree waits until a port can be taken.
func untilFree(t *testing.T, port string) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		l, err := net.Listen("tcp", "127.0.0.1:"+port)
		if err == nil {
			_ = l.Close() // it was only tried
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the port %s stays in use: %v", port, err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// processesOf returns the processes whose program lies in a directory, as far as the system tells.
func processesOf(t *testing.T, dir string) (all []string) {
	t.Helper()
	found, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range found {
		text, err := os.ReadFile(name)
		if err == nil && strings.HasPrefix(string(text), dir) {
			all = append(all, strings.ReplaceAll(string(text), "\x00", " "))
		}
	}
	return all
}

// TestBadInput is what is said of command lines that cannot work, with the exit status 1.
func TestBadInput(t *testing.T) {
	p := newPair(t, program.Settings{})
	p.startServer(t)
	_, taken, _ := net.SplitHostPort(strings.TrimPrefix(p.url, "https://"))
	_, etcdPort, _ := net.SplitHostPort(strings.TrimPrefix(p.etcdURL, "http://"))
	nothing := p.write(t, "nothing", []byte("nothing\n"))
	policy := p.write(t, "policy.yaml", []byte("apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Much}]\n"))
	cut := p.write(t, "cut.crt", []byte("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"))
	late := p.certificate(t, "late", -time.Hour)
	lateKey, err := x509.MarshalPKCS8PrivateKey(late.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	expired, itsKey := p.write(t, "late.crt", block("CERTIFICATE", late.Certificate[0])),
		p.write(t, "late.key", block("PRIVATE KEY", lateKey))
	free := freePort(t)
	stranger := &http.Server{Handler: http.NotFoundHandler()} //nolint:gosec // it answers this test
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = stranger.Serve(l) }()
	t.Cleanup(func() { _ = stranger.Close() })
	other := *p
	other.etcdURL = "http://" + l.Addr().String()
	for _, c := range []struct {
		program string
		args    []string
		want    string
	}{
		{"kube-apiserver", nil, "--etcd-servers must be specified, service-account-issuer is a required flag"},
		{"kube-apiserver", p.flags(taken), "address already in use"},
		{"kube-apiserver", p.flags("0"), "--secure-port 0 must be between 1 and 65535"},
		{"kube-apiserver", p.flags(free, "--client-ca-file="+nothing), "has no certificate"},
		{"kube-apiserver", p.flags(free, "--client-ca-file=/not/there"), "--client-ca-file: open /not/there"},
		{"kube-apiserver", p.flags(free, "--service-account-key-file="+nothing), "nothing has no key"},
		{"kube-apiserver", p.flags(free, "--service-account-key-file="+cut), "CERTIFICATE: x509"},
		{"kube-apiserver", p.flags(free, "--service-account-signing-key-file="+filepath.Join(p.dir, "sa.crt")),
			"has no private key"},
		{"kube-apiserver", p.flags(free, "--tls-cert-file="+cut), "are needed together"},
		{"kube-apiserver", p.flags(free, "--tls-cert-file="+expired, "--tls-private-key-file="+itsKey),
			"late.crt: the certificate has expired on 20"},
		{"kube-apiserver", p.flags(free, "--tls-cert-file="+expired,
			"--tls-private-key-file="+filepath.Join(p.dir, "sa.key")), "private key does not match public key"},
		{"kube-apiserver", p.flags(free, "--cert-dir="+filepath.Join(nothing, "x")), "--cert-dir: "},
		{"kube-apiserver", p.flags(free, "--feature-gates=Nothing=true"), "unrecognized feature gate: Nothing"},
		{"kube-apiserver", p.flags(free, "--feature-gates=WatchList=perhaps"), "invalid value of WatchList=perhaps"},
		{"kube-apiserver", p.flags(free, "--feature-gates=ConsistentListFromCache=false"), "feature is locked to true"},
		{"kube-apiserver", p.flags(free, "--feature-gates=OpenAPIEnums=false"), "OpenAPIEnums=false cannot be had here"},
		{"kube-apiserver", p.flags(free, "--enable-admission-plugins=Nothing"), `plugin "Nothing" is unknown`},
		{"kube-apiserver", p.flags(free, "--enable-admission-plugins=AlwaysPullImages"),
			"AlwaysPullImages does not run here"},
		{"kube-apiserver", p.flags(free, "--runtime-config=batch/v2=true"), "batch/v2=true cannot be had here"},
		{"kube-apiserver", p.flags(free, "--runtime-config=rbac.authorization.k8s.io/v1=false"), "needs that group"},
		{"kube-apiserver", p.flags(free, "--authorization-mode=ABAC"), "ABAC cannot be had here"},
		{"kube-apiserver", p.flags(free, "--authorization-mode=Nothing"), `"Nothing" is not a valid mode`},
		{"kube-apiserver", p.flags(free, "--oidc-issuer-url=https://x"), "--oidc-issuer-url=https://x cannot be had here"},
		{"kube-apiserver", p.flags(free, "--audit-log-path=-", "--audit-policy-file="+policy), `Unsupported value: "Much"`},
		{"kube-apiserver", p.flags(free, "--service-cluster-ip-range=fd00::/112"), "addresses of IPv4 only"},
		{"kube-apiserver", other.flags(free), "is not the etcd that belongs"},
		{"kube-apiserver", p.flags(free), "is in use by another"},
		{"etcd", []string{"--data-dir=" + p.data}, "is in use by another etcd"},
		{"etcd", []string{"--data-dir=" + filepath.Join(nothing, "x")}, "--data-dir: mkdir"},
		{"etcd", []string{"--data-dir=" + t.TempDir(), "--listen-client-urls=http://127.0.0.1:" + etcdPort},
			"address already in use"},
		{"etcd", []string{"--data-dir=" + t.TempDir(), "--listen-client-urls=https://127.0.0.1:0"}, "speaks HTTP only"},
		{"etcd", []string{"--data-dir"}, "flag needs an argument: --data-dir"},
	} {
		end := start(t, filepath.Join(p.assets, c.program), c.args...)
		if status := end.end(t); status != 1 || !strings.Contains(end.said.String(), c.want) {
			t.Errorf("%s %s\nended with %d: %s\nwant %s", c.program, c.args, status, end.said, c.want)
		}
	}
	p.server.stop(t)
}

// TestInstall keeps what is there, and says what is missing.
func TestInstall(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	real := filepath.Join(dir, fileName("etcd"))
	if err := os.WriteFile(real, []byte("real"), 0o600); err != nil {
		t.Fatal(err)
	}
	var said lockedBuffer
	err = Install(Options{Dir: dir, Source: own, Out: &said, Notes: &said})
	if err == nil || !strings.Contains(err.Error(), "is there already, and is not of Tabernetes") {
		t.Errorf("a directory with another etcd: %v", err)
	}
	if text, err := os.ReadFile(real); string(text) != "real" || err != nil {
		t.Errorf("it is %q, %v", text, err)
	}
	if err := Install(Options{Source: own, Out: &said, Notes: &said}); err == nil ||
		!strings.Contains(err.Error(), "--dir D is missing") {
		t.Errorf("without a directory: %v", err)
	}
	t.Setenv("PATH", "")
	root := t.TempDir()
	o := Options{Dir: root, Store: true, Source: own, Out: &said, Notes: &said,
		Settings: program.Settings{Latency: time.Second, Seed: 7}}
	for range 2 { // the second time over the first
		if err := Install(o); err != nil {
			t.Fatal(err)
		}
	}
	store := filepath.Join(root, "k8s", "1.36.3-"+runtime.GOOS+"-"+runtime.GOARCH)
	s, err := program.ReadSettings(store, func(string) string { return "" })
	if err != nil || s.Latency != time.Second || s.Seed != 7 {
		t.Errorf("the settings are %+v, %v", s, err)
	}
	none := start(t, filepath.Join(store, fileName("kubectl")), "get", "pods")
	status := none.end(t)
	if status != 1 || !strings.Contains(none.said.String(), "there was no kubectl on this machine") {
		t.Errorf("kubectl ends with %d: %s", status, none.said)
	}
}

func TestStoreDir(t *testing.T) {
	env := func(values ...string) func(string) string {
		return func(name string) string {
			for i := 0; i < len(values); i += 2 {
				if values[i] == name {
					return values[i+1]
				}
			}
			return ""
		}
	}
	for _, c := range []struct {
		system string
		getenv func(string) string
		want   []string
	}{
		{"linux", env("HOME", "h"), []string{"h", ".local", "share", "kubebuilder-envtest"}},
		{"linux", env("HOME", "h", "XDG_DATA_HOME", "d"), []string{"d", "kubebuilder-envtest"}},
		{"darwin", env("HOME", "h"), []string{"h", "Library", "Application Support", "io.kubebuilder.envtest"}},
		{"windows", env("LocalAppData", "l"), []string{"l", "kubebuilder-envtest"}},
		{"linux", env(), nil},
	} {
		got, err := storeDir(c.system, c.getenv)
		if got != filepath.Join(c.want...) || (err != nil) != (c.want == nil) {
			t.Errorf("%s: %q, %v", c.system, got, err)
		}
	}
}
