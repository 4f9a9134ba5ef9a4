package hostile

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/devserver/room/edge/edgetest"
	"github.com/tabernetes/tabernetes/devserver/torture"
)

const root = "../../.."

// quota is that of the server's own cluster, in bytes, which the tests leave alone.
const quota = 64 << 20

// patience bounds waiting, however slow the machine is.
const patience = 3 * time.Minute

// A host is a server of rooms in a process of its own.
type host struct {
	*testing.T
	url     string
	process int
	edge    bool
}

// native starts a devserver.
func native(t *testing.T) *host {
	if runtime.GOOS != "linux" {
		t.Skip("the addresses 127.0.0.2 and so on, and the memory of a process, are those of Linux")
	}
	at, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	binary, err := torture.Build(at, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	server := exec.Command(binary, "--api-only", "--rooms", "--addr", "127.0.0.1:0", "--quota", strconv.Itoa(quota))
	server.Stderr = os.Stderr
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Process.Kill(); err != nil {
			t.Errorf("the server has ended: %v", err)
		}
		_ = server.Wait() // it was killed
	})
	h := &host{T: t, process: server.Process.Pid}
	for lines := bufio.NewScanner(out); h.url == "" && lines.Scan(); {
		h.url, _ = strings.CutPrefix(lines.Text(), "listening on ")
	}
	if h.url == "" {
		t.Fatal("the server does not say where it listens")
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return h
}

// atTheEdge starts the engine of the rooms at the edge.
func atTheEdge(t *testing.T) *host {
	url, _ := edgetest.Start(t, root, t.TempDir(), nil, nil)
	return &host{T: t, url: url, process: child("workerd"), edge: true}
}

// child returns a process of this name that this one has started; 0 if there is none.
func child(name string) int {
	all, _ := filepath.Glob("/proc/[0-9]*/stat") // none without /proc
	for _, file := range all {
		text, _ := os.ReadFile(file)
		var id, parent int
		var called, state string
		if _, err := fmt.Sscan(string(text), &id, &called, &state, &parent); err == nil &&
			called == "("+name+")" && parent == os.Getpid() {
			return id
		}
	}
	return 0
}

// memory returns how many bytes of memory the server has at present, and has had at most; 0 if it is not known.
func (h *host) memory() (now, most int64) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", h.process))
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(text)) {
		for name, to := range map[string]*int64{"VmRSS:": &now, "VmHWM:": &most} {
			if value, ok := strings.CutPrefix(line, name); ok {
				kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
				*to = kib << 10
			}
		}
	}
	return now, most
}

// A person makes requests from an address of its own.
type person struct {
	*host
	name  string // of its Member
	token string
	// at is the URL of its room, without a slash at its end.
	at     string
	client *http.Client
	dialer net.Dialer
}

// person returns one whose address is 127.0.0.n.
func (h *host) person(n byte) *person {
	p := &person{host: h, dialer: net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, n)}}}
	// workerd closes connections that were idle for 5 s, and what is written to one then is not answered.
	transport := &http.Transport{
		DialContext: p.dialer.DialContext, MaxIdleConnsPerHost: 8, IdleConnTimeout: 3 * time.Second,
	}
	p.client = &http.Client{Transport: transport, Timeout: time.Minute}
	h.Cleanup(transport.CloseIdleConnections)
	return p
}

// An answer is one of a server.
type answer struct {
	code int
	text []byte
	// again is after how long a refused request may be repeated.
	again time.Duration
}

func (a answer) String() string { return fmt.Sprintf("%d %.250s", a.code, a.text) }

// into decodes an answer, which has to be as expected.
func (a answer) into(t *testing.T, v any) {
	t.Helper()
	if err := json.Unmarshal(a.text, v); err != nil {
		t.Fatalf("%v: %v", a, err)
	}
}

// try makes a request.
func (p *person) try(ctx context.Context, method, path string, body []byte) (answer, error) {
	r, err := http.NewRequestWithContext(ctx, method, p.at+path, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	r.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	if p.token != "" {
		r.Header.Set("Authorization", "Bearer "+p.token)
	}
	res, err := p.client.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	seconds, _ := strconv.Atoi(res.Header.Get("Retry-After")) // none: 0
	return answer{res.StatusCode, text, time.Duration(seconds) * time.Second}, err
}

// ask makes a request, again after as long as a 429 says or if its connection was closed.
func (p *person) ask(method, path, body string) answer {
	p.Helper()
	for end := time.Now().Add(patience); ; {
		a, err := p.try(p.Context(), method, path, []byte(body))
		cut := errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)
		switch {
		case time.Now().After(end), err != nil && !cut, err == nil && a.code != http.StatusTooManyRequests:
			if err != nil {
				a = answer{text: []byte(err.Error())}
			}
			return a
		}
		wait := time.NewTimer(max(a.again, 50*time.Millisecond))
		select {
		case <-wait.C:
		case <-p.Context().Done():
		}
	}
}

// wants is ask for an answer with a code, whose failure is one of the test at a point.
func (p *person) wants(code int, point, method, path, body string) answer {
	p.Helper()
	a := p.ask(method, path, body)
	if a.code != code {
		p.Errorf("%s: %s %s: %v, want %d", point, method, path, a, code)
	}
	return a
}

const (
	sandbox    = "/apis/" + wellknown.Group + "/v1"
	theRoom    = sandbox + "/rooms/default"
	configMaps = "/api/v1/namespaces/default/configmaps"
	crds       = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
)

// opens opens a room, whose teacher the person is then.
func (p *person) opens() {
	p.Helper()
	var opened struct{ Path, Token string }
	p.at = p.url
	a := p.ask("POST", "/rooms", "")
	if a.code != http.StatusCreated {
		p.Fatalf("opening a room: %v", a)
	}
	a.into(p.T, &opened)
	p.at, p.token = p.url+strings.TrimSuffix(opened.Path, "/"), opened.Token
}

// A link is an invitation.
type link struct{ name, token string }

// invites makes a link.
func (p *person) invites(point string) link {
	p.Helper()
	a := p.wants(http.StatusCreated, point, "POST", theRoom+"/invite", `{"role":"learner"}`)
	var made struct {
		Metadata struct{ Name string }
		Status   struct{ Token string }
	}
	if a.code == http.StatusCreated {
		a.into(p.T, &made)
	}
	return link{made.Metadata.Name, made.Status.Token}
}

// joins joins a room by a link, or returns the answer that refuses it.
func (p *person) joins(room *person, by link, called string) answer {
	p.at, p.token = room.at, by.token
	a := p.ask("POST", theRoom+"/join", fmt.Sprintf(`{"displayName":%q}`, called))
	p.joined(a)
	return a
}

// joined takes the name and the token of an answer that has them.
func (p *person) joined(a answer) {
	var made struct {
		Spec   struct{ Member string }
		Status struct{ Token string }
	}
	if a.code == http.StatusCreated {
		a.into(p.T, &made)
		p.name, p.token = made.Spec.Member, made.Status.Token
	}
}

// watches opens a watch, which stays open until the test ends, and returns the code of its answer.
func (p *person) watches(ctx context.Context) (code int, err error) {
	address := strings.TrimPrefix(p.url, "http://")
	conn, err := p.dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return 0, err
	}
	p.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return 0, err
	}
	fmt.Fprintf(conn, "GET %s%s?watch=1 HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n",
		strings.TrimPrefix(p.at, p.url), configMaps, address, p.token)
	if _, err := fmt.Fscanf(conn, "HTTP/1.1 %d", &code); err != nil || code != http.StatusOK {
		return code, errors.Join(err, conn.Close())
	}
	return code, nil
}
