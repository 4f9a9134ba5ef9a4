package evaluator

import (
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
)

// An asking is a question that an expression puts together, and who answers it.
type asking struct {
	expression.Question
	answer func(expression.Question) expression.Decision
}

// The types of the authorizer: questions as far as they are put together, and answers.
var (
	authorizerBox    = &box[asking]{Type: cel.ObjectType("kubernetes.authorization.Authorizer")}
	pathCheckBox     = &box[asking]{Type: cel.ObjectType("kubernetes.authorization.PathCheck")}
	groupCheckBox    = &box[asking]{Type: cel.ObjectType("kubernetes.authorization.GroupCheck")}
	resourceCheckBox = &box[asking]{Type: cel.ObjectType("kubernetes.authorization.ResourceCheck")}
	decisionBox      = &box[expression.Decision]{Type: cel.ObjectType("kubernetes.authorization.Decision")}
)

// authorizers are the functions that ask the authorizer.
var authorizers = []cel.EnvOption{
	cel.Function("path", cel.MemberOverload("authorizer_path", args(authorizerBox.Type, cel.StringType), pathCheckBox.Type,
		ask(authorizerBox, pathCheckBox, func(q *asking, path string) string {
			q.Path = path
			return notBlank("path", path)
		}))),
	cel.Function("group",
		cel.MemberOverload("authorizer_group", args(authorizerBox.Type, cel.StringType), groupCheckBox.Type,
			ask(authorizerBox, groupCheckBox, func(q *asking, group string) string {
				q.Group = group
				return ""
			}))),
	cel.Function("serviceAccount", cel.MemberOverload("authorizer_serviceaccount",
		args(authorizerBox.Type, cel.StringType, cel.StringType), authorizerBox.Type, cel.FunctionBinding(askForAccount))),
	cel.Function("resource",
		cel.MemberOverload("groupcheck_resource", args(groupCheckBox.Type, cel.StringType), resourceCheckBox.Type,
			ask(groupCheckBox, resourceCheckBox, func(q *asking, resource string) string {
				q.Resource = resource
				return notBlank("resource", resource)
			}))),
	refine("subresource", "resourcecheck_subresource", func(q *asking) *string { return &q.Subresource }),
	refine("namespace", "resourcecheck_namespace", func(q *asking) *string { return &q.Namespace }),
	refine("name", "resourcecheck_name", func(q *asking) *string { return &q.Name }),
	refine("fieldSelector", "authorizer_fieldselector", func(q *asking) *string { return &q.FieldSelector }),
	refine("labelSelector", "authorizer_labelselector", func(q *asking) *string { return &q.LabelSelector }),
	cel.Function("check",
		cel.MemberOverload("pathcheck_check", args(pathCheckBox.Type, cel.StringType), decisionBox.Type, check(pathCheckBox)),
		cel.MemberOverload("resourcecheck_check", args(resourceCheckBox.Type, cel.StringType), decisionBox.Type,
			check(resourceCheckBox))),
	ofDecision("errored", cel.BoolType, func(d expression.Decision) ref.Val { return types.Bool(d.Error != "") }),
	ofDecision("error", cel.StringType, func(d expression.Decision) ref.Val { return types.String(d.Error) }),
	ofDecision("allowed", cel.BoolType, func(d expression.Decision) ref.Val { return types.Bool(d.Allowed) }),
	ofDecision("reason", cel.StringType, func(d expression.Decision) ref.Val { return types.String(d.Reason) }),
}

// ask makes a binding that adds a text to a question, and makes another type of it. add returns what is wrong.
func ask(from, to *box[asking], add func(*asking, string) string) cel.OverloadOpt {
	return cel.BinaryBinding(func(v, w ref.Val) ref.Val {
		q, ok := v.(boxed[asking])
		text, isText := w.Value().(string)
		if !ok || q.box != from || !isText {
			return types.MaybeNoSuchOverloadErr(v)
		}
		if wrong := add(&q.value, text); wrong != "" {
			return types.NewErr("%s", wrong)
		}
		return to.wrap(q.value)
	})
}

func notBlank(what, text string) string {
	if strings.TrimSpace(text) == "" {
		return what + " must not be empty"
	}
	return ""
}

func askForAccount(all ...ref.Val) ref.Val {
	if len(all) != 3 {
		return types.NoSuchOverloadErr()
	}
	q, ok := all[0].(boxed[asking])
	if !ok || q.box != authorizerBox {
		return types.MaybeNoSuchOverloadErr(all[0])
	}
	namespace, ok := all[1].Value().(string)
	if !ok {
		return types.MaybeNoSuchOverloadErr(all[1])
	}
	name, ok := all[2].Value().(string)
	switch {
	case !ok:
		return types.MaybeNoSuchOverloadErr(all[2])
	case len(syntax.Subdomain(name)) > 0:
		return types.NewErr("Invalid service account name")
	case len(syntax.Label(namespace)) > 0:
		return types.NewErr("Invalid service account namespace")
	}
	q.value.ServiceAccountNamespace, q.value.ServiceAccount = namespace, name
	return authorizerBox.wrap(q.value)
}

// refine is a function that sets a part of a question about a resource.
func refine(name, id string, part func(*asking) *string) cel.EnvOption {
	return cel.Function(name,
		cel.MemberOverload(id, args(resourceCheckBox.Type, cel.StringType), resourceCheckBox.Type,
			ask(resourceCheckBox, resourceCheckBox, func(q *asking, text string) string {
				*part(q) = text
				return ""
			})))
}

func check(kind *box[asking]) cel.OverloadOpt {
	return cel.BinaryBinding(func(v, w ref.Val) ref.Val {
		q, ok := v.(boxed[asking])
		verb, isText := w.Value().(string)
		if !ok || q.box != kind || !isText {
			return types.MaybeNoSuchOverloadErr(v)
		}
		q.value.Verb = verb
		return decisionBox.wrap(q.value.answer(q.value.Question))
	})
}

func ofDecision(name string, returns *cel.Type, function func(expression.Decision) ref.Val) cel.EnvOption {
	return cel.Function(name,
		cel.MemberOverload("decision_"+name, args(decisionBox.Type), returns, unary(function)))
}
