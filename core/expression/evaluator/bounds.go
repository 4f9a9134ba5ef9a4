package evaluator

import (
	"strings"

	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
)

// longestText is how many bytes replace may return.
const longestText = 64 << 20

// bounded are the functions whose result may be much larger than what their cost depends on, so that a short expression
// could take all memory, which ends the process. In the real server that is so.
var bounded = map[string]functions.FunctionOp{"lists.range": makeRange, "replace": replace}

// boundCalls plans calls of them with the bounds.
func boundCalls(i interpreter.Interpretable) (interpreter.Interpretable, error) {
	call, ok := i.(interpreter.InterpretableCall)
	if !ok || bounded[call.Function()] == nil {
		return i, nil
	}
	return interpreter.NewCall(call.ID(), call.Function(), call.OverloadID(), call.Args(), bounded[call.Function()]), nil
}

// makeRange is lists.range(end). Iterating costs at least one for each item, so what is longer than an expression may
// cost could not be used.
func makeRange(values ...ref.Val) ref.Val {
	end, ok := values[0].(types.Int)
	switch {
	case !ok:
		return decls.MaybeNoSuchOverload("lists.range", values...)
	case end > callLimit:
		return types.NewErr("lists.range(%d): longer than the cost limit of an expression, %d", end, callLimit)
	}
	list := []ref.Val{}
	for i := range end {
		list = append(list, i)
	}
	return types.NewRefValList(types.DefaultTypeAdapter, list)
}

// replace is text.replace(from, to), with a limit of how many are replaced as a fourth value: none if it is negative.
func replace(values ...ref.Val) ref.Val {
	var texts [3]string
	for i := range texts {
		text, ok := values[i].(types.String)
		if !ok {
			return decls.MaybeNoSuchOverload("replace", values...)
		}
		texts[i] = string(text)
	}
	limit := -1
	if len(values) > 3 {
		n, ok := values[3].(types.Int)
		if !ok {
			return decls.MaybeNoSuchOverload("replace", values...)
		}
		limit = int(min(max(n, -1), longestText))
	}
	text, from, to := texts[0], texts[1], texts[2]
	n := strings.Count(text, from)
	if limit >= 0 {
		n = min(n, limit)
	}
	if more := int64(len(to) - len(from)); more > 0 && int64(len(text))+int64(n)*more > longestText {
		return types.NewErr("replace: the result would have more than %d bytes", longestText)
	}
	return types.String(strings.Replace(text, from, to, limit))
}
