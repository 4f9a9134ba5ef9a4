package admission

import (
	"context"

	"github.com/tabernetes/tabernetes/core/registry"
)

// validate shows a write to all hooks at once and waits for all of them. Of several
// that refuse it the first to answer counts; the warnings of all do.
func (w *Webhooks) validate(ctx context.Context, v *registry.Review, hooks []*hook) error {
	m := newMatcher(w.Registry, v)
	type opinion struct {
		warnings []string
		err      error
	}
	opinions := make(chan opinion)
	var matches []*match
	var forms []*form
	for _, h := range hooks {
		match, err := m.match(h, v)
		if err != nil {
			return err
		}
		if match == nil {
			continue
		}
		matches, forms = append(matches, match), append(forms, formOf(match, v))
	}
	for i, match := range matches {
		go func() {
			said, err := w.consult(ctx, match.hook, v, forms[i], false)
			opinions <- opinion{said.warnings, match.failing(ctx, err)}
		}()
	}
	var first error
	for range matches {
		o := <-opinions
		for _, text := range o.warnings {
			v.Warn(text)
		}
		if first == nil {
			first = o.err
		}
	}
	return first
}
