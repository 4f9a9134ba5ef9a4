package replica_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/extension"
	"github.com/tabernetes/tabernetes/core/object/objecttest"
	"github.com/tabernetes/tabernetes/core/room/internal/roomtest"
	"github.com/tabernetes/tabernetes/core/room/replica"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

const (
	patience   = apitest.Patience
	rooms      = roomtest.Rooms
	members    = roomtest.Members
	tokens     = roomtest.Tokens
	relays     = rooms + "/default/relay"
	plane      = wellknown.ControlPlane
	configMaps = apitest.ConfigMaps
)

var (
	at        = objecttest.At
	as        = apitest.As
	call      = apitest.Call
	requestAs = apitest.RequestAs
	follow    = apitest.Follow
	configMap = apitest.ConfigMap
)

// pieces are how many bytes of a stream are replayed at a time: some end within lines, and some are so large that a
// slow machine keeps up.
var pieces = []int{100, 64 << 10}

// A relayed is a copy of a room, as a member gets it.
type relayed struct {
	*testing.T
	roomtest.Cluster
	copy  *replica.Replica
	room  roomtest.Cluster
	token string

	mu     sync.Mutex   // held while a piece is replayed
	stream bytes.Buffer // all that came
	last   replica.Replayed
	closed chan struct{}
	cancel context.CancelFunc
	news   chan struct{}
}

// newRelayed begins to copy a room.
func newRelayed(t *testing.T, room roomtest.Cluster, token string) *relayed {
	t.Helper()
	copied := replica.New()
	c := roomtest.Start(t, core.Options{Extensions: []extension.Extension{copied}, Clock: room.Instance().Host})
	r := &relayed{T: t, Cluster: c, copy: copied, room: room, token: token, news: make(chan struct{}, 1)}
	r.connect()
	t.Cleanup(func() { r.disconnect() })
	return r
}

// connect opens a stream that continues what the copy has.
func (r *relayed) connect() {
	r.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	path := fmt.Sprintf("%s?cluster=%s&rights=%s&since=%d", relays, r.last.Cluster, r.last.Rights, r.last.Revision)
	req := httptest.NewRequest("GET", path, nil).WithContext(ctx)
	req.Header.Set("Authorization", "Bearer "+r.token)
	r.closed, r.cancel = make(chan struct{}), cancel
	r.last.Ended = ""
	answer := apitest.Open(r.room, req)
	<-answer.Begun
	if answer.Code != http.StatusOK {
		r.Fatalf("GET %s: %d", path, answer.Code)
	}
	go func() {
		defer close(r.closed)
		begin := "?begin=1"
		for i := 0; ; i++ {
			piece := make([]byte, pieces[i%len(pieces)])
			n, err := answer.Body.Read(piece)
			if err != nil {
				return
			}
			replayed := httptest.NewRecorder()
			request := httptest.NewRequest("POST", replica.Path+begin, bytes.NewReader(piece[:n]))
			begin = ""
			r.mu.Lock()
			r.copy.Handler(r).ServeHTTP(replayed, request)
			r.stream.Write(piece[:n])
			if replayed.Code != 200 {
				r.Errorf("replay: %d %s", replayed.Code, replayed.Body)
			}
			r.last = replica.Replayed{}
			if err := json.Unmarshal(replayed.Body.Bytes(), &r.last); err != nil {
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
		want, got := standOf(r.room), r.stand()
		if got == want {
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

// A stand is how far a cluster has come.
type stand struct {
	cluster         string
	head, compacted int64
}

// standOf returns how far a cluster has come.
func standOf(c roomtest.Cluster) stand {
	i := c.Instance()
	at := i.Registry.Store.Status()
	return stand{i.Header.UID, at.Head, at.Compacted}
}

// stand returns how far the copy has come. It waits for a piece that is being replayed: see roomtest.Cluster.Instance.
func (r *relayed) stand() stand {
	r.mu.Lock()
	defer r.mu.Unlock()
	return standOf(r.Cluster)
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
	defer s.Stop()
	var all strings.Builder
	for s.Lines.Scan() {
		fmt.Fprintln(&all, s.Lines.Text())
		if line := s.Lines.Text(); strings.Contains(line, `"name":"sentinel"`) || strings.Contains(line, `"type":"ERROR"`) {
			break
		}
	}
	return all.String()
}
