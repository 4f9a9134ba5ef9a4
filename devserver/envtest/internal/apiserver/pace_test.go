package apiserver

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/clock"
)

// TestPaceBetweenWrites deletes a Pod without a node, as lws's tests do: a watch is sent the deletion's first state,
// and the second one a request's latency later. A client that leaves in between leaves the first one.
func TestPaceBetweenWrites(t *testing.T) {
	const latency = 2 * time.Millisecond
	for _, seed := range []uint64{0, 7} {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPace(latency, seed)
				c, err := core.New(core.Options{Clock: clock.Real(), Rand: apitest.Randomness(), Between: p.between})
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				const pods = "/api/v1/namespaces/default/pods"
				api := p.slow(c)
				for _, name := range []string{"a", "b"} {
					apitest.Must(t, api, 201, "POST", pods,
						`{"metadata":{"name":"`+name+`"},"spec":{"containers":[{"name":"c","image":"i"}]}}`)
				}
				watch := apitest.Follow(t, c, pods+"?watch=1&fieldSelector=metadata.name=a")
				defer watch.Stop()
				watch.Next()
				go apitest.Do(api, "DELETE", pods+"/a", "")
				if e := watch.Next(); e["type"] != "MODIFIED" {
					t.Fatal(e)
				}
				marked := time.Now()
				if e := watch.Next(); e["type"] != "DELETED" {
					t.Fatal(e)
				}
				if d := time.Since(marked); d < latency/2 || seed == 0 && d != latency {
					t.Errorf("the writes are %v apart", d)
				}

				ctx, leave := context.WithCancel(t.Context())
				go func() {
					defer leave()
					for apitest.Must(t, c, 200, "GET", pods+"/b", "")["metadata"].(map[string]any)["deletionTimestamp"] == nil {
						time.Sleep(latency / 20)
					}
				}()
				func() {
					defer func() {
						if v := recover(); v != http.ErrAbortHandler {
							t.Error(v)
						}
					}()
					api.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("DELETE", pods+"/b", nil).WithContext(ctx))
				}()
				apitest.Must(t, c, 200, "GET", pods+"/b", "")
			})
		})
	}
}
