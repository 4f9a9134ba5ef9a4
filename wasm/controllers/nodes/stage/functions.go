package stage

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"text/template"

	"sigs.k8s.io/yaml"
)

// functions are those that templates have besides text/template's: kwok's, and of sprig's the ones that calculate, and
// that work on texts, lists and maps. Now, and what depends on a node, comes from the program that plays Stages.
var functions = template.FuncMap{
	"Quote":          quote,
	"YAML":           toYAML,
	"NodeConditions": func() any { return nodeConditions },

	"add":  func(all ...any) int64 { return fold(all, func(a, b int64) int64 { return a + b }) },
	"add1": func(a any) int64 { return number(a) + 1 },
	"sub":  func(a, b any) int64 { return number(a) - number(b) },
	"mul":  func(all ...any) int64 { return fold(all, func(a, b int64) int64 { return a * b }) },
	"div":  func(a, b any) (int64, error) { return divide(a, b, func(a, b int64) int64 { return a / b }) },
	"mod":  func(a, b any) (int64, error) { return divide(a, b, func(a, b int64) int64 { return a % b }) },
	"max":  func(all ...any) int64 { return fold(all, func(a, b int64) int64 { return max(a, b) }) },
	"min":  func(all ...any) int64 { return fold(all, func(a, b int64) int64 { return min(a, b) }) },
	"int":  func(a any) int { return int(number(a)) },

	"default": func(otherwise, v any) any {
		if truth, _ := template.IsTrue(v); truth {
			return v
		}
		return otherwise
	},
	"empty": func(v any) bool { truth, _ := template.IsTrue(v); return !truth },
	"coalesce": func(all ...any) any {
		for _, v := range all {
			if truth, _ := template.IsTrue(v); truth {
				return v
			}
		}
		return nil
	},
	"ternary": func(yes, no any, condition bool) any {
		if condition {
			return yes
		}
		return no
	},

	"dict":   dict,
	"list":   func(all ...any) []any { return all },
	"get":    func(m map[string]any, key string) any { return m[key] },
	"hasKey": func(m map[string]any, key string) bool { _, ok := m[key]; return ok },

	"toString":  text,
	"toJson":    func(v any) (string, error) { data, err := json.Marshal(v); return string(data), err },
	"quote":     func(v any) string { return strconv.Quote(text(v)) },
	"trim":      strings.TrimSpace,
	"upper":     strings.ToUpper,
	"lower":     strings.ToLower,
	"contains":  func(part, s string) bool { return strings.Contains(s, part) },
	"hasPrefix": func(prefix, s string) bool { return strings.HasPrefix(s, prefix) },
	"hasSuffix": func(suffix, s string) bool { return strings.HasSuffix(s, suffix) },
	"replace":   func(from, to, s string) string { return strings.ReplaceAll(s, from, to) },
	"splitList": func(separator, s string) []string { return strings.Split(s, separator) },
	"join":      join,
}

// quote returns a value as a text of YAML.
func quote(v any) (string, error) {
	data, err := json.Marshal(v)
	if err != nil || len(data) > 0 && data[0] == '"' {
		return string(data), err
	}
	return strconv.Quote(string(data)), nil
}

// toYAML returns a value as YAML. Lines are indented by two spaces for each level, and begin with a line break then.
func toYAML(v any, levels ...int) (string, error) {
	data, err := yaml.Marshal(v)
	if err != nil || len(levels) != 1 || levels[0] <= 0 {
		return string(data), err
	}
	if levels[0] > 64 {
		return "", fmt.Errorf("YAML: %d levels are too many", levels[0])
	}
	return strings.ReplaceAll("\n"+string(data), "\n", "\n"+strings.Repeat("  ", levels[0])), nil
}

func text(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return fmt.Sprint(v)
}

// number returns what a value is as a number; 0 for others.
func number(v any) int64 {
	switch v := v.(type) {
	case int:
		return int64(v)
	case int64:
		return v
	case float64:
		if math.Abs(v) < math.MaxInt64 {
			return int64(v)
		}
	case bool:
		if v {
			return 1
		}
	case string:
		if n, err := strconv.ParseInt(v, 0, 64); err == nil {
			return n
		}
		f, _ := strconv.ParseFloat(v, 64)
		return number(f)
	}
	return 0
}

func fold(all []any, f func(a, b int64) int64) int64 {
	if len(all) == 0 {
		return 0
	}
	n := number(all[0])
	for _, v := range all[1:] {
		n = f(n, number(v))
	}
	return n
}

func divide(a, b any, f func(a, b int64) int64) (int64, error) {
	if number(b) == 0 {
		return 0, errors.New("division by zero")
	}
	return f(number(a), number(b)), nil
}

func dict(all ...any) map[string]any {
	m := map[string]any{}
	for i := 0; i < len(all); i += 2 {
		var v any = ""
		if i+1 < len(all) {
			v = all[i+1]
		}
		m[text(all[i])] = v
	}
	return m
}

func join(separator string, list any) string {
	switch l := list.(type) {
	case []string:
		return strings.Join(l, separator)
	case []any:
		all := make([]string, len(l))
		for i, v := range l {
			all[i] = text(v)
		}
		return strings.Join(all, separator)
	}
	return text(list)
}

// nodeConditions are the conditions of a node that is well, as its kubelet and the network report them.
var nodeConditions = []any{
	condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
	condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
	condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
	condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
	condition("NetworkUnavailable", "False", "RouteCreated", "RouteController created a route"),
}

func condition(kind, status, reason, message string) any {
	return map[string]any{"type": kind, "status": status, "reason": reason, "message": message}
}
