package record

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/devserver/internal/record/kubeconfig"
)

var (
	minutes = flag.Float64("minutes", 5, "how long a real server is recorded")
	pace    = flag.Int("pace", 40, "how many writes each of the 8 writers makes in a second")
)

// realDir is a directory with kube-apiserver and etcd; without it the test is skipped.
const realDir = "TABERNETES_REAL"

// A real is a real server, and what was started for it.
type real struct {
	t                    *testing.T
	bin, dir, kubeconfig string
	etcd, port           string
	api                  *exec.Cmd
}

// freePort returns a port that is free.
func freePort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// command starts a program, which is ended with the test.
func (s *real) command(name string, args ...string) *exec.Cmd {
	s.t.Helper()
	out, err := os.Create(filepath.Join(s.dir, fmt.Sprintf("%s-%d.log", filepath.Base(name), time.Now().UnixNano())))
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		_ = out.Close()
	})
	return cmd
}

// startReal starts etcd and a server.
func startReal(t *testing.T, bin string) *real {
	s := &real{t: t, bin: bin, dir: t.TempDir(), port: freePort(t), etcd: "http://127.0.0.1:" + freePort(t)}
	peer := "http://127.0.0.1:" + freePort(t)
	s.kubeconfig = filepath.Join(s.dir, "kubeconfig")
	for name, text := range map[string]string{
		"tokens.csv": "recorder,admin,admin,\"system:masters\"\n",
		"kubeconfig": fmt.Sprintf(`{"current-context": "real", "contexts": [{"name": "real",
 "context": {"cluster": "c", "user": "u"}}],
"clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:%s", "insecure-skip-tls-verify": true}}],
"users": [{"name": "u", "user": {"token": "recorder"}}]}`, s.port),
	} {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("openssl", "genrsa", "-out", filepath.Join(s.dir, "sa.key"),
		"2048").CombinedOutput(); err != nil {
		t.Fatalf("openssl: %v\n%s", err, out)
	}
	s.command(filepath.Join(bin, "etcd"), "--data-dir", filepath.Join(s.dir, "etcd"), "--listen-client-urls", s.etcd,
		"--advertise-client-urls", s.etcd, "--listen-peer-urls", peer, "--log-level", "error")
	s.startServer()
	return s
}

// startServer starts the server, and waits until it is ready.
func (s *real) startServer() {
	s.t.Helper()
	key := filepath.Join(s.dir, "sa.key")
	s.api = s.command(filepath.Join(s.bin, "kube-apiserver"), "--etcd-servers="+s.etcd, "--secure-port="+s.port,
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--cert-dir="+filepath.Join(s.dir, "certs"),
		"--token-auth-file="+filepath.Join(s.dir, "tokens.csv"), "--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file="+key, "--service-account-signing-key-file="+key, "--authorization-mode=RBAC",
		"--disable-admission-plugins=ServiceAccount", "--service-cluster-ip-range=10.0.0.0/24",
		"--enable-priority-and-fairness=false", "--endpoint-reconciler-type=none")
	c := s.client()
	until(s.t, "the server is ready", func() bool {
		answer, err := c.open(s.t.Context(), "/readyz", nil)
		if err == nil {
			_ = answer.Body.Close()
		}
		return err == nil
	})
}

// until waits for something that other processes do.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !done(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("waited in vain until ", what)
		}
	}
}

func (s *real) kill() {
	_ = s.api.Process.Kill()
	_ = s.api.Wait()
}

func (s *real) client() *client {
	s.t.Helper()
	target, err := kubeconfig.Load(s.kubeconfig, "")
	if err != nil {
		s.t.Fatal(err)
	}
	return &client{server: target.Server, http: target.Client, lists: make(chan struct{}, 4)}
}

// do makes a write, and returns the answer's object, or nil.
func (c *client) do(ctx context.Context, method, path, body string) (int, []byte) {
	r, err := http.NewRequestWithContext(ctx, method, c.server+path, strings.NewReader(body))
	if err != nil {
		return 0, nil
	}
	r.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return 0, nil
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, nil
	}
	return answer.StatusCode, text
}

