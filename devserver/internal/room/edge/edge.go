// Package edge runs rooms on workerd, the engine of Durable Objects, on this machine: it writes the engine's
// configuration for what the site's builder has made, starts it, and ends it.
//
// Invariants: what a room has acknowledged is in the data directory, however the engine ends. One engine at a time uses
// a data directory.
package edge

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/template"
	"time"
)

// compatibilityDate is that of the engine's behaviour, for the local engine and on an account.
const compatibilityDate = "2026-11-17"

// grace is how long requests may take to end after the end was asked for. Streams are cut then.
const grace = 2 * time.Second

// An Engine is what to run. All paths are absolute.
type Engine struct {
	// Binary is the engine's.
	Binary string
	// Dir has what site.Builder.Edge has made, and gets the configuration. Site is the folder of the site.
	Dir, Site string
	// Data keeps the rooms.
	Data string
	// Addr is where to listen; port 0 takes a free one.
	Addr string
	// Certificate and Key are PEM, for HTTPS; empty: HTTP.
	Certificate, Key []byte
	// AllowedHosts are names for which rooms are served besides the loopback names and the host of Addr, and
	// AllowedOrigins the pages from elsewhere that may use them.
	AllowedHosts, AllowedOrigins []string
	// HostKey gives those who show it a teacher's token of any room.
	HostKey string
	// Out is where the engine's messages go.
	Out io.Writer
}

// Each event that a watch delivers leaves 1 KB behind outside of V8's heap, until V8 collects its young objects. It
// gives them many megabytes by default: then 80,000 events take 107 MiB, and with this 25.
var configuration = template.Must(template.New("").Parse(`using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  v8Flags = ["--max-semi-space-size=2"], # MiB
  services = [
    (name = "main", worker = .main),
    (name = "site", worker = .site),
    (name = "files", disk = (writable = false)),
    (name = "data", disk = (writable = true)),
  ],
  sockets = [
    (name = "control", http = (), service = (name = "main", entrypoint = "control")),
{{- if .Certificate}}
    (name = "http", service = "main", https = (
      options = (),
      tlsOptions = (keypair = (privateKey = embed "tls-key.pem", certificateChain = embed "tls.pem")),
    )),
{{- else}}
    (name = "http", service = "main", http = ()),
{{- end}}
  ],
);

const main :Workerd.Worker = (
  modules = [
    (name = "main.js", esModule = embed "main.js"),
    (name = "wasm_exec.js", esModule = embed "wasm_exec.js"),
    (name = "tabernetes.wasm", wasm = embed "tabernetes.wasm"),
    (name = "front.wasm", wasm = embed "front.wasm"),
  ],
  compatibilityDate = "{{.Date}}",
  compatibilityFlags = ["request_signal_passthrough"],
  durableObjectNamespaces = [(className = "Room", uniqueKey = "rooms", enableSql = true)],
  durableObjectStorage = (localDisk = "data"),
  bindings = [
    (name = "ROOMS", durableObjectNamespace = "Room"),
    (name = "ASSETS", service = "site"),
    (name = "LISTENING_ON", fromEnvironment = "LISTENING_ON"),
    (name = "ALLOWED_HOSTS", fromEnvironment = "ALLOWED_HOSTS"),
    (name = "ALLOWED_ORIGINS", fromEnvironment = "ALLOWED_ORIGINS"),
    (name = "HOST_KEY", fromEnvironment = "HOST_KEY"),
  ],
);

const site :Workerd.Worker = (
  modules = [
    (name = "assets.js", esModule = embed "assets.js"),
    (name = "files.json", json = embed "files.json"),
  ],
  compatibilityDate = "{{.Date}}",
  bindings = [(name = "DISK", service = "files")],
);
`))

// configure writes the configuration, and returns its file. Where to listen and what the folders are is not in it.
func (e *Engine) configure() (string, error) {
	var text bytes.Buffer
	err := configuration.Execute(&text, struct {
		*Engine
		Date string
	}{e, compatibilityDate})
	if err != nil {
		return "", err
	}
	made := map[string][]byte{"config.capnp": text.Bytes()}
	file := filepath.Join(e.Dir, "config.capnp")
	if len(e.Certificate) > 0 {
		file = filepath.Join(e.Dir, "config-tls.capnp")
		made = map[string][]byte{"config-tls.capnp": text.Bytes(), "tls.pem": e.Certificate, "tls-key.pem": e.Key}
	}
	for name, data := range made {
		if err := os.WriteFile(filepath.Join(e.Dir, name), data, 0o600); err != nil {
			return "", err
		}
	}
	return file, nil
}

// control returns the socket over which the engine is asked to end: its path has to be short.
func (e *Engine) control() (string, error) {
	name := fmt.Sprintf("tabernetes-%x", sha256.Sum256([]byte(e.Data)))
	socket := filepath.Join(os.TempDir(), name[:30])
	if err := os.Remove(socket); err != nil && !errors.Is(err, fs.ErrNotExist) { // of an engine that was killed
		return "", err
	}
	return socket, nil
}

