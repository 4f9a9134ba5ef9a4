//go:build js && wasm

package asset

import (
	"context"
	"errors"
	"syscall/js"
	"testing"
)

// site stands for the network: of its files one is there, one is not, one cannot be
// reached and one never comes.
const site = `(url) => ({
  "/there": () => Promise.resolve(new Response("what it is")),
  "/missing": () => Promise.resolve(new Response("no such file", {status: 404})),
  "/offline": () => Promise.reject(new TypeError("failed to fetch")),
  "/slow": () => new Promise(() => {}),
})[url]()`

func TestFetch(t *testing.T) {
	own := js.Global().Get("fetch")
	js.Global().Set("fetch", js.Global().Call("eval", site))
	defer js.Global().Set("fetch", own)
	ctx := context.Background()
	if got, err := Fetch(ctx, js.Global(), "/there"); string(got) != "what it is" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := Fetch(ctx, js.Global(), "/missing"); err == nil || err.Error() != "/missing: 404" {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := Fetch(ctx, js.Global(), "/offline"); err == nil || err.Error() != "TypeError: failed to fetch" {
		t.Errorf("offline: %v", err)
	}
	ended, end := context.WithCancel(ctx)
	end()
	if _, err := Fetch(ended, js.Global(), "/slow"); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
}
