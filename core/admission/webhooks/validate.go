package webhooks

import (
	"context"

	"github.com/tabernetes/tabernetes/core/admission"
)

// validate shows a write to all hooks at once and waits for all of them. Of several
// that refuse it the first to answer counts; the warnings of all do.
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
		matches, forms = append(matches, match), append(forms, formOf(match, a))
	}
	for i, match := range matches {
		go func() {
			said, err := w.consult(ctx, match.hook, a, forms[i], false)
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
