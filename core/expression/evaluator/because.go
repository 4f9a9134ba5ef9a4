package evaluator

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// because returns the smallest parts that made an expression false, or an error; none of others.
func because(p *shown) []*shown {
	switch {
	case types.IsError(p.v):
		return failing(p)
	case p.v == types.False:
		return deciding(p, types.False)
	}
	return nil
}

// failing returns the innermost parts with an error.
func failing(p *shown) (all []*shown) {
	inner := p.Parts
	for _, t := range p.Loop {
		inner = append(inner[:len(inner):len(inner)], t.Parts...)
	}
	for _, one := range inner {
		if types.IsError(one.v) {
			all = append(all, failing(one)...)
		}
	}
	if all == nil {
		all = []*shown{p}
	}
	return all
}

// deciding returns the smallest parts that made one true or false.
func deciding(p *shown, is ref.Val) (all []*shown) {
	of := func(parts []*shown, is ref.Val) {
		for _, one := range parts {
			if one.v == is {
				all = append(all, deciding(one, is)...)
			}
		}
	}
	switch {
	case p.e.Kind() == ast.ComprehensionKind:
		// What all of its items say decides, unless one alone does.
		if c := p.e.AsComprehension(); is == types.False && c.AccuInit().Kind() == ast.LiteralKind &&
			c.AccuInit().AsLiteral() == types.True {
			for _, t := range p.Loop {
				of(t.Parts, is)
			}
		}
	case p.e.Kind() != ast.CallKind:
	case logic(p.e) != "":
		of(p.Parts, is)
	case p.e.AsCall().FunctionName() == operators.LogicalNot:
		of(p.Parts, types.Bool(is == types.False))
	case isConditional(p.e):
		for _, one := range p.Parts {
			if one.e.ID() != p.e.AsCall().Args()[0].ID() {
				of([]*shown{one}, is)
			}
		}
	}
	if all == nil {
		all = []*shown{p}
	}
	return all
}

// fieldsIn returns the largest parts that only read: variables, their fields and items.
func fieldsIn(p *shown) (all []*shown) {
	if reads(p.e) && !p.Unevaluated && p.Error == "" {
		switch p.v.Value().(type) {
		case asking, *variables: // which have nothing to show
			return nil
		}
		return []*shown{p}
	}
	for _, one := range p.Parts {
		all = append(all, fieldsIn(one)...)
	}
	return all
}

func reads(e ast.Expr) bool {
	switch {
	case e.Kind() == ast.IdentKind:
		return true
	case e.Kind() == ast.SelectKind:
		return !e.AsSelect().IsTestOnly() && reads(e.AsSelect().Operand())
	case isIndex(e):
		return reads(e.AsCall().Args()[0])
	}
	return false
}

// keys returns the keys and positions by which an expression that only reads does so.
func keys(e ast.Expr) []ast.Expr {
	switch {
	case e.Kind() == ast.SelectKind:
		return keys(e.AsSelect().Operand())
	case isIndex(e):
		args := e.AsCall().Args()
		return append(keys(args[0]), args[1])
	}
	return nil
}
