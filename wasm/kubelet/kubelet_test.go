//go:build js && wasm

package kubelet

import (
	"context"
	"io"
	"net/http"
	"syscall/js"
	"testing"

	"github.com/tabernetes/tabernetes/core"
)

// host has a kubelet that echoes, one that begins an answer and breaks, one whose answer does not end, and one that
// does not answer; the others are not there.
const host = `({async kubelet(method, url, headers, signal) {
  const path = new URL(url).pathname;
  const bytes = (text) => new TextEncoder().encode(text);
  const aborted = new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  aborted.catch(() => {});
  const stream = (pull) => ({ status: 201, headers: "A: 1\nB: 2\n", reader: new ReadableStream({ pull }).getReader() });
  let pulled = 0;
  if (path === "/echo") return stream((c) => {
    c.enqueue(bytes(pulled++ ? headers : method + " " + url + "\n"));
    if (pulled == 2) c.close();
  });
  if (path === "/breaks") return stream((c) => pulled++ ? c.error(new Error("gone")) : c.enqueue(bytes("begin")));
  if (path === "/lasts") return stream((c) => pulled++ ? aborted : c.enqueue(bytes("begin")));
  if (path === "/silent") return aborted;
  return null;
}})`

func TestKubelets(t *testing.T) {
	k := New(js.Global().Call("eval", host))
	ask := func(ctx context.Context, path string) (*http.Response, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://n:10250"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X", "y")
		return k.RoundTrip(r)
	}
	answer, err := ask(t.Context(), "/echo?follow=true")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(answer.Body)
	if err != nil || string(text) != "GET https://n:10250/echo?follow=true\nX: y\n" || answer.StatusCode != 201 ||
		answer.Header.Get("B") != "2" {
		t.Errorf("%d %v %q, %v", answer.StatusCode, answer.Header, text, err)
	}
	if err := answer.Body.Close(); err != nil {
		t.Error(err)
	}
	if _, err := ask(t.Context(), "/"); err != core.ErrNoKubelet {
		t.Error(err)
	}
	if answer, err = ask(t.Context(), "/breaks"); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(answer.Body); err != io.ErrUnexpectedEOF || string(text) != "begin" {
		t.Errorf("%q, %v", text, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if answer, err = ask(ctx, "/lasts"); err != nil {
		t.Fatal(err)
	}
	if n, err := answer.Body.Read(make([]byte, 10)); n != 5 || err != nil {
		t.Error(n, err)
	}
	js.Global().Call("setTimeout", js.FuncOf(func(js.Value, []js.Value) any { cancel(); return nil }), 0)
	if _, err := answer.Body.Read(make([]byte, 10)); err != context.Canceled {
		t.Error(err)
	}
	if _, err := ask(ctx, "/echo"); err != context.Canceled {
		t.Error(err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	js.Global().Call("setTimeout", js.FuncOf(func(js.Value, []js.Value) any { cancel(); return nil }), 0)
	if _, err := ask(ctx, "/silent"); err != context.Canceled {
		t.Error(err)
	}
}
