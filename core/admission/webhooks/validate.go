package webhooks

import (
	"context"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/status"
)

// validate calls all webhooks for a write at once and waits for all of them. If several refuse it,
// the first answer counts; all warnings are passed on.
func (w *Plugin) validate(ctx context.Context, a *admission.Attributes, hooks []*hook) error {
	m := w.newMatcher(a)
	type opinion struct {
		warnings []string
		err      error
	}
	opinions := make(chan opinion)
	var matches []*match
	var forms []*form
	for _, h := range hooks {
		match, err := m.match(h, a)
		if err != nil {
			return err
		}
		if match == nil {
			continue
		}
		form, err := formOf(ctx, match, a)
		if err != nil {
			return status.NewInternal(err)
		}
		matches, forms = append(matches, match), append(forms, form)
	}
	for i, match := range matches {
		go func() {
			said, err := w.callHook(ctx, match.hook, a, forms[i], false)
			opinions <- opinion{said.warnings, match.failing(ctx, err)}
		}()
	}
	var first error
	for range matches {
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
