package app

import (
	"context"
	"strings"
)

// Fetch makes a request and waits for its whole answer. It blocks: call it in a
// goroutine. An error means that there was no answer; a Status of 400 or more
// is an answer.
func (a *App) Fetch(ctx context.Context, r Request) (Response, error) {
	var out Response
	var body strings.Builder
	err := a.Stream(ctx, r, func(h Response) { out = h }, func(s string) { body.WriteString(s) })
	out.Body = body.String()
	return out, err
}

// Stream makes a request and calls onHead with its status and headers, then
// onBody with every piece of its body, cut anywhere, and returns when it ends. Either may be nil.
// It blocks.
func (a *App) Stream(ctx context.Context, r Request, onHead func(Response), onBody func(string)) error {
	if ctx.Err() != nil {
		return ErrAborted
	}
	if err := a.refuses(r); err != nil {
		return err
	}
	return a.stream(ctx, r, onHead, onBody)
}