// mostEnds is how often the engine may end by itself within the time endsWithin; then it is not started again.
const (
	mostEnds   = 5
	endsWithin = 2 * time.Minute
)

// Run runs the engine until ctx ends, and starts it again when it ends by itself: at the same port, with the rooms that
// it had. An engine that does not come to listen, or ends too often, is an error. listening is called with the port
// when it listens for the first time.
func (e *Engine) Run(ctx context.Context, listening func(port int)) error {
	for _, dir := range []string{e.Data, e.Site} { // without a site there are rooms only
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	config, err := e.configure()
	if err != nil {
		return err
	}
	addr, first := e.Addr, true
	var ends []time.Time
	for {
		port, why := e.once(ctx, config, addr, func(port int) {
			if first {
				listening(port)
			}
		})
		select {
		case <-ctx.Done():
			return nil // it was asked to end, however it did
		case <-time.After(grace / 4): // a signal may reach the engine before this process
		}
		if port == 0 {
			return errors.Join(errors.New("workerd has ended before it listened"), why)
		}
		first = false
		host, _, _ := net.SplitHostPort(e.Addr) // the engine has listened there
		addr = net.JoinHostPort(host, strconv.Itoa(port))
		now := time.Now()
		ends = slices.DeleteFunc(append(ends, now), func(t time.Time) bool { return now.Sub(t) > endsWithin })
		if len(ends) >= mostEnds {
			return errors.Join(fmt.Errorf("workerd has ended by itself %d times within %v: the rooms are kept in %s, and "+
				"its messages are above", len(ends), endsWithin, e.Data), why)
		}
		fmt.Fprintf(e.Out, "workerd has ended by itself (%v); it is started again on %s\n", why, addr)
	}
}

// once runs the engine until ctx or it ends. It returns the port at which the engine has listened, 0 if it has not, and
// why it has ended.
func (e *Engine) once(ctx context.Context, config, addr string, listening func(port int)) (port int, _ error) {
	socket, err := e.control()
	if err != nil {
		return 0, err
	}
	defer os.Remove(socket)
	events, control, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer events.Close()
	command := exec.CommandContext(ctx, e.Binary, "serve", "--experimental", "--control-fd=3",
		"--socket-addr=http="+addr, "--socket-addr=control=unix:"+socket,
		"--directory-path=files="+e.Site, "--directory-path=data="+e.Data, config)
	command.Stdout, command.Stderr = e.Out, e.Out
	command.ExtraFiles = []*os.File{control}
	command.SysProcAttr = attributes()
	command.Env = append(os.Environ(), "LISTENING_ON="+addr, "ALLOWED_HOSTS="+strings.Join(e.AllowedHosts, " "),
		"ALLOWED_ORIGINS="+strings.Join(e.AllowedOrigins, " "), "HOST_KEY="+e.HostKey)
	command.Cancel = func() error {
		endStreams(socket)
		return command.Process.Signal(syscall.SIGTERM)
	}
	command.WaitDelay = grace
	// The engine's process may end with the thread that starts it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err = command.Start()
	_ = control.Close()
	if err != nil {
		return 0, err
	}
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		for lines := bufio.NewScanner(events); lines.Scan(); {
			var event struct {
				Event, Socket string
				Port          int
			}
			if json.Unmarshal(lines.Bytes(), &event) == nil && event.Event == "listen" && event.Socket == "http" {
				port = event.Port
				listening(event.Port)
			}
		}
	}()
	why := command.Wait()
	<-heard // the engine's end of the pipe is closed
	if why == nil {
		why = errors.New("exit status 0")
	}
	return port, why
}

// endStreams has the engine end the streams of all rooms. It ends anyway, so an engine that does not answer is no
// failure.
func endStreams(socket string) {
	ctx, cancel := context.WithTimeout(context.Background(), grace/2)
	defer cancel()
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}
	client := http.Client{Transport: &http.Transport{DialContext: dial}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://control/", nil)
	if err != nil {
		return
	}
	if response, err := client.Do(request); err == nil {
		_ = response.Body.Close()
	}
	client.CloseIdleConnections()
}

// Binary returns the engine that is installed in the project.
func Binary(root string) (string, error) {
	system, processor := runtime.GOOS, map[string]string{"amd64": "64", "arm64": "arm64"}[runtime.GOARCH]
	name := "workerd"
	if system == "windows" {
		name += ".exe"
	}
	file := filepath.Join(root, "node_modules", "@cloudflare", "workerd-"+system+"-"+processor, "bin", name)
	if _, err := os.Stat(file); err != nil {
		return "", fmt.Errorf("workerd is not installed (npm ci): %w", err)
	}
	return file, nil
}
