package evaluator

import (
	"context"

	"github.com/tabernetes/tabernetes/core/internal/structural"
)

// Compiling takes up to some seconds and hundreds of megabytes in passing. So the rules of one schema are
// compiled at a time in the whole process, however many clusters it has: but short ones, of at most shortWork,
// wait for each other only.
const shortWork = structural.MaxRuleWork / 20

var shortTurn, longTurn = make(chan struct{}, 1), make(chan struct{}, 1)

// enter waits until rules of so much work may be compiled, and returns a function that ends that. The error is that ctx
// has ended.
func enter(ctx context.Context, work int64) (leave func(), err error) {
	turn := shortTurn
	if work > shortWork {
		turn = longTurn
	}
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
