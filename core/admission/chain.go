package admission

import "context"

// A Plugin sees writes in the phases whose interfaces it implements: Prechecker, Mutator, Checker,
// Validator, or several of them.
type Plugin any

// A Prechecker may refuse a request before anything else is done for it: the object is as the
// client sent it. It also sees virtual objects that are part of a stored one, such as a Binding.
type Prechecker interface {
	Precheck(context.Context, *Attributes) error
}

// A Mutator may change an object in place, before it is defaulted again and validated, or
// refuse it.
type Mutator interface {
	Mutate(context.Context, *Attributes) error
}

// A Checker may refuse an object in the same phase: it sees the object as changed by the mutators
// before it in the chain, and does not change it.
type Checker interface {
	Check(context.Context, *Attributes) error
}

// A Validator may refuse a valid object just before it is stored. It does not change it.
type Validator interface {
	Validate(context.Context, *Attributes) error
}

// A Chain is the plugins that every write passes, in order.
type Chain []Plugin

// Precheck calls the precheckers.
func (c Chain) Precheck(ctx context.Context, a *Attributes) error {
	for _, plugin := range c {
		if p, ok := plugin.(Prechecker); ok {
			if err := p.Precheck(ctx, a); err != nil {
				return err
			}
		}
	}
	return nil
}

// Mutate calls the mutators and the checkers; all of them again if one has changed the object in a way that
// others asked to see: see Repeats.
func (c Chain) Mutate(ctx context.Context, a *Attributes) error {
	a.passes = passes{}
	if err := c.pass(ctx, a); err != nil || !a.passes.asked {
		return err
	}
	a.passes.second = true
	return c.pass(ctx, a)
}

func (c Chain) pass(ctx context.Context, a *Attributes) error {
	for _, plugin := range c {
		if p, ok := plugin.(Mutator); ok {
			if err := p.Mutate(ctx, a); err != nil {
				return err
			}
		}
		if p, ok := plugin.(Checker); ok {
			if err := p.Check(ctx, a); err != nil {
				return err
			}
		}
	}
	return nil
}

// Validate calls the validators.
func (c Chain) Validate(ctx context.Context, a *Attributes) error {
	for _, plugin := range c {
		if p, ok := plugin.(Validator); ok {
			if err := p.Validate(ctx, a); err != nil {
				return err
			}
		}
	}
	return nil
}
