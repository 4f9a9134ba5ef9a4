package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"rsc.io/qr"
)

func TestRoomURLs(t *testing.T) {
	addresses := []string{"127.0.0.1", "::1", "fe80::1", "2001:db8::7", "198.51.100.4", "192.168.1.20",
		"10.0.0.4", "nonsense"}
	opened := &net.TCPAddr{IP: net.IPv4zero, Port: 4711}
	for _, c := range []struct {
		o    options
		want string
	}{
		{options{addr: "127.0.0.1:0"}, "http://127.0.0.1:4711"},
		{options{addr: "localhost:0", tls: true}, "https://localhost:4711"},
		{options{addr: "192.168.1.20:0", tls: true}, "https://192.168.1.20:4711"},
		{options{addr: "0.0.0.0:0", tls: true},
			"https://192.168.1.20:4711 https://10.0.0.4:4711 https://198.51.100.4:4711 https://[2001:db8::7]:4711"},
		{options{addr: ":0", tls: true, allowed: []string{"lab.example"}},
			"https://lab.example:4711 https://192.168.1.20:4711 https://10.0.0.4:4711 https://198.51.100.4:4711 " +
				"https://[2001:db8::7]:4711"},
	} {
		if got := strings.Join(c.o.roomURLs(opened, addresses), " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.o.addr, got, c.want)
		}
	}
	o := options{addr: "0.0.0.0:0"}
	if got := o.roomURLs(opened, []string{"127.0.0.1"}); !slices.Equal(got, []string{"http://127.0.0.1:4711"}) {
		t.Errorf("without a network: %v", got)
	}
}

// TestRoomsNeedTLS: over a network that others listen to, tokens are sent encrypted or not at all.
func TestRoomsNeedTLS(t *testing.T) {
	for addr, loopback := range map[string]bool{
		"127.0.0.1:8080": true, "localhost:0": true, "[::1]:8080": true,
		"0.0.0.0:8080": false, ":8080": false, "192.168.1.2:8080": false, "lab.example:80": false, "nonsense": false,
	} {
		plain, secure := options{addr: addr, rooms: true}, options{addr: addr, rooms: true, tls: true}
		if err := plain.checkRooms(); (err == nil) != loopback {
			t.Errorf("%s without TLS: %v", addr, err)
		}
		without := options{addr: addr}
		if err := errors.Join(secure.checkRooms(), without.checkRooms()); err != nil {
			t.Errorf("%s: %v", addr, err)
		}
	}
	if err := run(t.Context(), []string{"--rooms", "--addr", "0.0.0.0:0", "--api-only"}); err != errUsage {
		t.Errorf("the server starts: %v", err)
	}
}

func TestAnnounceRooms(t *testing.T) {
	two := []string{"https://192.168.1.20:8080", "https://10.0.0.4:8080"}
	const links = "  rooms    https://192.168.1.20:8080/#rooms\n           https://10.0.0.4:8080/#rooms\n\n"
	told := fmt.Sprintf(openedTo, "https://192.168.1.20:8080/_devserver/authority.pem")
	for _, c := range []struct {
		name           string
		o              options
		page, terminal bool
		want           string
	}{
		{"no rooms", options{addr: "0.0.0.0:8080"}, true, true, ""},
		{"for this machine", options{addr: "127.0.0.1:8080", roomsAt: []string{"http://127.0.0.1:8080"}}, true, true,
			"  rooms    http://127.0.0.1:8080/#rooms\n\n"},
		{"for the network", options{addr: "0.0.0.0:8080", roomsAt: two}, true, false, links + told},
		{"on a terminal", options{addr: "0.0.0.0:8080", roomsAt: two}, true, true,
			links + drawing(two[0]+"/#rooms") + "\n" + told},
		{"without a page", options{addr: "0.0.0.0:8080", roomsAt: two[:1]}, false, true,
			"  rooms    curl -X POST https://192.168.1.20:8080/rooms\n\n" + told},
	} {
		var out strings.Builder
		c.o.announceRooms(&out, c.page, c.terminal)
		if out.String() != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, out.String(), c.want)
		}
	}
}

// TestDrawing reads a drawing back.
func TestDrawing(t *testing.T) {
	const link = "https://192.168.1.20:8080/#rooms"
	code, err := qr.Encode(link, qr.L)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(drawing(link), "\n"), "\n")
	if want := (code.Size + 2*quietZone + 1) / 2; len(lines) != want {
		t.Fatalf("%d lines, want %d", len(lines), want)
	}
	for i, line := range lines {
		line, began := strings.CutPrefix(line, "  \x1b[30;107m")
		line, ended := strings.CutSuffix(line, "\x1b[0m")
		modules := []rune(line)
		if !began || !ended || len(modules) != code.Size+2*quietZone {
			t.Fatalf("line %d: %q", i, line)
		}
		for j, r := range modules {
			x, y := j-quietZone, 2*i-quietZone
			upper, lower := strings.ContainsRune("█▀", r), strings.ContainsRune("█▄", r)
			if upper != code.Black(x, y) || lower != code.Black(x, y+1) {
				t.Fatalf("the modules at %d, %d are drawn as %c", x, y, r)
			}
		}
	}
	if got := drawing(strings.Repeat("x", 10_000)); got != "" {
		t.Errorf("a text that no code can have is drawn as %d bytes", len(got))
	}
}

// trust returns a pool of one authority.
func trust(t *testing.T, pem []byte) *x509.CertPool {
	t.Helper()
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		t.Fatalf("no certificate: %q", pem)
	}
	return pool
}

// TestServeRooms starts the real program, trusts its authority, and opens a room as a client would that
// comes through a proxy.
func TestServeRooms(t *testing.T) {
	_, line := start(t, "--addr", "127.0.0.1:0", "--api-only", "--controllers=false", "--rooms", "--tls",
		"--allow-host", "lab.example")
	address, ok := strings.CutPrefix(line, "listening on https://")
	if !ok {
		t.Fatalf("the first line is %q", line)
	}
	ask := func(config *tls.Config, method, url, host string) (code int, body []byte) {
		t.Helper()
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: config}}
		defer client.CloseIdleConnections()
		r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		res, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if body, err = io.ReadAll(res.Body); err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, body
	}
	_, pem := ask(&tls.Config{InsecureSkipVerify: true}, "GET", "https://"+address+authorityPath, "")
	trusted := &tls.Config{RootCAs: trust(t, pem)}
	for _, c := range []struct {
		method, url, host string
		want              int
	}{
		{"POST", "https://" + address + "/rooms", "lab.example", 201},
		{"POST", "http://" + address + "/rooms", "lab.example", 403},
		{"POST", "http://" + address + "/rooms", "", 201},
		{"GET", "https://" + address + "/api", "lab.example", 403},
		{"GET", "https://" + address + "/api", "", 200},
		{"GET", "https://" + address + "/api", "evil.example", 421},
	} {
		if code, body := ask(trusted, c.method, c.url, c.host); code != c.want {
			t.Errorf("%s %s for %s: %d %s, want %d", c.method, c.url, c.host, code, body, c.want)
		}
	}
}
