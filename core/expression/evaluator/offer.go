package evaluator

import (
	"slices"
	"strings"
	"unicode"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"

	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/expression/syntax"
)

// An offering finds the names that may be written somewhere.
type offering struct {
	env *cel.Env
	// fields knows the fields of types.
	fields *provider
	text   []rune
	tokens []syntax.Token
	pairs  []int
}

// complete fills in what may be written at the offset.
func (r *reviewed) complete(o *offering, asked *expression.Review) {
	places := newPlaces(syntax.Tokens(asked.Text), asked.Text, nil)
	o.text, o.tokens, o.pairs = []rune(asked.Text), places.tokens, places.pairs
	cursor := 0
	for cursor < len(o.text) && places.unit(cursor) < asked.Offset {
		cursor++
	}
	before := len(o.tokens) // the tokens that end before the name that is being written
	for before > 0 && o.tokens[before-1].To > cursor {
		before--
	}
	from := cursor
	switch {
	case before > 0 && o.tokens[before-1].Name && o.tokens[before-1].To == cursor:
		before--
		from = o.tokens[before].From
	case before > 0 && o.tokens[before-1].To == cursor && endsValue(o.tokens[before-1]):
		r.From = places.unit(cursor)
		return
	case before < len(o.tokens) && o.tokens[before].From < cursor:
		if !o.tokens[before].Name { // within a text
			r.From = places.unit(cursor)
			return
		}
		from = o.tokens[before].From
	}
	r.From = places.unit(from)
	env := o.bound(before)
	if before > 0 && o.tokens[before-1].Text == "?" {
		before--
	}
	if before == 0 || o.tokens[before-1].Text != "." {
		if d := o.constructed(before); d != nil {
			r.Items = d
			return
		}
		r.Items = sortOffered(o.names(env, ""))
		return
	}
	start := o.operand(before - 1)
	receiver := string(o.text[o.tokens[start].From:o.tokens[before-1].From])
	r.Items = o.names(env, receiver+".")
	if tree, issues := env.Compile(receiver); issues.Err() == nil {
		t := tree.OutputType()
		r.Before = cel.FormatCELType(t)
		r.Items = append(r.Items, o.members(env, t)...)
	}
	r.Items = sortOffered(r.Items)
}

// endsValue reports whether a token that is no name ends a value, so that no name can be right behind it.
func endsValue(t syntax.Token) bool {
	last := rune(t.Text[len(t.Text)-1])
	return t.Closes || strings.ContainsRune(`"'`, last) || unicode.IsDigit(last) || unicode.IsLetter(last)
}

// operand returns the first token of what a dot is after.
func (o *offering) operand(dot int) int {
	i := dot - 1
	for i >= 0 {
		t := o.tokens[i]
		if t.Closes && o.pairs[i] < i {
			i = o.pairs[i]
			if i > 0 && o.tokens[i].Text != "{" && (o.tokens[i-1].Name || o.tokens[i-1].Closes) || i > 0 &&
				o.tokens[i].Text == "{" && o.tokens[i-1].Name {
				i--
				continue
			}
		}
		if i > 0 && o.tokens[i-1].Text == "?" && i > 1 && o.tokens[i-2].Text == "." {
			i -= 3
			continue
		}
		if i > 0 && o.tokens[i-1].Text == "." {
			i -= 2
			continue
		}
		break
	}
	return max(i, 0)
}

// bound returns the environment with the names that the macros around a token bind.
func (o *offering) bound(at int) *cel.Env {
	env := o.env
	for i := range at {
		if !o.tokens[i].Opens || o.pairs[i] != i && o.pairs[i] < at || i < 3 || o.tokens[i-2].Text != "." {
			continue
		}
		names := o.arguments(i, at)
		if len(names) == 0 {
			continue
		}
		of := o.operand(i - 2)
		tree, issues := env.Compile(string(o.text[o.tokens[of].From:o.tokens[i-2].From]))
		if issues.Err() != nil {
			continue
		}
		var options []cel.EnvOption
		for n, t := range itemTypes(o.tokens[i-1].Text, tree.OutputType(), len(names)) {
			options = append(options, cel.Variable(names[n], t))
		}
		if extended, err := env.Extend(options...); err == nil {
			env = extended
		}
	}
	return env
}