const widgets = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
"metadata":{"name":"widgets.example.com"},
"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"widgets","kind":"Widget"},
"versions":[{"name":"v1",
"served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
"x-kubernetes-preserve-unknown-fields":true}}}]}}`

// A kindOfWrite is what a writer writes.
type kindOfWrite struct{ path, bucket, body, patch string }

var writes = []kindOfWrite{
	{"/api/v1/namespaces/default/configmaps", "v1/configmaps", `{"metadata":{"name":%q},"data":{"n":"0"}}`,
		`{"data":{"n":"%d","<&>":"é"}}`},
	{"/api/v1/namespaces/default/secrets", "v1/secrets", `{"metadata":{"name":%q},"stringData":{"n":"hidden-value"}}`,
		`{"stringData":{"n":"hidden-value-%d"}}`},
	{"/apis/example.com/v1/namespaces/default/widgets", "example.com/*/widgets",
		`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":%q},"spec":{"n":0}}`, `{"spec":{"n":%d}}`},
	{"/api/v1/namespaces/default/pods", "v1/pods",
		`{"metadata":{"name":%q},"spec":{"containers":[{"name":"c","image":"i"}]}}`, `{"metadata":{"labels":{"n":"%d"}}}`},
}

// write writes until ctx ends: objects are made, changed some times, and deleted. It notes what was acknowledged, and
// returns how many writes that were, and how many deletions.
func (s *real) write(ctx context.Context, writer int, l *ledger) (n, deletions int) {
	c := s.client()
	tick := time.NewTicker(time.Second / time.Duration(*pace))
	defer tick.Stop()
	for round := 0; ; round++ {
		kind := writes[(writer+round)%len(writes)]
		name := fmt.Sprintf("w%d-%d", writer, round)
		for step := range 12 {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return n, deletions
			}
			var code int
			var text []byte
			switch {
			case step == 0:
				code, text = c.do(context.Background(), "POST", kind.path, fmt.Sprintf(kind.body, name))
			case step < 11:
				code, text = c.do(context.Background(), "PATCH", kind.path+"/"+name, fmt.Sprintf(kind.patch, round*100+step))
			default:
				code, _ = c.do(context.Background(), "DELETE", kind.path+"/"+name, `{"gracePeriodSeconds":0}`)
				if code == 200 {
					deletions++
				}
				continue
			}
			if m, err := readMeta(text); err == nil && (code == 200 || code == 201) {
				n++
				l.add(seen{kind.bucket, "default/" + name, m.rev}, false, bytes.TrimSpace(text))
			}
		}
	}
}

