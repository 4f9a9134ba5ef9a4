package client

import (
	"context"
	"strings"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/panels/client/reflector"
	"github.com/tabernetes/tabernetes/web/revisions/scan"
)

// transport makes a client's requests as the page's own, so that they are among the
// requests, and its watches on the stage.
type transport struct{ page *page }

func (t *transport) request(path string) app.Request {
	return app.Request{Method: "GET", Path: path, Origin: "console"}
}

// Get implements reflector.Transport.
func (t *transport) Get(ctx context.Context, path string) (reflector.Answer, error) {
	res, err := t.page.Fetch(ctx, t.request(path))
	return reflector.Answer{Status: res.Status, Body: res.Body}, err
}

// Watch implements reflector.Transport.
func (t *transport) Watch(ctx context.Context, path string, line func(string)) (reflector.Answer, error) {
	var a reflector.Answer
	var lines scan.Lines
	var body strings.Builder
	err := t.page.Stream(ctx, t.request(path), func(r app.Response) {
		a.Status = r.Status
		if r.Status == 200 {
			t.page.watch = r.Request
			t.page.comparison.Do()
		}
	}, func(s string) {
		if a.Status == 200 {
			lines.Feed(s, line)
		} else {
			body.WriteString(s)
		}
	})
	a.Body = body.String()
	if a.Status > 0 {
		err = nil // the answer broke off
	}
	return a, err
}
