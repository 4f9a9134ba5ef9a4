// Package etcd is the etcd of the pair: it stands where test frameworks start an etcd, and keeps the place of the
// cluster. The API server keeps the objects itself, in the directory that this one names: nothing speaks etcd's
// protocol here, and a client that tries gets an error that says so.
//
// Invariants: the directory belongs to one etcd at a time. What it reports about itself at DataPath is for the API
// server of the pair. It costs a process that waits.
package etcd

import (
	"context"
	_ "embed" // for flags.txt
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/devserver/envtest/internal/flags"
	"github.com/tabernetes/tabernetes/devserver/envtest/internal/program"
	"github.com/tabernetes/tabernetes/devserver/internal/filelock"
)

//go:embed flags.txt
var table string

// Name is the name of the program.
const Name = "etcd"

// DataPath is where it answers with its Data, in JSON.
const DataPath = "/tabernetes/envtest/data"

// Data is what the API server has to know.
type Data struct {
	// Dir is the directory of the cluster, absolute.
	Dir string `json:"dir"`
	// Unsynced is set if writes need not be on the disk when they are answered.
	Unsynced bool `json:"unsynced,omitempty"`
	// Quota is how much memory the objects and their history may take, in bytes; 0: the default.
	Quota int64 `json:"quota,omitempty"`
}

// Program returns the program.
func Program() *program.Program {
	return &program.Program{
		Name: Name, Version: "etcd Version: " + program.EtcdVersion, Table: flags.ReadTable(table), Run: run,
		Head: "Tabernetes' stand-in for etcd: it keeps the place of a cluster whose objects the kube-apiserver beside\n" +
			"it writes. It does not speak etcd's protocol.\n\nUsage:\n  etcd [flags]\n\nFlags:\n",
		Temporary: []string{"data-dir"},
	}
}

// run serves until ctx is done.
func run(ctx context.Context, v *flags.Values, _ program.Settings) error {
	data := Data{Unsynced: v.Bool("unsafe-no-fsync", false)}
	quota, err := v.Int("quota-backend-bytes", 0)
	if err != nil {
		return err
	}
	data.Quota = max(0, int64(quota))
	if data.Dir, err = filepath.Abs(v.Text("data-dir", "default.etcd")); err != nil {
		return fmt.Errorf("--data-dir: %w", err)
	}
	if err := os.MkdirAll(data.Dir, 0o700); err != nil {
		return fmt.Errorf("--data-dir: %w", err)
	}
	lock, err := filelock.Lock(filepath.Join(data.Dir, "etcd.lock"))
	if errors.Is(err, filelock.ErrLocked) {
		return fmt.Errorf("--data-dir: %s is in use by another etcd", data.Dir)
	}
	if err != nil {
		return fmt.Errorf("--data-dir: %w", err)
	}
	defer lock.Close()

	clients, err := listen("listen-client-urls", v, "http://localhost:2379")
	if err != nil {
		return err
	}
	defer closeAll(clients)
	peers, err := listen("listen-peer-urls", v, "http://localhost:2380")
	if err != nil {
		return err
	}
	defer closeAll(peers)

	server := &http.Server{Handler: handler(data), ReadHeaderTimeout: 10 * time.Second, Protocols: new(http.Protocols)}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true) // as etcd's clients speak it
	failed := make(chan error, len(clients))
	for _, l := range clients {
		fmt.Fprintln(os.Stderr, "etcd: serving on", l.Addr())
		go func() { failed <- server.Serve(l) }()
	}
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	return errors.Join(err, server.Close())
}

func closeAll(all []net.Listener) {
	for _, l := range all {
		_ = l.Close() // nothing is written there any more
	}
}

// listen opens the ports of a flag.
func listen(name string, v *flags.Values, otherwise string) (all []net.Listener, err error) {
	urls := v.List(name)
	if len(urls) == 0 {
		urls = []string{otherwise}
	}
	for _, text := range urls {
		u, err := url.Parse(text)
		if err != nil || u.Host == "" {
			closeAll(all)
			return nil, fmt.Errorf("--%s: %q is no URL", name, text)
		}
		if u.Scheme != "http" {
			closeAll(all)
			return nil, fmt.Errorf("--%s: %s: the stand-in speaks HTTP only, as test frameworks ask for", name, text)
		}
		l, err := net.Listen("tcp", u.Host)
		if err != nil {
			closeAll(all)
			return nil, fmt.Errorf("--%s: %w", name, err)
		}
		all = append(all, l)
	}
	return all, nil
}

// notEtcd is the answer to others than the API server of the pair.
const notEtcd = "this is Tabernetes' stand-in for etcd: the objects are in the API server beside it, and nothing " +
	"else can be read or written here"

// handler answers requests.
func handler(data Data) http.Handler {
	answer := func(w http.ResponseWriter, value any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(value) // a client that left is no concern of ours
	}
	mux := http.NewServeMux()
	for _, path := range []string{"/health", "/livez", "/readyz"} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			answer(w, map[string]string{"health": "true", "reason": ""})
		})
	}
	mux.HandleFunc("/version", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]string{"etcdserver": program.EtcdVersion, "etcdcluster": "3.6.0", "storage": "3.6.0"})
	})
	mux.HandleFunc(DataPath, func(w http.ResponseWriter, _ *http.Request) { answer(w, data) })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
			w.Header().Set("Content-Type", "application/grpc")
			w.Header().Set("Grpc-Status", "12") // UNIMPLEMENTED
			w.Header().Set("Grpc-Message", notEtcd)
			return
		}
		http.Error(w, notEtcd, http.StatusNotFound)
	})
	return mux
}

// wait is how long the API server waits for its etcd, and interval the time between two tries.
const (
	wait     = 20 * time.Second
	interval = 50 * time.Millisecond
)

// Find returns the Data of the first of some etcds that answers, for which it waits.
func Find(ctx context.Context, servers []string) (Data, error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for {
		var failed error
		for _, server := range servers {
			data, err := ask(ctx, server)
			if stranger := (*strangerError)(nil); err == nil || errors.As(err, &stranger) {
				return data, err
			}
			failed = err
		}
		if clock.Sleep(ctx, clock.Real(), interval) != nil {
			return Data{}, fmt.Errorf("--etcd-servers: none has answered: %w", failed)
		}
	}
}

// A strangerError says that an etcd is not the one of the pair.
type strangerError struct{ server string }

func (e *strangerError) Error() string {
	return "--etcd-servers: " + e.server + " is not the etcd that belongs to this kube-apiserver: start the one beside it"
}

// ask asks one etcd.
func ask(ctx context.Context, server string) (data Data, err error) {
	if !strings.Contains(server, "://") {
		server = "http://" + server
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(server, "/")+DataPath, nil)
	if err != nil {
		return data, err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // no proxy: it is on this machine
	answer, err := client.Do(r)
	if err != nil {
		return data, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK || json.NewDecoder(answer.Body).Decode(&data) != nil || data.Dir == "" {
		return data, &strangerError{server}
	}
	return data, nil
}
