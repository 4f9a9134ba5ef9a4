// Package edgetest starts the engine of the rooms at the edge for tests, with what make test-edge-build has built.
//
// It costs a second for each start.
package edgetest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/tabernetes/tabernetes/devserver/internal/room/edge"
)

// Built is the environment variable with the folder in which devserver edge has built, as seen from the project. Site
// is that of the built site; without it, it is beside the rest.
const (
	Built = "TABERNETES_EDGE"
	Site  = "TABERNETES_DIST"
)

// HostKey is the key of the host that runs.
const HostKey = "AAAAAAAAAAAAAAAAAAAAAA"

// Folder returns the folder that Built names. A test without one is skipped. root is the path of the project.
func Folder(t *testing.T, root string) string {
	t.Helper()
	out := os.Getenv(Built)
	if out == "" {
		t.Skip(Built + " names no folder with what devserver edge has built")
	}
	return absolute(t, root, out)
}

// absolute returns a path as seen from the project.
func absolute(t *testing.T, root, path string) string {
	t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(root, path)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Start runs an engine on a data directory, over HTTPS if there are a certificate and its key, as PEM. It returns the
// engine's URL and what ends it, which the end of the test does too.
func Start(t *testing.T, root, data string, certificate, key []byte) (url string, end func()) {
	t.Helper()
	Folder(t, root)
	binary, err := edge.Binary(root)
	if err != nil {
		t.Fatal(err)
	}
	return StartBinary(t, root, binary, data, certificate, key)
}

// StartBinary is Start with a program in the place of the engine's.
func StartBinary(t *testing.T, root, binary, data string, certificate, key []byte) (url string, end func()) {
	t.Helper()
	out := Folder(t, root)
	var said bytes.Buffer
	e := &edge.Engine{
		Binary: binary, Dir: out, Site: absolute(t, root, cmp.Or(os.Getenv(Site), filepath.Join(out, "site"))), Data: data,
		Addr: "127.0.0.1:0", Out: &said, Certificate: certificate, Key: key, HostKey: HostKey,
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended, ports := make(chan error, 1), make(chan int, 1)
	go func() { ended <- e.Run(ctx, func(port int) { ports <- port }) }()
	select {
	case port := <-ports:
		url = fmt.Sprintf("http://127.0.0.1:%d", port)
		if len(certificate) > 0 {
			url = fmt.Sprintf("https://127.0.0.1:%d", port)
		}
	case err := <-ended:
		cancel()
		t.Fatalf("%v\n%s", err, &said)
	}
	once := false
	end = func() {
		if once {
			return
		}
		once = true
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("%v\n%s", err, &said)
		}
		if t.Failed() {
			t.Logf("the engine said:\n%s", &said)
		}
	}
	t.Cleanup(end)
	return url, end
}
