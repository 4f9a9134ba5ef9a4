package evaluator

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"

	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/expression/syntax"
	"github.com/tabernetes/tabernetes/core/internal/structural"
)

// What a review answers.
type (
	reviewed struct {
		Problems []problem `json:"problems"`
		Type     string    `json:"type,omitempty"`
		Wants    string    `json:"wants,omitempty"`
		// From is where the name begins that is being written, in UTF-16; Before the type of what is before the dot.
		From   int       `json:"from"`
		Before string    `json:"before,omitempty"`
		Items  []offered `json:"items"`
		Part   *stretch  `json:"part,omitempty"`
	}
	// A problem is one of a text, with its place.
	problem struct {
		Start   int    `json:"start"`
		End     int    `json:"end"`
		Message string `json:"message"`
		Warning bool   `json:"warning,omitempty"`
	}
	// An offered is a name that may be written.
	offered struct {
		Name string `json:"name"`
		What string `json:"what"`
		Type string `json:"type,omitempty"`
	}
)

// What an offered name is.
const (
	isField    = "field"
	isMethod   = "method"
	isMacro    = "macro"
	isVariable = "variable"
	isFunction = "function"
	isType     = "type"
)

// maxReviewed is how long an expression may be that is reviewed, in characters.
const maxReviewed = structural.MaxExpression

// Review implements expression.Evaluator.
func (e Evaluator) Review(ctx context.Context, r *expression.Review) (json.RawMessage, error) {
	work := int64(0)
	if r.Unit != nil && r.Schema == nil {
		work = workOf(r.Unit)
	}
	leave, err := enter(ctx, work)
	if err != nil {
		return nil, err
	}
	defer leave()
	made := &reviewed{Problems: []problem{}, Items: []offered{}}
	if utf8.RuneCountInString(r.Text) > maxReviewed {
		return marshal(made), nil
	}
	if r.Schema != nil {
		err = made.rule(r)
	} else if r.Unit != nil {
		err = made.unit(ctx, r)
	}
	if err != nil {
		return nil, err
	}
	return marshal(made), nil
}

// unit reviews an expression of a unit.
func (r *reviewed) unit(ctx context.Context, asked *expression.Review) error {
	env, is, _, err := environmentOf(ctx, asked.Unit, asked)
	if err != nil {
		return err
	}
	tree := r.check(env, asked.Text, false)
	may := returnTypes[is.Returns]
	r.Wants = string(is.Returns)
	if tree != nil {
		r.Type = cel.FormatCELType(tree.OutputType())
		if wrong := wrongReturn(tree.OutputType(), may); wrong != "" {
			r.Problems = append(r.Problems, problem{End: utf16Len(asked.Text), Message: wrong})
		}
	}
	known := asked.Typed
	if known == nil {
		known = asked.Unit
	}
	typed, _, fields, err := environmentOf(ctx, known, asked)
	if err != nil {
		return err
	}
	if asked.Typed != nil && tree != nil {
		before := len(r.Problems)
		if tree = r.check(typed, asked.Text, true); !asked.Warns {
			r.Problems = r.Problems[:before]
		}
	}
	r.complete(&offering{env: typed, fields: fields}, asked)
	r.part(tree, asked)
	return nil
}

// environmentOf returns the environment of an expression of a unit, with the types of its variables, and what is said
// of the expression.
func environmentOf(
	ctx context.Context, u *expression.Unit, r *expression.Review,
) (*cel.Env, expression.Expression, *provider, error) {
	c, err := newUnitCompilation(u, watching{traced: true})
	if err != nil {
		return nil, expression.Expression{}, nil, err
	}
	is := expression.Expression{}
	for i, v := range u.Variables {
		if r.Variable && i == r.Index {
			break
		}
		if ctx.Err() != nil {
			return nil, expression.Expression{}, nil, context.Cause(ctx)
		}
		_, t, _ := c.compile(expression.Expression{Text: v.Expression})
		c.variables.fields[v.Name] = &declared{Type: variableType(t)}
	}
	if !r.Variable && r.Index >= 0 && r.Index < len(u.Expressions) {
		is = u.Expressions[r.Index]
	}
	env := c.asking
	if is.NoAuthorizer {
		env = c.env
	} else if c.typed && u.Authorizer {
		env, err = env.Extend(cel.Variable("authorizer.requestResource", resourceCheckBox.Type))
	}
	return env, is, c.known, err
}

