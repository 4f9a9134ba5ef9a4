package webhooks

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// An Endpoint is the address in a clientConfig of a webhook that is not of admission: one that converts custom
// resources.
type Endpoint struct {
	hook hook
}

// endpointTimeout is how long a call of an Endpoint may take.
const endpointTimeout = 30 * time.Second

// NewEndpoint reads a clientConfig.
func NewEndpoint(client map[string]any) *Endpoint {
	e := &Endpoint{hook{timeout: endpointTimeout}}
	e.hook.locate(client)
	return e
}

// Post sends a JSON document to an Endpoint and returns the body of the answer, which is not empty. Its error has the
// words of the real server's client.
func (w *Plugin) Post(ctx context.Context, e *Endpoint, body []byte) ([]byte, error) {
	if e.hook.invalid != nil {
		return nil, e.hook.invalid
	}
	call, err := w.newCall(&e.hook, &encodedReview{body: body})
	var reply *Reply
	if err == nil {
		reply, err = w.send(ctx, e.hook.timeout, call)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("Post %q: %w", call.URL, err)
	case reply.Code < http.StatusOK || reply.Code > http.StatusPartialContent:
		return nil, fmt.Errorf("%s", reply.failure())
	case len(reply.Body) == 0:
		return nil, fmt.Errorf("0-length response with status code: %d and content type: %s", reply.Code,
			reply.ContentType)
	}
	return reply.Body, nil
}
