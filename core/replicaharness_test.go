package core

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/extension"
	"github.com/tabernetes/tabernetes/core/room/replica"
)

const relays = rooms + "/default/relay"

// pieces are how many bytes of a stream are replayed at a time: some end within lines, and some are so large that a
// slow machine keeps up.
var pieces = []int{100, 64 << 10}

// A relayed is a copy of a room, as a member gets it.
type relayed struct {
	*testing.T
	*Cluster
	copy  *replica.Replica
	room  *Cluster
	token string

	mu     sync.Mutex
	stream bytes.Buffer // all that came
	last   replica.Replayed
	closed chan struct{}
	cancel context.CancelFunc
	news   chan struct{}
}

// newRelayed begins to copy a room.
func newRelayed(t *testing.T, room *Cluster, token string) *relayed {
	t.Helper()
	copied := replica.New()
	c, _ := newCluster(t, Options{Extensions: []extension.Extension{copied}, Clock: room.options.Clock})
	r := &relayed{T: t, Cluster: c, copy: copied, room: room, token: token, news: make(chan struct{}, 1)}
	r.connect()
	t.Cleanup(func() { r.disconnect() })
	return r
}

// connect opens a stream that continues what the copy has.
func (r *relayed) connect() {
	r.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	reader, writer := io.Pipe()
	path := fmt.Sprintf("%s?cluster=%s&rights=%s&since=%d", relays, r.last.Cluster, r.last.Rights, r.last.Revision)
	req := httptest.NewRequest("GET", path, nil).WithContext(ctx)
	req.Header.Set("Authorization", "Bearer "+r.token)
	w := &streamWriter{header: http.Header{}, body: writer, head: make(chan struct{})}
	r.closed, r.cancel = make(chan struct{}), cancel
	r.last.Ended = ""
	go func() {
		defer writer.Close()
		defer func() {
			if p := recover(); p != nil && p != http.ErrAbortHandler {
				panic(p)
			}
		}()
		r.room.ServeHTTP(w, req)
	}()
	<-w.head
	if w.code != http.StatusOK {
		r.Fatalf("GET %s: %d", path, w.code)
	}
	go func() {
		defer close(r.closed)
		begin := "?begin=1"
		for i := 0; ; i++ {
			piece := make([]byte, pieces[i%len(pieces)])
			n, err := reader.Read(piece)
			if err != nil {
				return
			}
			answer := httptest.NewRecorder()
			r.copy.Handler(r).ServeHTTP(answer, httptest.NewRequest("POST", replica.Path+begin, bytes.NewReader(piece[:n])))
			begin = ""
			r.mu.Lock()
			r.stream.Write(piece[:n])
			if answer.Code != 200 {
				r.Errorf("replay: %d %s", answer.Code, answer.Body)
			}
			r.last = replica.Replayed{}
			if err := json.Unmarshal(answer.Body.Bytes(), &r.last); err != nil {
				r.Error(err)
			}
			r.mu.Unlock()
			select {
			case r.news <- struct{}{}:
			default:
			}
		}
	}()
}

// disconnect ends the stream from the client's side.
func (r *relayed) disconnect() {
	r.cancel()
	<-r.closed
}

// catchUp returns when the copy has what the room has.
func (r *relayed) catchUp() {
	r.Helper()
	late := time.After(patience)
	for {
		at, here := r.room.current.Load(), r.current.Load()
		want, got := at.store.Status(), here.store.Status()
		if at.header.UID == here.header.UID && got.Head == want.Head && got.Compacted == want.Compacted {
			return
		}
		select {
		case <-r.news:
		case <-r.closed: // it was too slow
			r.connect()
		case <-late:
			r.Fatalf("the copy is at %+v, the room at %+v", got, want)
		}
	}
}

// sent returns all that was relayed.
func (r *relayed) sent() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stream.String()
}

// ended waits for the end of the stream and returns its reason.
func (r *relayed) ended() string {
	<-r.closed
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last.Ended
}

// compare makes the same read of the room and of its copy.
func (r *relayed) compare(path string) string {
	r.Helper()
	wantCode, want := requestAs(r.room, "Authorization: Bearer "+r.token, "GET", path, "")
	code, text := call(r, r.Cluster, "GET", path, "")
	if code != wantCode || text != want {
		r.Errorf("%s: GET %s: the copy answers %d\n%s\nthe room %d\n%s", r.token, path, code, text, wantCode, want)
	}
	return want
}

// watched returns the events of a watch up to that of an object called sentinel.
func watched(t *testing.T, h http.Handler, path, token string) string {
	t.Helper()
	s := follow(t, as(h, token), path)
	defer s.stop()
	var all strings.Builder
	for s.lines.Scan() {
		fmt.Fprintln(&all, s.lines.Text())
		if line := s.lines.Text(); strings.Contains(line, `"name":"sentinel"`) || strings.Contains(line, `"type":"ERROR"`) {
			break
		}
	}
	return all.String()
}

// as makes requests with a token.
func as(h http.Handler, token string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+token)
		h.ServeHTTP(w, r)
	})
}
