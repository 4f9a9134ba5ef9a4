package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/devserver/site"
)

// descriptionsTimeout is how long a request waits for descriptions that are still being made: on a new machine
// Kubernetes' sources are downloaded for them, which takes longer than kubectl waits for an answer.
const descriptionsTimeout = 5 * time.Second

// descriptions loads the descriptions of Kubernetes' types: from the site that is served, or else as a build of the
// site would make them.
func (o options) descriptions(ctx context.Context) ([]byte, error) {
	if !o.apiOnly {
		return os.ReadFile(filepath.Join(o.dir, wellknown.DescriptionsFile))
	}
	if o.pendingDescriptions != nil {
		return o.pendingDescriptions.wait(ctx)
	}
	return makeDescriptions(ctx)
}

func makeDescriptions(ctx context.Context) ([]byte, error) {
	root, err := site.Root()
	if err != nil {
		return nil, err
	}
	return site.Descriptions(ctx, root, filepath.Join(root, ".cache"))
}

// A pendingText is a text that is being made in the background.
type pendingText struct {
	timeout time.Duration
	done    chan struct{} // closed when the rest is set
	text    []byte
	err     error
}

// startPending begins to make a text in the background.
func startPending(ctx context.Context, timeout time.Duration, work func(context.Context) ([]byte, error)) *pendingText {
	m := &pendingText{timeout: timeout, done: make(chan struct{})}
	go func() {
		defer close(m.done)
		m.text, m.err = work(ctx)
	}()
	return m
}

// wait returns the text, or an error if it is not ready in time.
func (m *pendingText) wait(ctx context.Context) ([]byte, error) {
	late := time.NewTimer(m.timeout)
	defer late.Stop()
	select {
	case <-m.done:
		return m.text, m.err
	case <-late.C:
		return nil, errors.New("the descriptions are still being made")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
