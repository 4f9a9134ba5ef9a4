//go:build js && wasm

package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"syscall/js"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/wasm/bridge"
	"github.com/tabernetes/tabernetes/wasm/store"
)

func init() { roles["api"] = api }

// api holds a cluster for the worker around it. The worker's script leaves an
// object tabernetesHost in the global scope: storage, the opened storage or
// null, and ready, a function that takes what can be called from then on.
func api() error {
	host := js.Global().Get("tabernetesHost")
	if host.Type() != js.TypeObject {
		return fmt.Errorf("api: no tabernetesHost in the global scope")
	}
	var saved journal.Storage = new(journal.Memory)
	if v := host.Get("storage"); v.Type() == js.TypeObject {
		saved = store.New(v)
	}
	cluster, err := core.New(core.Options{
		Clock:       clock.Real(),
		Rand:        rand.Reader,
		Storage:     saved,
		Controllers: true,
		Build:       "tabernetes",
	})
	if err != nil {
		return fmt.Errorf("api: %w", err)
	}
	found := cluster.Recovery()
	host.Call("ready", map[string]any{
		"serve": bridge.Func(context.Background(), cluster),
		// crash dies as a bug in a goroutine of the server would.
		"crash": js.FuncOf(func(js.Value, []js.Value) any {
			go panic("the page asked for a crash")
			return nil
		}),
		"restored": found.Restored,
		"setAside": found.SetAside,
		"problem":  found.Problem,
	})
	select {}
}
