//go:build js && wasm

package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime/debug"
	"syscall/js"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/extension"
	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/room/replica"
	"github.com/tabernetes/tabernetes/core/trial"
	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/wasm/asset"
	"github.com/tabernetes/tabernetes/wasm/bridge"
	"github.com/tabernetes/tabernetes/wasm/jsvalue"
	"github.com/tabernetes/tabernetes/wasm/kubelet"
	"github.com/tabernetes/tabernetes/wasm/programs"
	"github.com/tabernetes/tabernetes/wasm/store"
	"github.com/tabernetes/tabernetes/wasm/webhook"
)

const (
	// quota is how much memory the objects and their history may take, in bytes: little
	// enough that 375 MB of memory suffice for all that Go needs in a tab, even while
	// a large part of it is held twice, as by a deletion that answers with what it deletes.
	quota = 96 << 20
	// gcThreshold is how much memory Go may have taken before it collects garbage at every
	// turn, in bytes: it never gives back what it has taken.
	gcThreshold = 256 << 20
)

// limits keep the memory of a tab small when its page makes all its requests at once: they take turns. There is no
// server to tell the page to try again.
var limits = apiserver.Limits{Reads: 64, Writes: 32, Queue: true, Deadline: time.Minute}

// api holds a cluster for the JavaScript around it, which leaves an object in the global scope, named tabernetesHost or
// by the program's first argument: bridge, which takes the answers, storage, the opened storage, or null and perhaps a
// copy of saved bytes to begin with, webhook, which calls a function of the page, kubelet, clock and settle, if
// programs of a control plane may be there, room, if the cluster is one, and ready, a function that takes what can be
// called from then on.
func api() error {
	name := "tabernetesHost"
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	host := js.Global().Get(name)
	if host.Type() != js.TypeObject {
		return fmt.Errorf("api: no %s in the global scope", name)
	}
	open, objects, memory := roomOf(host)
	limits := limits
	if open != nil { // in a page all requests are of one person, and webhooks may make some while theirs wait
		limits.Memory = apiserver.NewMemory(memory/8, memory/4)
	}
	debug.SetMemoryLimit(memory)
	debug.SetGCPercent(leastGrowth)
	if open == nil { // all rooms of an isolate share its memory
		collect(leastGrowth)
	}
	var saved journal.Storage = new(journal.Memory)
	if v := host.Get("storage"); v.Type() == js.TypeObject {
		saved = store.New(v, bridge.Yield)
	} else if v := host.Get("copy"); v.Type() == js.TypeObject {
		saved = journal.NewMemory(jsvalue.Bytes(v))
	}
	// A copy is changed in memory only, so there is nothing to ask.
	onDamage := core.SalvageDamaged
	if host.Get("storage").Type() == js.TypeObject {
		onDamage = map[string]core.OnDamage{
			"refuse": core.RefuseDamaged, "salvage": core.SalvageDamaged, "replace": core.ReplaceDamaged,
		}[host.Get("onDamage").String()]
	}
	calls, way := webhook.New(host), bridge.New(host.Get("bridge"))
	files := js.Global()
	var handler func(http.Handler) http.Handler = addBrowserHeaders
	if open != nil { // whose requests come from outside, as they are
		files, handler = host, fromFront
		way.Shares = true // ../wasm/room/object/lasting.js sends the same to many
	}
	extensions, gather := []extension.Extension{trial.Trials{}}, bridge.Turn
	if open != nil { // at the edge it brought nothing: 94 to 108 writes a second to 300 followers, and 101 to 103 without
		gather = nil
		extensions = []extension.Extension{open}
	}
	if host.Get("replica").Truthy() {
		saved = nil // it begins with what the room's relay sends
		copied := replica.New()
		extensions, handler = []extension.Extension{copied}, func(h http.Handler) http.Handler {
			return addBrowserHeaders(copied.Handler(h))
		}
	}
	var kubelets http.RoundTripper
	if host.Get("kubelet").Type() == js.TypeFunction {
		kubelets = kubelet.New(host)
	}
	var followers clock.Programs
	if host.Get("settle").Type() == js.TypeFunction {
		followers = programs.New(host)
	}
	cluster, err := core.New(core.Options{
		CEL:         celOf(host),
		Clock:       clock.Real(),
		Rand:        rand.Reader,
		Storage:     saved,
		OnDamage:    onDamage,
		Quota:       objects,
		Controllers: true,
		Extensions:  extensions,
		Build:       "tabernetes",
		Limits:      limits,
		Yield:       bridge.Yield,
		Background:  bridge.Turn,
		Gather:      gather,
		Webhooks:    calls.Call,
		Kubelets:    kubelets,
		Programs:    followers,
		OnPanic: func(r *http.Request, value any, stack []byte) {
			js.Global().Get("console").Call("error", fmt.Sprintf("a panic in %s %s: %v\n%s", r.Method, r.URL, value, stack))
		},
		Descriptions: func(ctx context.Context) ([]byte, error) {
			return asset.Fetch(ctx, files, wellknown.DescriptionsFile)
		},
	})
	if damage := new(core.DamageError); errors.As(err, &damage) {
		host.Call("damaged", damage.Reason, damage.Sound())
		return nil
	}
	if err != nil {
		return fmt.Errorf("api: %w", err)
	}
	found := cluster.Recovery()
	if open != nil && found.Unsaved { // people rely on a room being saved
		host.Call("damaged", found.Problem, "")
		return nil
	}
	ready := map[string]any{
		"serve":   way.Serve(context.Background(), handler(cluster)),
		"resume":  way.Resume(context.Background(), handler(cluster)),
		"control": way.Control(),
		// crash ends the program as a bug in a goroutine of the server would.
		"crash": js.FuncOf(func(js.Value, []js.Value) any {
			go panic("the page asked for a crash")
			return nil
		}),
		// close ends all streams. Then nothing more can be served.
		"close": js.FuncOf(func(js.Value, []js.Value) any {
			go func() { _ = cluster.Close() }()
			return nil
		}),
		"answered": calls.Answered(),
		"restored": found.Restored,
		"setAside": found.SetAside,
		"problem":  found.Problem,
	}
	if open != nil {
		ready["teacher"] = way.Serve(context.Background(), teacher(open))
	} else { // a page's own cluster: its owner may do everything, whatever the settings say
		owner := auth.WithVerdict(context.Background(), auth.Verdict{User: auth.Admin})
		ready["owner"] = way.Serve(owner, handler(cluster))
	}
	host.Call("ready", ready)
	select {}
}

// addBrowserHeaders adds the headers that the network stack of a browser would have added to a page's request: a server
// names the fields' manager after the agent.
func addBrowserHeaders(h http.Handler) http.Handler {
	agent := []string{js.Global().Get("navigator").Get("userAgent").String()}
	accept := []string{"*/*"}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, given := r.Header["User-Agent"]; !given {
			r.Header["User-Agent"] = agent
		}
		if _, given := r.Header["Accept"]; !given {
			r.Header["Accept"] = accept
		}
		h.ServeHTTP(w, r)
	})
}