// macroNames are how many names macros bind at most.
var macroNames = map[string]int{"all": 2, "exists": 2, "exists_one": 2, "existsOne": 2, "map": 1, "filter": 1,
	"transformList": 2, "transformMap": 2, "transformMapEntry": 2, "optMap": 1, "optFlatMap": 1}

// arguments returns the names that a macro binds, if a token is behind them.
func (o *offering) arguments(open, at int) (names []string) {
	most := macroNames[o.tokens[open-1].Text]
	for i := open + 1; i+1 < at && len(names) < most && o.tokens[i].Name && o.tokens[i+1].Text == ","; i += 2 {
		names = append(names, o.tokens[i].Text)
	}
	return names
}

// itemTypes returns the types of the names that a macro binds.
func itemTypes(macro string, of *cel.Type, names int) []*cel.Type {
	parameter := func(i int) *cel.Type {
		if p := of.Parameters(); i < len(p) {
			return p[i]
		}
		return cel.DynType
	}
	first, second := cel.DynType, cel.DynType
	switch {
	case strings.HasPrefix(macro, "opt"):
		first = parameter(0)
	case of.Kind() == types.ListKind && names == 1:
		first = parameter(0)
	case of.Kind() == types.ListKind:
		first, second = cel.IntType, parameter(0)
	case of.Kind() == types.MapKind:
		first, second = parameter(0), parameter(1)
	}
	return []*cel.Type{first, second}[:names]
}

// constructed returns the fields of the object that is being constructed around a token; nil without one.
func (o *offering) constructed(at int) (all []offered) {
	if at == 0 || o.tokens[at-1].Text != "{" && o.tokens[at-1].Text != "," {
		return nil
	}
	depth := 0
	for i := at - 1; i > 0; i-- {
		switch t := o.tokens[i]; {
		case t.Closes:
			depth++
		case t.Opens && depth > 0:
			depth--
		case t.Opens:
			if t.Text != "{" || !o.tokens[i-1].Name {
				return nil
			}
			name := string(o.text[o.tokens[(&places{tokens: o.tokens}).name(i-1)].From:o.tokens[i-1].To])
			return o.constructible(name)
		}
	}
	return nil
}

// constructible returns the fields of a type that mutations construct: of an Object those of the objects.
func (o *offering) constructible(name string) (all []offered) {
	if name == patchName {
		for _, f := range []string{"op", "path", "from", "value"} {
			t, _ := mutationProvider{}.FindStructFieldType(patchName, f)
			all = append(all, offered{f, isField, cel.FormatCELType(t.Type)})
		}
		return all
	}
	steps := strings.Split(name, ".")
	if steps[0] != objectName {
		return nil
	}
	d := o.object()
	for _, step := range steps[1:] {
		if d == nil {
			return nil
		}
		if d = d.fields[step]; d != nil && d.elem != nil {
			d = d.elem
		}
	}
	if d == nil {
		return nil
	}
	for _, f := range fieldNames(d) {
		all = append(all, offered{f, isField, cel.FormatCELType(d.fields[f].Type)})
	}
	return all
}

// object returns the type of the variable object, if it is known.
func (o *offering) object() *declared {
	for _, v := range o.env.Variables() {
		if v.Name() == "object" {
			return o.fields.objects[v.Type().TypeName()]
		}
	}
	return nil
}

