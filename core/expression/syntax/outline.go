package syntax

import (
	"errors"
	"strconv"
	"strings"
)

// The kinds of nodes, as the real parser numbers them.
const (
	CallNode    = 1
	NameNode    = 3
	ListNode    = 4
	LiteralNode = 5
	MapNode     = 6
	SelectNode  = 7
	StructNode  = 8
)

// A Node is an expression or a part of one, for programs that allow few forms of expressions and take them apart
// themselves. Taking a node apart costs time linear in its length, and those with many levels in the square of it.
type Node struct {
	p      *parser
	tokens []token // not empty
}

// Outline parses an expression, which may not use macros. The error is the first one, without its place.
func Outline(expr string) (Node, error) {
	p := &parser{lexer: lexer{src: []rune(expr), position: position{line: 1}}}
	p.tokens()
	p.start()
	if len(p.found) > 0 {
		return Node{}, errors.New(p.found[0].text)
	}
	return Node{p, p.all[:len(p.all)-1]}, nil
}

// bare returns the node without the parentheses around it.
func (n Node) bare() Node {
	for n.tokens[0].kind == openParen && n.opens() == 0 {
		n.tokens = n.tokens[1 : len(n.tokens)-1]
	}
	return n
}

// opens returns the place of the bracket that the last token closes, -1 if it closes none.
func (n Node) opens() int {
	depth := 0
	for i := len(n.tokens) - 1; i >= 0; i-- {
		switch n.tokens[i].kind {
		case closeParen, closeBracket, closeBrace:
			depth++
		case openParen, openBracket, openBrace:
			depth--
		}
		if depth == 0 {
			if i == len(n.tokens)-1 {
				return -1
			}
			return i
		}
	}
	return -1
}

// beforeOperand are tokens after which no binary operator comes.
const beforeOperand set = binary | 1<<question | 1<<colon | 1<<exclamation | 1<<dot

// split splits the node at the tokens of some kinds outside of brackets, as far as they are binary operators.
func (n Node) split(kinds set) (parts []Node, operators []kind) {
	depth, from := 0, 0
	for i, t := range n.tokens {
		switch t.kind {
		case openParen, openBracket, openBrace:
			depth++
		case closeParen, closeBracket, closeBrace:
			depth--
		}
		if depth == 0 && kinds.has(t.kind) && i > 0 && !beforeOperand.has(n.tokens[i-1].kind) {
			parts, operators = append(parts, Node{n.p, n.tokens[from:i]}), append(operators, t.kind)
			from = i + 1
		}
	}
	return append(parts, Node{n.p, n.tokens[from:]}), operators
}

// levels are the binary operators, those that bind least first.
var levels = []set{
	1 << question, 1 << or, 1 << and,
	1<<equals | 1<<notEquals | 1<<in | 1<<less | 1<<lessEquals | 1<<greaterEquals | 1<<greater,
	1<<plus | 1<<minus, 1<<star | 1<<slash | 1<<percent,
}

// Or returns the operands of a chain of ||; one for any other expression.
func (n Node) Or() []Node {
	n = n.bare()
	if parts, _ := n.split(1 << question); len(parts) > 1 {
		return []Node{n}
	}
	parts, _ := n.split(1 << or)
	return parts
}

// Call returns the function of a call and its arguments without the object that it is a method of; ok is false for
// what is no call. The functions of operators are named as in the real parser, and have no arguments here.
func (n Node) Call() (function string, arguments []Node, ok bool) {
	n = n.bare()
	for _, level := range levels {
		if _, operators := n.split(level); operators != nil {
			return operatorName(n.p, operators[len(operators)-1]), nil, true
		}
	}
	switch n.tokens[0].kind {
	case exclamation:
		return "!_", nil, true
	case minus:
		if len(n.tokens) > 2 || n.tokens[1].kind != integer && n.tokens[1].kind != number {
			return "-_", nil, true
		}
	}
	at := n.opens()
	if at <= 0 {
		return "", nil, false
	}
	switch n.tokens[at].kind {
	case openBracket:
		return "_[_]", nil, true
	case openBrace:
		return "", nil, false
	}
	if inner := n.tokens[at+1 : len(n.tokens)-1]; len(inner) > 0 {
		arguments, _ = Node{n.p, inner}.split(1 << comma)
	}
	return n.p.text(&n.tokens[at-1]), arguments, true
}

func operatorName(p *parser, k kind) string {
	switch k {
	case question:
		return "_?_:_"
	case in:
		return "@in"
	}
	return "_" + strings.Trim(strings.Fields(kindNames)[k], "'") + "_"
}

// Kind returns the kind of the node.
func (n Node) Kind() int {
	n = n.bare()
	if _, _, ok := n.Call(); ok {
		return CallNode
	}
	last := n.tokens[len(n.tokens)-1].kind
	switch {
	case last == closeBracket:
		return ListNode
	case last == closeBrace && n.opens() == 0:
		return MapNode
	case last == closeBrace:
		return StructNode
	case last == name && len(n.tokens) > 2:
		return SelectNode
	case last == name:
		return NameNode
	}
	return LiteralNode
}

// Path returns the path of a field, such as object.metadata.uid. Without one, ok is false and kind that of the
// part that is neither a name nor a field.
func (n Node) Path() (path string, kind int, ok bool) {
	n = n.bare()
	switch kind := n.Kind(); kind {
	case NameNode:
		for i := range n.tokens { // perhaps a dot and the name
			path += n.p.text(&n.tokens[i])
		}
		return path, kind, true
	case SelectNode:
		end := len(n.tokens)
		operand, kind, ok := Node{n.p, n.tokens[:end-2]}.Path()
		return operand + "." + n.p.text(&n.tokens[end-1]), kind, ok
	default:
		return "", kind, false
	}
}

// Literal returns the value of a text. For another literal ok is false, and is the type of its value in the real
// parser.
func (n Node) Literal() (value, is string, ok bool) {
	n = n.bare()
	t := &n.tokens[len(n.tokens)-1]
	switch t.kind {
	case text:
		return unquoted(n.p.text(t)), "string", true
	case octets:
		return "", "[]uint8", false
	case integer:
		return "", "int64", false
	case unsigned:
		return "", "uint64", false
	case number:
		return "", "float64", false
	case isTrue, isFalse:
		return "", "bool", false
	}
	return "", "structpb.NullValue", false
}

// unquoted returns the value of a text as it is written. Escapes that Go does not have stay as they are.
func unquoted(written string) string {
	raw := strings.HasPrefix(written, "r") || strings.HasPrefix(written, "R")
	if raw {
		written = written[1:]
	}
	quote := written[:1]
	if three := strings.Repeat(quote, 3); len(written) >= 6 && strings.HasPrefix(written, three) {
		quote = three
	}
	inner := strings.TrimSuffix(strings.TrimPrefix(written, quote), quote)
	if !raw && strings.Contains(inner, `\`) {
		plain := strings.ReplaceAll(strings.ReplaceAll(inner, `\'`, "'"), `"`, `\"`)
		if value, err := strconv.Unquote(`"` + plain + `"`); err == nil {
			return value
		}
	}
	return inner
}
