package apiserver

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/status"
)

// A scripted body has a part of an object, and ends after a time: with an error, or, without one, completely.
type scripted struct {
	*strings.Reader
	after time.Duration
	err   error
}

func (b *scripted) Read(p []byte) (int, error) {
	if n, err := b.Reader.Read(p); err == nil {
		return n, nil
	}
	time.Sleep(b.after)
	if b.err != nil {
		return 0, b.err
	}
	return 0, io.EOF
}

func (*scripted) Close() error { return nil }

// TestBodyOfWhoHasLeft reads bodies of clients that leave: what ended the request is the error, whatever the body
// says of it, if it came first.
func TestBodyOfWhoHasLeft(t *testing.T) {
	const leaves = time.Second
	cause := errors.New("the client has left")
	for _, test := range []struct {
		name  string
		after time.Duration
		body  error // nil: it is complete
		want  error // nil: a BadRequest, if the body has an error
	}{
		{"broken after the context", 2 * leaves, io.ErrUnexpectedEOF, cause},
		{"complete after the context", 2 * leaves, nil, cause},
		{"the context's error after it", 2 * leaves, context.Canceled, cause},
		{"a host's error after the context", 2 * leaves, http.ErrBodyReadAfterClose, cause},
		{"complete before the context", leaves / 2, nil, nil},
		{"broken before the context", leaves / 2, io.ErrUnexpectedEOF, nil},
		{"not awaited any longer by the host, after the context", 2 * leaves, os.ErrDeadlineExceeded, errRequestTimeout},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, end := context.WithCancelCause(t.Context())
				defer end(nil)
				time.AfterFunc(leaves, func() { end(cause) })
				r := httptest.NewRequest("POST", "/api/v1/namespaces/default/configmaps", &scripted{
					strings.NewReader(`{"metadata":{"name":"a"}}`), test.after, test.body}).WithContext(ctx)
				body, err := readWhole(r, 1000, nil, new(bytes.Buffer))
				switch {
				case test.want != nil && (!errors.Is(err, test.want) || body != nil):
					t.Errorf("%q, %v", body, err)
				case test.want == nil && test.body == nil && (err != nil || len(body) == 0):
					t.Errorf("%q, %v", body, err)
				case test.want == nil && test.body != nil && !status.Is(err, status.BadRequest):
					t.Errorf("%q, %v", body, err)
				}
			})
		})
	}
}

// TestLateBody has a body that comes after the request's deadline, in either order of what the body says: the answer
// is that of the deadline.
func TestLateBody(t *testing.T) {
	for _, body := range []error{nil, io.ErrUnexpectedEOF} {
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := clock.WithTimeout(t.Context(), clock.Real(), time.Second, errRequestTimeout)
			defer stop()
			r := httptest.NewRequest("POST", "/", &scripted{strings.NewReader("{}"), 2 * time.Second, body}).WithContext(ctx)
			if _, err := readWhole(r, 1000, nil, new(bytes.Buffer)); !errors.Is(err, errRequestTimeout) {
				t.Errorf("%v: %v", body, err)
			}
		})
	}
}