// names returns the variables, functions and macros that begin with a prefix, without it.
func (o *offering) names(env *cel.Env, prefix string) (all []offered) {
	add := func(name, what, is string) {
		rest, ok := strings.CutPrefix(name, prefix)
		if ok && isName(rest) {
			all = append(all, offered{rest, what, is})
		}
	}
	for _, v := range env.Variables() {
		if v.Type().Kind() != types.TypeKind {
			add(v.Name(), isVariable, cel.FormatCELType(v.Type()))
		}
	}
	for name, f := range env.Functions() {
		if is := signatures(f, nil); is != "" {
			add(name, isFunction, is)
		}
	}
	if prefix == "" {
		for _, m := range env.Macros() {
			if !m.IsReceiverStyle() {
				add(m.Function(), isMacro, "")
			}
		}
		if _, ok := env.CELTypeProvider().FindStructType(objectName); ok {
			add(objectName, isType, "")
			add(patchName, isType, "")
		}
	}
	return all
}

// isName reports whether something can be written: not an operator, and nothing internal.
func isName(name string) bool {
	return name != "" && name != "in" && !strings.ContainsAny(name[:1], "@_!-") && !strings.ContainsAny(name, "@ ")
}

// members returns what may follow a dot after a value.
func (o *offering) members(env *cel.Env, t *cel.Type) (all []offered) {
	if d := o.fields.objects[t.TypeName()]; d != nil {
		for _, name := range fieldNames(d) {
			all = append(all, offered{name, isField, cel.FormatCELType(d.fields[name].Type)})
		}
	}
	for name, f := range env.Functions() {
		if is := signatures(f, t); is != "" && isName(name) {
			all = append(all, offered{name, isMethod, is})
		}
	}
	kind := t.Kind()
	for _, m := range env.Macros() {
		optional := strings.HasPrefix(m.Function(), "opt")
		loops := !optional && (kind == types.ListKind || kind == types.MapKind)
		if m.IsReceiverStyle() && (kind == types.DynKind || loops || optional && t.TypeName() == "optional_type") {
			all = append(all, offered{m.Function(), isMacro, ""})
		}
	}
	return all
}

// maxSignatures is how many signatures of a function are named.
const maxSignatures = 3

// signatures returns those of the overloads of a function that can be called of a value of a type, or by itself for
// nil; empty: none.
func signatures(f *decls.FunctionDecl, of *cel.Type) string {
	var found []string
	for _, o := range f.OverloadDecls() {
		args := o.ArgTypes()
		known := map[string]*cel.Type{}
		if o.IsMemberFunction() != (of != nil) || of != nil && !fits(of, args[0], known) {
			continue
		}
		if of != nil {
			args = args[1:]
		}
		var names []string
		for _, a := range args {
			names = append(names, typeText(a, known))
		}
		is := "(" + strings.Join(names, ", ") + ") -> " + typeText(o.ResultType(), known)
		if !slices.Contains(found, is) {
			found = append(found, is)
		}
	}
	if len(found) > maxSignatures {
		found = append(found[:maxSignatures], "…")
	}
	return strings.Join(found, " | ")
}

// typeText returns a type with the parameters that are known.
func typeText(t *cel.Type, known map[string]*cel.Type) string {
	parameters := t.Parameters()
	switch {
	case known[t.TypeName()] != nil && t.Kind() == types.TypeParamKind:
		return cel.FormatCELType(known[t.TypeName()])
	case len(parameters) == 0 || len(known) == 0:
		return cel.FormatCELType(t)
	}
	var texts []string
	for _, p := range parameters {
		texts = append(texts, typeText(p, known))
	}
	return t.TypeName() + "(" + strings.Join(texts, ", ") + ")"
}

// fits reports whether a value of a type may be given where another type is wanted, whose parameters become known.
func fits(is, want *cel.Type, known map[string]*cel.Type) bool {
	switch {
	case want.Kind() == types.TypeParamKind:
		known[want.TypeName()] = is
		return true
	case want.Kind() == types.DynKind || is.Kind() == types.DynKind:
		return true
	case is.Kind() != want.Kind() || is.TypeName() != want.TypeName():
		return false
	}
	parameters := is.Parameters()
	for i, p := range want.Parameters() {
		if i < len(parameters) && !fits(parameters[i], p, known) {
			return false
		}
	}
	return true
}
