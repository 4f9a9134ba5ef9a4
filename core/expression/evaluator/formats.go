package evaluator

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
)

// A format is a named format of texts. validate says what is wrong with one.
type format struct {
	name     string
	validate func(string) []string
	pattern  int // how long the real server takes a pattern that says the same to be
}

var formatBox = &box[format]{Type: cel.ObjectType("kubernetes.NamedFormat"),
	equal: func(a, b format) bool { return a.name == b.name }}

var uuid = regexp.MustCompile(`(?i)^[0-9A-F]{8}-?[0-9A-F]{4}-?[0-9A-F]{4}-?[0-9A-F]{4}-?[0-9A-F]{12}$`)

// formats are the formats by their names in rules.
var formats = map[string]format{
	"dns1123Label":           {"DNS1123Label", syntax.Label, 30},
	"dns1123Subdomain":       {"DNS1123Subdomain", syntax.Subdomain, 60},
	"dns1035Label":           {"DNS1035Label", syntax.Label1035, 30},
	"qualifiedName":          {"QualifiedName", syntax.LabelKey, 60},
	"dns1123LabelPrefix":     {"DNS1123LabelPrefix", prefixOf(syntax.Label), 30},
	"dns1123SubdomainPrefix": {"DNS1123SubdomainPrefix", prefixOf(syntax.Subdomain), 60},
	"dns1035LabelPrefix":     {"DNS1035LabelPrefix", prefixOf(syntax.Label1035), 30},
	"labelValue":             {"LabelValue", syntax.LabelValue, 40},
	"uri": {"URI", func(s string) []string {
		if _, err := url.ParseRequestURI(s); err != nil {
			return []string{err.Error()}
		}
		return nil
	}, 1103},
	"uuid": {"uuid", either(uuid.MatchString, "does not match the UUID format"), 70},
	"byte": {"byte", either(func(s string) bool {
		_, err := base64.StdEncoding.DecodeString(s)
		return err == nil && s != ""
	}, "invalid base64"), 84},
	"date":     {"date", either(isTime(time.DateOnly), "invalid date"), 71},
	"datetime": {"datetime", either(isTime(time.RFC3339Nano), "invalid datetime"), 71},
}

// prefixOf validates a prefix of generated names: the dash at its end stands for what follows.
func prefixOf(validate func(string) []string) func(string) []string {
	return func(s string) []string {
		if len(s) > 1 && strings.HasSuffix(s, "-") {
			s = s[:len(s)-2] + "a"
		}
		return validate(s)
	}
}

func either(right func(string) bool, wrong string) func(string) []string {
	return func(s string) []string {
		if right(s) {
			return nil
		}
		return []string{wrong}
	}
}

func isTime(layout string) func(string) bool {
	return func(s string) bool {
		_, err := time.Parse(layout, s)
		return err == nil
	}
}

// formatFunctions are format.named, a function for each format, and validate.
func formatFunctions() []cel.EnvOption {
	options := []cel.EnvOption{
		cel.Function("format.named", cel.Overload("format-named", args(cel.StringType), cel.OptionalType(formatBox.Type),
			unary(func(s string) ref.Val {
				if f, ok := formats[s]; ok {
					return types.OptionalOf(formatBox.wrap(f))
				}
				return types.OptionalNone
			}))),
		cel.Function("validate", cel.MemberOverload("format-validate", args(formatBox.Type, cel.StringType),
			cel.OptionalType(cel.ListType(cel.StringType)),
			twoArguments(func(f format, s string) ref.Val {
				if wrong := f.validate(s); len(wrong) > 0 {
					return types.OptionalOf(textList(wrong))
				}
				return types.OptionalNone
			}))),
	}
	for name, f := range formats {
		options = append(options, cel.Function("format."+name, cel.Overload("format."+name, nil, formatBox.Type,
			cel.FunctionBinding(func(...ref.Val) ref.Val { return formatBox.wrap(f) }))))
	}
	return options
}
