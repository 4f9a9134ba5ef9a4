package bench

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// A follower has a relay open.
type follower struct {
	bench *bench
	// synced is closed when it has the snapshot.
	synced   chan struct{}
	isSynced bool
	// revision is the last that arrived, of which arrived tells.
	revision atomic.Int64
	arrived  chan struct{}

	mu sync.Mutex
	// arrivals are those of the turn.
	arrivals []arrival
	bytes    int64
}

// An arrival is that of a commit.
type arrival struct {
	revision int64
	lag      time.Duration
}

func (f *follower) reset() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.arrivals, f.bytes = nil, 0
	f.arrived = make(chan struct{}, 1)
}

// follow reads the relay until ctx or the stream ends.
func (f *follower) follow(ctx context.Context, token string) error {
	url := f.bench.room.url + rooms + "/relay"
	if f.bench.WebSocket {
		return readSocket(ctx, f.bench.room.client, url, token, f.line)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := f.bench.room.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(res.Body, 300))
		return fmt.Errorf("%s: %s", res.Status, text)
	}
	lines := bufio.NewReaderSize(res.Body, 64<<10)
	for {
		line, err := lines.ReadSlice('\n')
		for err == bufio.ErrBufferFull { // a long line: its beginning has what is looked for
			_, err = lines.ReadSlice('\n')
		}
		if err != nil {
			return err
		}
		f.line(line)
	}
}

var (
	commitLine = []byte(`{"type":"COMMIT","revision":`)
	syncedLine = []byte(`{"type":"SYNCED"`)
	timeField  = []byte(`,"time":"`)
	writersKey = []byte(`,"key":"default/writer-`)
)

// line takes a line that has arrived.
func (f *follower) line(line []byte) {
	now := time.Now()
	if !f.isSynced {
		if bytes.HasPrefix(line, syncedLine) {
			f.isSynced = true
			close(f.synced)
		}
		return
	}
	rest, ok := bytes.CutPrefix(line, commitLine)
	head := rest[:min(len(rest), 200)]
	if !ok || !bytes.Contains(head, writersKey) {
		return
	}
	number, after, _ := bytes.Cut(head, []byte{','})
	_, after, _ = bytes.Cut(after, timeField)
	text, _, _ := bytes.Cut(after, []byte{'"'})
	revision, _ := strconv.ParseInt(string(number), 10, 64)
	committed, err := time.Parse(time.RFC3339Nano, string(text))
	if err != nil || committed.UnixNano() < f.bench.since.Load() {
		return
	}
	f.mu.Lock()
	f.arrivals = append(f.arrivals, arrival{revision, now.Sub(committed)})
	f.bytes += int64(len(line))
	arrived := f.arrived
	f.mu.Unlock()
	f.revision.Store(revision)
	select {
	case arrived <- struct{}{}:
	default:
	}
}
