//go:build unix

package edge_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/devserver/edgetest"
	"github.com/tabernetes/tabernetes/devserver/internal/room/edge"
)

// script writes a program for /bin/sh, and returns its file.
func script(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "engine")
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestRunAgain kills the engine: it comes back at its port, with its rooms.
func TestRunAgain(t *testing.T) {
	edgetest.Folder(t, root) // else there is no engine either
	binary, err := edge.Binary(root)
	if err != nil {
		t.Fatal(err)
	}
	if binary, err = filepath.Abs(binary); err != nil {
		t.Fatal(err)
	}
	pid := filepath.Join(t.TempDir(), "pid")
	at, _ := edgetest.StartBinary(t, root, script(t, fmt.Sprintf("echo $$ > %q\nexec %q \"$@\"\n", pid, binary)),
		t.TempDir(), nil, nil)
	one := open(t, at)
	const configMaps = "api/v1/namespaces/default/configmaps"
	for n := range 2 {
		name := fmt.Sprintf(`{"metadata":{"name":"kept-%d"}}`, n)
		if code, body := ask(t, "POST", at+one.Path+configMaps, one.Token, name); code != http.StatusCreated {
			t.Fatalf("%d %s", code, body)
		}
		text, err := os.ReadFile(pid)
		if err != nil {
			t.Fatal(err)
		}
		engine, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(engine, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		answer, code := "", 0
		for range time.Tick(20 * time.Millisecond) { // as a client that tries again
			res, err := get(t.Context(), at+one.Path+configMaps, one.Token)
			if err == nil {
				body, _ := io.ReadAll(res.Body)
				_ = res.Body.Close()
				answer, code = string(body), res.StatusCode
				break
			}
		}
		if code != http.StatusOK || !strings.Contains(answer, fmt.Sprintf(`"kept-%d"`, n)) {
			t.Errorf("after the engine was killed: %d %.300s", code, answer)
		}
	}
}

func get(ctx context.Context, url, token string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	return client.Do(r)
}

// TestRunEnds runs engines that end again and again, and one that does not come to listen.
func TestRunEnds(t *testing.T) {
	for _, c := range []struct {
		name, program string
		starts        int
		says          string
	}{
		{"ends always", `echo start >> "$0.starts"; echo '{"event":"listen","socket":"http","port":7}' >&3; exit 3`, 5,
			"workerd has ended by itself 5 times within 2m0s"},
		{"never listens", `echo start >> "$0.starts"; exit 4`, 1, "before it listened\nexit status 4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir, said := t.TempDir(), &bytes.Buffer{}
			file := script(t, c.program)
			e := &edge.Engine{Binary: file, Dir: dir, Site: dir, Data: dir, Addr: "127.0.0.1:0", Out: said}
			listened := 0
			err := e.Run(context.Background(), func(port int) {
				if listened++; port != 7 {
					t.Errorf("port %d", port)
				}
			})
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("it ends with %v, want %q", err, c.says)
			}
			starts, _ := os.ReadFile(file + ".starts")
			if got := bytes.Count(starts, []byte("start")); got != c.starts {
				t.Errorf("started %d times, want %d", got, c.starts)
			}
			if c.starts > 1 && (listened != 1 || !strings.Contains(said.String(), "started again on 127.0.0.1:7")) {
				t.Errorf("listening was called %d times; it said %s", listened, said)
			}
		})
	}
}

// TestMalformed sends requests of which the engine can make no URL, or another one than they say.
func TestMalformed(t *testing.T) {
	at, _ := start(t, t.TempDir())
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		host, target string
		code         int
	}{
		{u.Host, "/", 200}, {u.Host, "/rooms/0123456789/api?x=%zz", 401}, {"evil.example", "/", 421},
		{"localhost@evil.com", "/", 400}, {"a:b@" + u.Host, "/rooms/0123456789/api", 400}, {"localhost:99999", "/", 400},
		{"localhost:abc", "/", 400}, {"[::1", "/", 400}, {"::1", "/", 400}, {"a b", "/", 400}, {`a\b`, "/", 400},
		{"localhost,evil.com", "/", 400}, {"localhost/rooms", "/", 400}, {"%41", "/", 400},
		{u.Host, "/%zz", 400}, {u.Host, "/rooms/0123456789/%", 400}, {u.Host, "*", 400},
	} {
		conn, err := net.Dial("tcp", u.Host)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", c.target, c.host)
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Errorf("%q %q: %v", c.host, c.target, err)
			continue
		}
		body, _ := io.ReadAll(res.Body)
		_ = conn.Close()
		if res.StatusCode != c.code || c.code == 400 && !bytes.Contains(body, []byte(`"reason":"BadRequest"`)) {
			t.Errorf("%q %q: %s %.200s, want %d", c.host, c.target, res.Status, body, c.code)
		}
	}
}
