package main

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

// TestData keeps what is read here equal to what the builder writes.
func TestData(t *testing.T) {
	in := site.Shell{Assets: map[string]string{"app.js": "/a.js"}, WasmBytes: 7, Packed: "/u.js", CSP: "policy",
		Devserver: true}
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var out data
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(site.Shell(out), in) {
		t.Errorf("read %+v, want %+v", out, in)
	}
}

func TestRender(t *testing.T) {
	t.Chdir("../../../..") // where the lessons are
	var out strings.Builder
	err := render(strings.NewReader(`{"Assets":{"app.js":"/app.js","tabernetes.wasm":"/t.wasm"},"WasmBytes":4711,`+
		`"CSP":"default-src 'self'"}`), &out)
	if err != nil {
		t.Fatal(err)
	}
	var files map[string]string
	if err := json.Unmarshal([]byte(out.String()), &files); err != nil {
		t.Fatal(err)
	}
	page := files["index.html"]
	for _, name := range []string{"course/addresses.html", "course/taken-or-free.json"} {
		if files[name] == "" {
			t.Errorf("there is no %s", name)
		}
	}
	for _, want := range []string{
		"<!doctype html>", `src="/app.js"`, `data-size="4711"`, "Content-Security-Policy",
		`id="panel-lesson"`, `id="panel-stage"`, `id="panel-console"`, `id="panel-answer"`, `id="panel-history"`,
		`id="panel-objects"`, `id="panel-levers"`, "data-step",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	// The policy forbids what is inline, so it would not work.
	for _, bad := range []string{" style=", "<style", "onclick=", "<script>"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %s", bad)
		}
	}
	if err := render(strings.NewReader("{"), &out); err == nil {
		t.Error("half an input was rendered")
	}
}
