package webhooks

import (
	"context"

	"github.com/tabernetes/tabernetes/core/admission"
)

// validate calls all webhooks for a write at once and waits for all of them. If several refuse it,
// the first answer counts; all warnings are passed on.
func (w *Plugin) validate(ctx context.Context, a *admission.Attributes, hooks []*hook) error {
	r := w.source().Request(a)
	type opinion struct {
		warnings []string
		err      error
	}
	opinions := make(chan opinion)
	var meetings []*meeting
	for _, h := range hooks {
		m, err := w.meet(ctx, r, h)
		if err != nil {
			return err
		}
		if m != nil {
			meetings = append(meetings, m)
		}
	}
	for _, m := range meetings {
		go func() {
			said, err := w.callHook(ctx, m.hook, a, m.form, false)
			opinions <- opinion{said.warnings, m.failing(ctx, err)}
		}()
	}
	var first error
	for range meetings {
		o := <-opinions
		for _, text := range o.warnings {
			a.Warn(text)
		}
		if first == nil {
			first = o.err
		}
	}
	return first
}
