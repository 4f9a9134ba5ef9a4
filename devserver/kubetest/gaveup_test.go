package kubetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestBodyAfterContext reads bodies of which the server's end and the context's end come in either order, with and
// without text that nobody has read.
func TestBodyAfterContext(t *testing.T) {
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF} {
		for _, text := range []string{"", "unread"} {
			for _, order := range []string{"server, context", "context, server", "context"} {
				t.Run(fmt.Sprint(end, "/", text, "/", order), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						ctx, cancel := context.WithCancel(t.Context())
						defer cancel()
						p := newPipe(ctx, func() {})
						if _, err := p.write([]byte(text)); err != nil {
							t.Fatal(err)
						}
						waiting := make(chan error, 1)
						if text == "" && !strings.HasPrefix(order, "server") {
							go func() {
								_, err := p.Read(make([]byte, 1))
								waiting <- err
							}()
							synctest.Wait()
						} else {
							waiting <- context.Canceled
						}
						for _, who := range strings.Split(order, ", ") {
							if who == "server" {
								p.end(end)
							} else {
								cancel()
							}
						}
						if err := <-waiting; !errors.Is(err, context.Canceled) {
							t.Errorf("a read that waited: %v", err)
						}
						for range 2 {
							if n, err := p.Read(make([]byte, 8)); n != 0 || !errors.Is(err, context.Canceled) {
								t.Errorf("a read afterwards: %d bytes, %v", n, err)
							}
						}
						if _, err := p.write([]byte("late")); !errors.Is(err, context.Canceled) {
							t.Errorf("a write afterwards: %v", err)
						}
					})
				})
			}
		}
	}
}

// TestBodyAfterClose reads after the reader's own end.
func TestBodyAfterClose(t *testing.T) {
	p := newPipe(t.Context(), func() {})
	if _, err := p.write([]byte("unread")); err != nil {
		t.Fatal(err)
	}
	p.Close()
	if _, err := p.Read(make([]byte, 8)); !errors.Is(err, http.ErrBodyReadAfterClose) {
		t.Errorf("a read: %v", err)
	}
	if _, err := p.write([]byte("late")); err == nil {
		t.Error("a write succeeds")
	}
}

// TestGivenUp gives up 1,000 requests of each verb at random moments, some of them while they wait by Latency or Block.
// None ends with a success that the server did not give: each has the answer of a server, or the context's error.
func TestGivenUp(t *testing.T) {
	const n = 1000
	for _, over := range []string{"in process", "HTTPS"} {
		t.Run(over, func(t *testing.T) {
			s := New(t, Latency(0, 200*time.Microsecond))
			held := s.Block("", "", "held")
			client := s.HTTP()
			host := Host
			if over == "HTTPS" {
				client, host = httpsClient(t, s), s.URL()
			}
			for _, verb := range []string{"get", "list", "create", "delete", "watch"} {
				t.Run(verb, func(t *testing.T) {
					random := rand.New(rand.NewPCG(1, 2))
					gate := make(chan struct{}, 8)
					var all sync.WaitGroup
					var mu sync.Mutex
					var given []string // what was written, as clients know
					for i := range n {
						name := fmt.Sprint(verb, i)
						if i%50 == 0 {
							name = "held"
						}
						method, path, body := "GET", configMaps+"/"+name, ""
						switch verb {
						case "list":
							path = configMaps
						case "watch":
							path = configMaps + "?watch=1"
						case "create":
							method, path, body = "POST", configMaps, configMap(name)
						case "delete":
							if method = "DELETE"; name != "held" {
								want(t, s.Client, 201, "POST", configMaps, configMap(name))
							}
						}
						patience := time.Duration(random.IntN(600)) * time.Microsecond
						gate <- struct{}{}
						all.Go(func() {
							defer func() { <-gate }()
							ctx, cancel := context.WithTimeout(context.Background(), patience)
							defer cancel()
							r, err := http.NewRequestWithContext(ctx, method, host+path, strings.NewReader(body))
							if err != nil {
								t.Error(err)
								return
							}
							r.Header.Set("Content-Type", "application/json")
							if over == "HTTPS" {
								r.Header.Set("Authorization", "Bearer "+adminToken)
							}
							w, err := client.Do(r)
							if err == nil {
								var text []byte
								text, err = io.ReadAll(w.Body)
								w.Body.Close()
								// A success is one that the server gave: it has an object in it.
								if err == nil && (verb == "watch" || len(text) == 0 || text[0] != '{' || name == "held" && verb != "list") {
									t.Errorf("%s %s: %d %q", method, path, w.StatusCode, text)
								}
								if err == nil && w.StatusCode < 300 && method != "GET" {
									mu.Lock()
									given = append(given, name)
									mu.Unlock()
								}
							}
							if err != nil && !errors.Is(err, context.DeadlineExceeded) {
								t.Errorf("%s %s: %v", method, path, err)
							}
						})
					}
					all.Wait()
					for _, name := range given {
						want(t, s.Client, map[string]int{"create": 200, "delete": 404}[verb], "GET", configMaps+"/"+name, "")
					}
				})
			}
			held.Release()
		})
	}
}
