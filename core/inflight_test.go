package core

import (
	"fmt"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/apitest"
)

// TestMemoryInFlight has many clients send bodies at the same time that take many times their length once they
// are read: what is in use stays within what the requests may take together.
func TestMemoryInFlight(t *testing.T) {
	if runtime.GOARCH == "wasm" {
		t.Skip("one request runs at a time there")
	}
	const work = 128 << 20
	c, _ := newCluster(t, Options{Controllers: true, Limits: apiserver.Limits{Memory: apiserver.NewMemory(64<<20, work)}})
	must(t, c, 201, "POST", definitions, definitionWith("Free",
		`{"type":"object","x-kubernetes-preserve-unknown-fields":true}`))
	condition(t, c, "frees", "Established", "True")
	list := strings.TrimSuffix(strings.Repeat("{},", 120_000), ",")
	start, most := apitest.InUse(), int64(0)
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	done := make(chan struct{})
	var wg, watch sync.WaitGroup
	watch.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			metrics.Read(live)
			most = max(most, int64(live[0].Value.Uint64())-start)
			runtime.Gosched()
		}
	})
	for i := range 12 {
		wg.Go(func() {
			body := fmt.Sprintf(`{"apiVersion":"stable.example.com/v1","kind":"Free","metadata":{"name":"a%d"},
				"x":[%s]}`, i, list)
			code, text := call(t, c, "POST", "/apis/stable.example.com/v1/namespaces/default/frees?dryRun=All", body)
			if code != 201 {
				t.Errorf("%d %.300s", code, text)
			}
		})
	}
	wg.Wait()
	close(done)
	watch.Wait()
	if t.Logf("%d MiB were in use", most>>20); most > work+96<<20 {
		t.Errorf("%d MiB were in use", most>>20)
	}
}
