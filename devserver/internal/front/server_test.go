package front

import (
	"net"
	"testing"
)

func TestPageHost(t *testing.T) {
	opened := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4711}
	for addr, want := range map[string]string{
		"127.0.0.1:8080": "127.0.0.1:4711",
		"localhost:0":    "localhost:4711",
		":8080":          "127.0.0.1:4711",
		"0.0.0.0:8080":   "127.0.0.1:4711",
		"[::1]:8080":     "[::1]:4711",
		"nonsense":       "127.0.0.1:4711",
	} {
		if got := PageHost(addr, opened); got != want {
			t.Errorf("PageHost(%q) = %q, want %q", addr, got, want)
		}
	}
}