// rule reviews an expression of a rule.
func (r *reviewed) rule(asked *expression.Review) error {
	s, root := structural.Parse(asked.Schema), true
	for i := 0; i < len(asked.At) && s != nil; i++ {
		next := ""
		if i+1 < len(asked.At) {
			next = asked.At[i+1]
		}
		switch asked.At[i] {
		case "items":
			s = s.Items
		case "additionalProperties":
			s = s.Additional
		case "properties":
			s, i = s.Properties[next], i+1
		case "allOf": // which is about what is around it
			i++
			continue
		default:
			s = nil
		}
		root = s != nil && s.Embedded
	}
	d := declare(s, root, selfName)
	if d == nil {
		r.Problems = append(r.Problems, problem{End: utf16Len(asked.Text),
			Message: "rules cannot see values of this schema: it has no type"})
		return nil
	}
	base := environment()
	known := newProvider(base.CELTypeProvider(), d)
	old := d.Type
	if asked.Optional {
		old = cel.OptionalType(old)
	}
	env, err := base.Extend(watching{traced: true}.with(cel.CustomTypeProvider(known), cel.Variable("self", d.Type),
		cel.Variable("oldSelf", old))...)
	if err != nil {
		return err
	}
	want, wrong := cel.BoolType, "cel expression must evaluate to a bool"
	if asked.Message {
		want, wrong = cel.StringType, "messageExpression must evaluate to a string"
	}
	r.Wants = cel.FormatCELType(want)
	tree := r.check(env, asked.Text, false)
	if tree != nil {
		if r.Type = cel.FormatCELType(tree.OutputType()); tree.OutputType() != want {
			r.Problems = append(r.Problems, problem{End: utf16Len(asked.Text), Message: wrong})
		}
	}
	r.complete(&offering{env: env, fields: known}, asked)
	r.part(tree, asked)
	return nil
}

func utf16Len(text string) int { return len(utf16.Encode([]rune(text))) }

// check compiles a text, and adds its problems; nil if there are any.
func (r *reviewed) check(env *cel.Env, text string, warning bool) *cel.Ast {
	parsed, issues := env.Parse(text)
	if issues.Err() == nil {
		var checked *cel.Ast
		if checked, issues = env.Check(parsed); issues.Err() == nil {
			return checked
		}
	}
	places, exprs := newPlaces(syntax.Tokens(text), text, ast.NewSourceInfo(nil)), map[int64]ast.Expr{}
	if parsed != nil {
		places.info = parsed.NativeRep().SourceInfo()
		ast.PostOrderVisit(parsed.NativeRep().Expr(), ast.NewExprVisitor(func(e ast.Expr) { exprs[e.ID()] = e }))
	}
	lines := strings.Split(text, "\n")
	for _, e := range issues.Errors() {
		p := problem{Message: e.Message, Warning: warning}
		character := max(e.Location.Column(), 0)
		for _, line := range lines[:min(max(e.Location.Line()-1, 0), len(lines))] {
			character += utf8.RuneCountInString(line) + 1
		}
		p.Start, p.End = places.unit(character), places.unit(character+1)
		if i, ok := places.at[character]; ok {
			p.End = places.unit(places.tokens[i].To)
		}
		if e := exprs[e.ExprID]; e != nil {
			p.Start, p.End = places.of(e)
		}
		r.Problems = append(r.Problems, p)
	}
	return nil
}

// part finds the smallest part around the offset.
func (r *reviewed) part(tree *cel.Ast, asked *expression.Review) {
	if tree == nil {
		return
	}
	x := newExplainer(asked.Text, tree.NativeRep())
	for id, e := range x.parts {
		if e.Kind() == ast.ComprehensionKind {
			if _, isMacro := x.tree.SourceInfo().GetMacroCall(id); !isMacro {
				continue
			}
		}
		if e.Kind() == ast.LiteralKind || x.tree.GetType(id) == nil || isAccumulator(e) {
			continue
		}
		s := stretch{Type: x.typeName(id, nil)}
		s.Start, s.End = x.places.of(e)
		if s.Start > asked.Offset || asked.Offset > s.End {
			continue
		}
		if r.Part == nil || s.End-s.Start < r.Part.End-r.Part.Start {
			r.Part = &s
		}
	}
}

// isAccumulator reports whether an expression is the result so far of a loop, which is written nowhere.
func isAccumulator(e ast.Expr) bool {
	return e.Kind() == ast.IdentKind && strings.HasPrefix(e.AsIdent(), "@")
}

// sortOffered sorts names: fields first.
func sortOffered(all []offered) []offered {
	order := []string{isField, isVariable, isMacro, isMethod, isFunction, isType}
	slices.SortFunc(all, func(a, b offered) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.What), slices.Index(order, b.What)), cmp.Compare(a.Name, b.Name))
	})
	return slices.CompactFunc(all, func(a, b offered) bool { return a.Name == b.Name && a.What == b.What })
}

func fieldNames(d *declared) []string { return slices.Sorted(maps.Keys(d.fields)) }
