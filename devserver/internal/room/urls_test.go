package room

import (
	"fmt"
	"net"
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
		a    Address
		want string
	}{
		{Address{Addr: "127.0.0.1:0"}, "http://127.0.0.1:4711"},
		{Address{Addr: "localhost:0", TLS: true}, "https://localhost:4711"},
		{Address{Addr: "192.168.1.20:0", TLS: true}, "https://192.168.1.20:4711"},
		{Address{Addr: "0.0.0.0:0", TLS: true},
			"https://192.168.1.20:4711 https://10.0.0.4:4711 https://198.51.100.4:4711 https://[2001:db8::7]:4711"},
		{Address{Addr: ":0", TLS: true, Allowed: []string{"lab.example"}},
			"https://lab.example:4711 https://192.168.1.20:4711 https://10.0.0.4:4711 https://198.51.100.4:4711 " +
				"https://[2001:db8::7]:4711"},
	} {
		c.a.Opened, c.a.Interfaces = opened, addresses
		if got := strings.Join(c.a.URLs(), " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.a.Addr, got, c.want)
		}
	}
	a := Address{Addr: "0.0.0.0:0", Opened: opened, Interfaces: []string{"127.0.0.1"}}
	if got := a.URLs(); !slices.Equal(got, []string{"http://127.0.0.1:4711"}) {
		t.Errorf("without a network: %v", got)
	}
}

// TestRoomsNeedTLS: over a network that others listen to, tokens are sent encrypted or not at all.
func TestRoomsNeedTLS(t *testing.T) {
	for addr, loopback := range map[string]bool{
		"127.0.0.1:8080": true, "localhost:0": true, "[::1]:8080": true,
		"0.0.0.0:8080": false, ":8080": false, "192.168.1.2:8080": false, "lab.example:80": false, "nonsense": false,
	} {
		if err := CheckAddr(addr, false); (err == nil) != loopback {
			t.Errorf("%s without TLS: %v", addr, err)
		}
		if err := CheckAddr(addr, true); err != nil {
			t.Errorf("%s: %v", addr, err)
		}
	}
}

func TestAnnounceRooms(t *testing.T) {
	two := []string{"https://192.168.1.20:8080", "https://10.0.0.4:8080"}
	const links = "  rooms    https://192.168.1.20:8080/#rooms\n           https://10.0.0.4:8080/#rooms\n\n"
	told := fmt.Sprintf(openedTo, "https://192.168.1.20:8080/_devserver/authority.pem")
	for _, c := range []struct {
		name, addr     string
		urls           []string
		page, terminal bool
		want           string
	}{
		{"no rooms", "0.0.0.0:8080", nil, true, true, ""},
		{"for this machine", "127.0.0.1:8080", []string{"http://127.0.0.1:8080"}, true, true,
			"  rooms    http://127.0.0.1:8080/#rooms\n\n"},
		{"for the network", "0.0.0.0:8080", two, true, false, links + told},
		{"on a terminal", "0.0.0.0:8080", two, true, true,
			links + drawing(two[0]+"/#rooms") + "\n" + told},
		{"without a page", "0.0.0.0:8080", two[:1], false, true,
			"  rooms    curl -X POST https://192.168.1.20:8080/rooms\n\n" + told},
	} {
		var out strings.Builder
		Announce(&out, c.addr, c.urls, c.page, c.terminal)
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
