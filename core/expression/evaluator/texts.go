package evaluator

import (
	"net/url"
	"regexp"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// regexFunctions are the functions that find regular expressions.
var regexFunctions = []cel.EnvOption{
	cel.Function("find", cel.MemberOverload("string_find_string", args(cel.StringType, cel.StringType), cel.StringType,
		cel.BinaryBinding(func(s, pattern ref.Val) ref.Val { return find(s, pattern) }))),
	cel.Function("findAll",
		cel.MemberOverload("string_find_all_string", args(cel.StringType, cel.StringType), cel.ListType(cel.StringType),
			cel.BinaryBinding(func(s, pattern ref.Val) ref.Val { return findAll(s, pattern) })),
		cel.MemberOverload("string_find_all_string_int", args(cel.StringType, cel.StringType, cel.IntType),
			cel.ListType(cel.StringType), cel.FunctionBinding(findAll))),
}

// find returns the first text in a text that a pattern matches.
func find(all ...ref.Val) ref.Val {
	s, isText := all[0].Value().(string)
	pattern, isPattern := all[1].Value().(string)
	switch {
	case !isText:
		return types.MaybeNoSuchOverloadErr(all[0])
	case !isPattern:
		return types.MaybeNoSuchOverloadErr(all[1])
	}
	return matching(s, pattern, func(r *regexp.Regexp) ref.Val { return types.String(r.FindString(s)) })
}

// findAll returns all of them, or as many as its third argument says.
func findAll(all ...ref.Val) ref.Val {
	s, isText := all[0].Value().(string)
	pattern, isPattern := all[1].Value().(string)
	most, isInt := int64(-1), true
	if len(all) > 2 {
		most, isInt = all[2].Value().(int64)
	}
	switch {
	case !isText:
		return types.MaybeNoSuchOverloadErr(all[0])
	case !isPattern:
		return types.MaybeNoSuchOverloadErr(all[1])
	case !isInt:
		return types.MaybeNoSuchOverloadErr(all[2])
	}
	return matching(s, pattern, func(r *regexp.Regexp) ref.Val { return textList(r.FindAllString(s, int(most))) })
}

func matching(s, pattern string, f func(*regexp.Regexp) ref.Val) ref.Val {
	if wrong := tooCostly(s, pattern); wrong != nil {
		return wrong
	}
	r, err := patterns.get(pattern).compile()
	if err != nil {
		return types.NewErr("Illegal regex: %v", err)
	}
	return f(r)
}

var urlBox = &box[*url.URL]{Type: cel.ObjectType("kubernetes.URL"),
	equal: func(a, b *url.URL) bool { return a.String() == b.String() }}

// urls are the functions of URLs.
var urls = []cel.EnvOption{
	cel.Function("url", cel.Overload("string_to_url", args(cel.StringType), urlBox.Type, unary(func(s string) ref.Val {
		if _, err := url.ParseRequestURI(s); err != nil { // which does not understand fragments
			return types.NewErr("URL parse error during conversion from string: %v", err)
		}
		u, err := url.Parse(s)
		if err != nil {
			return types.NewErr("URL parse error during conversion from string: %v", err)
		}
		return urlBox.wrap(u)
	}))),
	cel.Function("isURL", cel.Overload("is_url_string", args(cel.StringType), cel.BoolType, unary(func(s string) ref.Val {
		_, err := url.ParseRequestURI(s)
		return types.Bool(err == nil)
	}))),
	urlPart("getScheme", "url_get_scheme", func(u *url.URL) string { return u.Scheme }),
	urlPart("getHost", "url_get_host", func(u *url.URL) string { return u.Host }),
	urlPart("getHostname", "url_get_hostname", (*url.URL).Hostname),
	urlPart("getPort", "url_get_port", (*url.URL).Port),
	urlPart("getEscapedPath", "url_get_escaped_path", (*url.URL).EscapedPath),
	cel.Function("getQuery", cel.MemberOverload("url_get_query", args(urlBox.Type),
		cel.MapType(cel.StringType, cel.ListType(cel.StringType)),
		unary(func(u *url.URL) ref.Val {
			all := map[ref.Val]ref.Val{}
			for k, v := range u.Query() {
				all[types.String(k)] = textList(v)
			}
			return types.NewRefValMap(types.DefaultTypeAdapter, all)
		}))),
}

func urlPart(name, id string, part func(*url.URL) string) cel.EnvOption {
	return cel.Function(name, cel.MemberOverload(id, args(urlBox.Type), cel.StringType,
		unary(func(u *url.URL) ref.Val { return types.String(part(u)) })))
}
