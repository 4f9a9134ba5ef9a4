//go:build js && wasm

package rules

import (
	"strings"
	"syscall/js"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/tap"
)

func init() { Start = func(a *app.App) { start(a, &scripted{app: a}) } }

// scripted makes clusters by web/room/fork.js.
type scripted struct {
	app    *app.App
	script js.Value // fork.js, once it has loaded
}

func (s *scripted) fork(snapshot any) (f fork, used any, err error) {
	if s.script.IsUndefined() {
		if s.script, err = s.app.Load("fork.js"); err != nil {
			return f, nil, err
		}
	}
	if snapshot == nil {
		if snapshot, err = app.Await(s.script.Call("takeSnapshot")); err != nil {
			return f, nil, err
		}
	}
	value, err := app.Await(s.script.Call("makeFork", snapshot))
	if err != nil {
		return f, nil, err
	}
	return fork{Client: client{value}, revision: int64(value.Get("revision").Int()),
		end: func() { value.Call("close") }}, snapshot, nil
}

func (s *scripted) whenLeft(f func()) {
	s.script.Call("whenLeft", s.app.Panel("rules").Underlying(), js.FuncOf(func(js.Value, []js.Value) any {
		f()
		return nil
	}))
}

// client asks a cluster of web/room/fork.js.
type client struct{ value js.Value }

// Ask implements Client.
func (f client) Ask(r app.Request) (app.Response, error) {
	v, err := app.Await(f.value.Call("ask", r.Method, r.Path, tap.Get(r.Header, "Content-Type"), r.Body))
	if err != nil {
		return app.Response{}, err
	}
	res := app.Response{Status: v.Get("status").Int(), Body: app.Text(v.Get("body"))}
	for line := range strings.Lines(app.Text(v.Get("headers"))) {
		if name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); ok {
			res.Header = append(res.Header, tap.Field{Name: name, Value: value})
		}
	}
	return res, nil
}
