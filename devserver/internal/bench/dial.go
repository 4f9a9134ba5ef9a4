package bench

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
)

// openWide opens a room in which a teacher may have any number of watches.
func openWide(ctx context.Context, client *http.Client, url string) (path, token string, err error) {
	var room struct{ Path, Token string }
	for _, step := range []struct{ method, path, body string }{
		{"POST", "/rooms", ""},
		{"PATCH", "apis/sandbox.tabernetes.dev/v1/rooms/default", `{"spec":{"quotas":{"requestsPerSecond":100000,` +
			`"requestsPerAddress":1000000,"watches":100000,"watchesPerMember":10000,"watchesPerAddress":100000}}}`},
	} {
		r, err := http.NewRequestWithContext(ctx, step.method, url+room.Path+step.path, strings.NewReader(step.body))
		if err != nil {
			return "", "", err
		}
		if r.Header.Set("Content-Type", "application/merge-patch+json"); room.Token != "" {
			r.Header.Set("Authorization", "Bearer "+room.Token)
		}
		res, err := client.Do(r)
		if err != nil {
			return "", "", err
		}
		text, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode >= 300 {
			return "", "", fmt.Errorf("%s %s: %s %s %w", step.method, step.path, res.Status, text, err)
		}
		if room.Token == "" {
			if err := json.Unmarshal(text, &room); err != nil {
				return "", "", err
			}
		}
	}
	return strings.TrimSuffix(room.Path, "/"), room.Token, nil
}

// dialWatches opens watches over HTTP/1.1, each on its own connection.
func dialWatches(ctx context.Context, n int, url, path, token string) (closeAll func(), err error) {
	var all []net.Conn
	closeAll = func() {
		for _, c := range all {
			_ = c.Close() // nobody reads what is left
		}
	}
	scheme, address, _ := strings.Cut(url, "://")
	head := fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: kubectl/v1.36.3 (linux/amd64) kubernetes/0123456\r\n"+
		"Accept: application/json\r\nAccept-Encoding: gzip\r\n", path, address)
	if token != "" {
		head += "Authorization: Bearer " + token + "\r\n"
	}
	for range n {
		var c net.Conn
		if c, err = new(net.Dialer).DialContext(ctx, "tcp", address); err != nil {
			break
		}
		if scheme == "https" {
			c = tls.Client(c, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}})
		}
		all = append(all, c)
		if _, err = io.WriteString(c, head+"\r\n"); err != nil {
			break
		}
		// The head of the answer, byte by byte: there are many.
		r := bufio.NewReaderSize(c, 16)
		line, e := r.ReadString('\n')
		if e != nil || !strings.Contains(line, " 200 ") {
			err = fmt.Errorf("a watch is answered %q: %w", line, cmp.Or(e, errNotWatched))
			break
		}
		for line != "\r\n" && err == nil {
			line, err = r.ReadString('\n')
		}
	}
	if err != nil {
		closeAll()
	}
	return closeAll, err
}

var errNotWatched = errors.New("it is refused")

// streamWatches opens watches over HTTP/2, a hundred on each connection.
func streamWatches(ctx context.Context, n int, url, path, _ string) (closeAll func(), err error) {
	const each = 100
	ctx, closeAll = context.WithCancel(ctx)
	var transport *http.Transport
	for i := range n {
		if i%each == 0 {
			transport = &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
			context.AfterFunc(ctx, transport.CloseIdleConnections)
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+path, nil)
		if err != nil {
			return closeAll, err
		}
		res, err := transport.RoundTrip(r)
		if err == nil && (res.StatusCode != http.StatusOK || res.ProtoMajor != 2) {
			err = errNotWatched
		}
		if err != nil {
			closeAll()
			return closeAll, err
		}
	}
	return closeAll, nil
}
