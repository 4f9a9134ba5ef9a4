package apiserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/openapi"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
)

// TestTurns makes documents of which one takes long: others that are as long wait for it, and shorter ones do not.
// Who waits for memory, or has left, keeps nobody from making one.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDocumentCache(1 << 20)
		hold := make(chan struct{})
		get := func(ctx context.Context, key string, length int64, wait, hold chan struct{}) chan error {
			done := make(chan error, 1)
			go func() {
				text, err := d.get(ctx, wanted{key, length, func() error {
					if wait != nil {
						<-wait
					}
					return nil
				}, func() (openapi.Text, error) {
					if hold != nil {
						<-hold
					}
					return openapi.Text{[]byte(key)}, nil
				}})
				if err == nil && string(text.Bytes()) != key {
					err = errors.New("another document")
				}
				done <- err
			}()
			synctest.Wait()
			return done
		}
		ended := func(done chan error) bool {
			select {
			case err := <-done:
				if err != nil {
					t.Error(err)
				}
				return true
			default:
				return false
			}
		}
		const long = longDocument + 1
		memory := make(chan struct{})
		waits := get(t.Context(), "waits for memory", long, memory, nil)
		first := get(t.Context(), "first", long, nil, hold)
		second := get(t.Context(), "second", long, nil, nil)
		again := get(t.Context(), "first", long, nil, nil)
		if ended(first) || ended(second) || ended(again) || ended(waits) {
			t.Error("they do not wait")
		}
		if !ended(get(t.Context(), "short", longDocument, nil, nil)) || !ended(get(t.Context(), "none", 0, nil, nil)) {
			t.Error("short ones wait for a long one")
		}
		ctx, cancel := context.WithCancel(t.Context())
		left := get(ctx, "left", long, nil, nil)
		cancel()
		synctest.Wait()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		close(hold)
		synctest.Wait()
		if !ended(first) || !ended(second) || !ended(again) || ended(waits) {
			t.Error("they wait on")
		}
		close(memory)
		synctest.Wait()
		if !ended(waits) || !ended(get(t.Context(), "left", long, nil, nil)) {
			t.Error("there are those who cannot go on")
		}
		failing := wanted{"failing", long, func() error { return errors.New("the deadline") }, nil}
		if _, err := d.get(t.Context(), failing); err == nil || err.Error() != "the deadline" {
			t.Error(err)
		}
	})
}

// A slow client looks at the answer as it comes.
type slowClient struct {
	*httptest.ResponseRecorder
	look func()
}

func (s slowClient) Write(b []byte) (int, error) {
	s.look()
	return s.ResponseRecorder.Write(b)
}

// TestDocumentsTakeMemory has a document of custom resources wait for memory, which it has as long as it is answered;
// those of built-in types, which all servers share, do not.
func TestDocumentsTakeMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := schema.Builtin()
		for i := range 40 {
			kind := fmt.Sprint("Thing", i)
			table.Add(&schema.Resource{Group: "things.example.com", Version: "v1", Plural: fmt.Sprintf("thing%ds", i),
				Kind: kind, ListKind: kind + "List", Verbs: []string{"get", "list", "create", "update", "patch", "delete"},
				Custom: &schema.Custom{Schema: structural.Parse(map[string]any{"type": "object"})}})
		}
		s := &Server{Table: table, Version: NewVersion(t.Name()), OpenAPIv2: openapi.V2,
			Registry: &registry.Registry{Clock: clock.NewManual(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))},
			Limits:   Limits{Memory: NewMemory(1<<20, 64<<20)}}
		taken := func() (n int64) {
			for i := range s.Limits.Memory.lanes {
				l := &s.Limits.Memory.lanes[i]
				l.mu.Lock()
				n += l.taken
				l.mu.Unlock()
			}
			return n
		}
		const things, v2 = "/openapi/v3/apis/things.example.com/v1", "/openapi/v2"
		for _, path := range []string{things, v2, "/openapi/v3/apis/batch/v1"} {
			for _, kept := range []bool{false, true} {
				for i := range s.Limits.Memory.lanes { // others take all
					if l := &s.Limits.Memory.lanes[i]; !l.try(l.most) {
						t.Fatal("not all was given back")
					}
				}
				var most atomic.Int64
				w := slowClient{httptest.NewRecorder(), func() { most.Store(max(most.Load(), taken())) }}
				done := make(chan struct{})
				go func() {
					s.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
					close(done)
				}()
				synctest.Wait()
				waits := true
				select {
				case <-done:
					waits = false
				default:
				}
				builtin := path != things && path != v2
				if waits == builtin {
					t.Errorf("%s, kept %t: it waits: %t", path, kept, waits)
				}
				for i := range s.Limits.Memory.lanes {
					l := &s.Limits.Memory.lanes[i]
					l.give(l.most)
				}
				<-done
				length := int64(w.Body.Len())
				if w.Code != http.StatusOK || !builtin && most.Load() != length {
					t.Errorf("%s: %d, %d bytes, and %d are taken", path, w.Code, length, most.Load())
				}
				if left := taken(); left != 0 {
					t.Errorf("%s: %d bytes are left", path, left)
				}
			}
		}
	})
}