// watch lists and watches a type as another client does, and notes what it sees, until ctx ends. It returns the gaps
// that it had.
func (s *real) watch(ctx context.Context, t *target, l *ledger) (gaps [][2]int64) {
	c := s.client()
	var at int64
	take := func(e event) error {
		m, err := readMeta(e.Object)
		if e.Type == "BOOKMARK" || err != nil {
			return nil
		}
		text, err := t.stored(e.Object, m)
		if err != nil {
			return err
		}
		l.add(seen{t.bucket, t.key(m.Metadata.Namespace, m.Metadata.Name), m.rev}, e.Type == "DELETED", text)
		at = max(at, m.rev)
		return nil
	}
	for ctx.Err() == nil {
		f := &follower{target: t, r: &Recorder{}}
		q := f.query()
		from := at
		rev, _, err := c.list(ctx, t.path(""), q, func(item json.RawMessage) error {
			return take(event{"ADDED", item})
		})
		if err != nil {
			time.Sleep(50 * time.Millisecond)
			continue
		}
		if from > 0 {
			gaps = append(gaps, [2]int64{from, rev})
		}
		at = rev
		for err == nil || codeOf(err) != http.StatusGone {
			q := f.query()
			q.Set("watch", "1")
			q.Set("resourceVersion", fmt.Sprint(at))
			q.Set("timeoutSeconds", "600")
			if err = c.watch(ctx, t.path(""), q, func() {}, take); ctx.Err() != nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	return gaps
}

// record starts the recorder as a process.
func (s *real) record(binary, file string) *exec.Cmd {
	return s.command(binary, "record", "--kubeconfig", s.kubeconfig, "--out", file)
}

// peak returns the most memory that a process has had; "unknown" where that is not said.
func peak(cmd *exec.Cmd) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	if err == nil {
		if m := regexp.MustCompile(`VmHWM:\s*(.*)`).FindSubmatch(text); m != nil {
			return string(m[1])
		}
	}
	return "unknown"
}

// TestRealServer records a real server to which 8 writers write. The server is killed and started again, and so is the
// recorder. What the file has, and what a cluster that opens it replays, is what a watcher has seen and what answers
// writers got, version by version.
func TestRealServer(t *testing.T) {
	bin := os.Getenv(realDir)
	if bin == "" {
		t.Skip(realDir + " names no directory with kube-apiserver and etcd")
	}
	s := startReal(t, bin)
	binary := filepath.Join(s.dir, "devserver")
	if out, err := exec.Command("go", "build", "-o", binary,
		"github.com/tabernetes/tabernetes/devserver").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c := s.client()
	if code, text := c.do(t.Context(), "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
		widgets); code != 201 {
		t.Fatalf("%d %s", code, text)
	}
	until(t, "the custom type is served", func() bool {
		code, _ := c.do(t.Context(), "GET", "/apis/example.com/v1/widgets", "")
		return code == 200
	})
	types := append(builtin(), &target{group: "example.com", version: "v1", plural: "widgets", kind: "Widget",
		namespaced: true, bucket: customBucket("example.com", "widgets")})
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	watched, written := &ledger{versions: map[seen]string{}}, &ledger{versions: map[seen]string{}}
	var all, writers sync.WaitGroup
	var mu sync.Mutex
	gaps := map[string][][2]int64{}
	for _, ty := range types {
		if ty.name() == leasesName {
			continue
		}
		all.Go(func() {
			g := s.watch(ctx, ty, watched)
			mu.Lock()
			gaps[ty.bucket] = g
			mu.Unlock()
		})
	}
	file := filepath.Join(s.dir, "recording.tabernetes")
	recorder := s.record(binary, file)
	until(t, "the recorder has begun", func() bool {
		info, err := os.Stat(file)
		return err == nil && info.Size() > 0
	})
	writing, stopWriting := context.WithCancel(ctx)
	defer stopWriting()
	acknowledged, deletions := 0, 0
	for n := range 8 {
		writers.Go(func() {
			a, d := s.write(writing, n, written)
			mu.Lock()
			acknowledged, deletions = acknowledged+a, deletions+d
			mu.Unlock()
		})
	}
	part := time.Duration(*minutes * float64(time.Minute) / 3)
	time.Sleep(part)
	s.kill()
	time.Sleep(2 * time.Second)
	s.startServer()
	time.Sleep(part)
	t.Logf("before it is killed, the recorder has taken at most %s", peak(recorder))
	_ = recorder.Process.Kill()
	_ = recorder.Wait()
	time.Sleep(2 * time.Second)
	recorder = s.record(binary, file)
	time.Sleep(part)
	stopWriting()
	writers.Wait()
	time.Sleep(2 * time.Second) // for the watcher
	t.Logf("in the end, the recorder has taken at most %s", peak(recorder))
	if err := recorder.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := recorder.Wait(); err != nil {
		t.Error("the recorder: ", err)
	}
	stop()
	all.Wait()
	logs, _ := filepath.Glob(filepath.Join(s.dir, "devserver-*.log"))
	for _, name := range logs {
		text, _ := os.ReadFile(name)
		t.Logf("a recorder said:\n%s", text)
	}
	t.Logf("%d writes were acknowledged, %d of them deletions", acknowledged+deletions, deletions)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(text, []byte("hidden-value")) || bytes.Contains(text, []byte("aGlkZGVuLXZhbHVl")) {
		t.Error("the file has data of Secrets")
	}
	compare(t, text, types, watched, written, gaps)
}
