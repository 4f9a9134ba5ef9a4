package bench

import (
	"bytes"
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

// dialWatches opens watches of a path over HTTP/1.1, each on its own connection.
func dialWatches(ctx context.Context, n int, url, path, token string) (closeAll func(), err error) {
	return closing(openWatches(ctx, n, url, func(int) string { return path }, token))
}

// closing returns a function that closes streams, and closes them now if there is an error.
func closing(streams []io.ReadCloser, err error) (closeAll func(), _ error) {
	closeAll = func() {
		for _, s := range streams {
			_ = s.Close() // nobody reads what is left
		}
	}
	if err != nil {
		closeAll()
	}
	return closeAll, err
}

// openWatches opens watches over HTTP/1.1, each on its own connection. What is read of one begins with the body of the
// answer, as it is transferred. With an error it returns those that are open.
func openWatches(ctx context.Context, n int, url string, path func(int) string, token string) (all []io.ReadCloser,
	err error) {
	scheme, address, _ := strings.Cut(url, "://")
	rest := fmt.Sprintf(" HTTP/1.1\r\nHost: %s\r\nUser-Agent: kubectl/v1.36.3 (linux/amd64) kubernetes/0123456\r\n"+
		"Accept: application/json\r\nAccept-Encoding: gzip\r\n", address)
	if token != "" {
		rest += "Authorization: Bearer " + token + "\r\n"
	}
	for i := range n {
		var c net.Conn
		if c, err = new(net.Dialer).DialContext(ctx, "tcp", address); err != nil {
			break
		}
		if scheme == "https" {
			c = tls.Client(c, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}})
		}
		all = append(all, c)
		if _, err = io.WriteString(c, "GET "+path(i)+rest+"\r\n"); err != nil {
			break
		}
		if err = readHead(c); err != nil {
			break
		}
	}
	return all, err
}

// readHead reads the head of the answer to a watch, and nothing behind it.
func readHead(c io.Reader) error {
	var b [1]byte
	var head []byte
	for !bytes.HasSuffix(head, []byte("\r\n\r\n")) {
		if _, err := io.ReadFull(c, b[:]); err != nil {
			return err
		}
		head = append(head, b[0])
	}
	if line, _, _ := bytes.Cut(head, []byte("\r\n")); !bytes.Contains(line, []byte(" 200 ")) {
		return fmt.Errorf("a watch is answered %q: %w", line, errNotWatched)
	}
	return nil
}

var errNotWatched = errors.New("it is refused")

// streamWatches opens watches of a path over HTTP/2, a hundred on each connection.
func streamWatches(ctx context.Context, n int, url, path, token string) (closeAll func(), err error) {
	return closing(openStreams(ctx, n, url, func(int) string { return path }, token))
}

// openStreams is openWatches over HTTP/2, a hundred on each connection. What is read of one is the body of the answer.
func openStreams(ctx context.Context, n int, url string, path func(int) string, token string) (all []io.ReadCloser,
	err error) {
	const each = 100
	var transport *http.Transport
	for i := range n {
		if i%each == 0 {
			transport = &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
			context.AfterFunc(ctx, transport.CloseIdleConnections)
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+path(i), nil)
		if err != nil {
			return all, err
		}
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		res, err := transport.RoundTrip(r)
		if err != nil {
			return all, err
		}
		if all = append(all, res.Body); res.StatusCode != http.StatusOK || res.ProtoMajor != 2 {
			return all, errNotWatched
		}
	}
	return all, nil
}
