package hostile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// watches opens a watch, which stays open until the test ends, and returns the code of its answer.
func (p *person) watches(ctx context.Context) (code int, err error) {
	address := strings.TrimPrefix(p.url, "http://")
	conn, err := p.dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return 0, err
	}
	p.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return 0, err
	}
	fmt.Fprintf(conn, "GET %s%s?watch=1 HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n",
		strings.TrimPrefix(p.at, p.url), configMaps, address, p.token)
	if _, err := fmt.Fscanf(conn, "HTTP/1.1 %d", &code); err != nil || code != http.StatusOK {
		return code, errors.Join(err, conn.Close())
	}
	return code, nil
}

// streams opens a stream, again after as long as a 429 says.
func (p *person) streams(ctx context.Context, path string) *http.Response {
	p.Helper()
	client := &http.Client{Transport: p.client.Transport} // without a timeout
	for {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.at+path, nil)
		if err != nil {
			p.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+p.token)
		res, err := client.Do(r)
		if err != nil {
			p.Fatalf("stream: %s: %v", path, err)
		}
		if res.StatusCode != http.StatusTooManyRequests {
			return res
		}
		_ = res.Body.Close() // it is another request that counts
		pause(ctx, time.Second)
	}
}

// A line is a stream that somebody who does nothing wrong keeps open, and reads.
type line struct {
	*person
	path  string
	ended chan string   // why, once it has
	last  chan struct{} // closed when it has delivered lastObject
}

// lastObject is the name of the object by which a watch shows that it has delivered all that came before.
const lastObject = "the-last"

// The paths of such streams.
const (
	watchLine  = configMaps + "?watch=1"
	followLine = theRoom + "/follow"
)

// line opens one.
func (p *person) line(path string) *line {
	p.Helper()
	ctx, stop := context.WithCancel(p.Context())
	l := &line{p, path, make(chan string, 1), make(chan struct{})}
	res := p.streams(ctx, path)
	p.Cleanup(stop)
	go func() {
		defer res.Body.Close()
		for events := json.NewDecoder(res.Body); ; {
			var e struct {
				Type   string
				Object struct {
					Metadata struct{ Name string }
					Message  string
				}
			}
			if err := events.Decode(&e); err != nil {
				l.ended <- err.Error()
				return
			}
			if e.Type == "ERROR" {
				l.ended <- e.Object.Message
				return
			}
			if e.Object.Metadata.Name == lastObject && e.Type == "ADDED" {
				close(l.last)
			}
		}
	}()
	return l
}

// lasts checks that the stream is still open: it was not cut off, and the program of the room did not restart.
func (l *line) lasts() {
	l.Helper()
	select {
	case why := <-l.ended:
		l.Errorf("cut off or restart: %s: the stream has ended: %s", l.path, why)
	default:
	}
}

// tells checks that a watch reports what is created last.
func (l *line) tells() {
	l.Helper()
	l.wants(http.StatusCreated, "create", "POST", configMaps, string(configMap(lastObject, 300)))
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-l.last:
	case why := <-l.ended:
		l.ended <- why
	case <-timer.C:
		l.Errorf("cut off: the watch of another does not tell of what was created")
	}
	l.lasts()
}
