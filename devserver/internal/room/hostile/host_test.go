package hostile

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/devserver/edgetest"
	"github.com/tabernetes/tabernetes/devserver/internal/torture"
)

const root = "../../../.."

// quota is that of the server's own cluster, in bytes, which the tests leave alone.
const quota = 64 << 20

// patience bounds waiting, however slow the machine is.
const patience = 10 * time.Minute

// hostName is a name for which native servers answer, besides those of this machine. Who uses it is to a server no user
// of the machine, whatever its address: the limits for opening rooms are those of a stranger.
const hostName = "class.test"

// A host is a server of rooms in its own process.
type host struct {
	*testing.T
	url     string
	process int
	edge    bool
	// only names the attacks on it, with commas between them; "": all.
	only string
	// ended is closed when a native server has ended.
	ended chan struct{}
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
	server := exec.Command(binary, "--api-only", "--rooms", "--addr", "127.0.0.1:0", "--quota", strconv.Itoa(quota),
		"--allow-host", hostName)
	server.Stderr = os.Stderr
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	h := &host{T: t, process: server.Process.Pid, ended: make(chan struct{})}
	listening := make(chan string, 1)
	go func() {
		defer close(h.ended)
		defer close(listening)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if url, found := strings.CutPrefix(lines.Text(), "listening on "); found {
				listening <- url
				break
			}
		}
		_, _ = io.Copy(io.Discard, out)
		_ = server.Wait() // however it ends, that it does is what matters
	}()
	t.Cleanup(func() {
		h.runs()
		_ = server.Process.Kill() // it may have ended
		<-h.ended
	})
	if h.url = <-listening; h.url == "" {
		t.Fatal("the server does not say where it listens")
	}
	return h
}

// atTheEdge starts the engine of the rooms at the edge.
func atTheEdge(t *testing.T) *host {
	url, _ := edgetest.Start(t, root, t.TempDir(), nil, nil)
	h := &host{T: t, url: url, process: child("workerd"), edge: true}
	t.Cleanup(h.runs)
	return h
}

// runs checks that the server or the engine is the one that was started: it has not ended, nor was it started again.
func (h *host) runs() {
	h.Helper()
	select {
	case <-h.ended:
		h.Error("restart: the server has ended by itself")
	default:
		if h.edge && child("workerd") != h.process {
			h.Error("restart: the engine has ended by itself")
		}
	}
}

// child returns a process of this name that this one has started, or 0.
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

// forgets makes memory report the most memory in use from now on.
func (h *host) forgets() {
	const most = "5"
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", h.process), []byte(most), 0); err != nil {
		h.Logf("the most memory that the server takes is that since its start: %v", err)
	}
}
