package check

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/status"
	"github.com/tabernetes/tabernetes/devserver/internal/cluster"
)

// judge returns how an answer differs from what is expected.
func (t *table) judge(c *test, m *manifest, a *cluster.Answer, annotations map[string]string) (all []Finding) {
	differs := func(field, format string, args ...any) {
		all = append(all, Finding{Line: t.in.lineOf(c.at+".then", field), Message: fmt.Sprintf(format, args...)})
	}
	var answer status.Status
	if a.Code >= http.StatusBadRequest {
		if json.Unmarshal(a.Body.Bytes(), &answer) != nil || answer.Message == "" {
			answer = status.Status{Message: strings.TrimSpace(a.Body.String())}
		}
	}
	is := fmt.Sprintf("it is refused with %d %s: %s", a.Code, answer.Reason, answer.Message)
	switch want := c.Then.Refused; {
	case want == nil && a.Code >= http.StatusBadRequest:
		differs("allowed", "%s", is)
	case want == nil:
	case a.Code < http.StatusBadRequest:
		differs("refused", "it is allowed")
	case !strings.Contains(answer.Message, want.Message):
		differs("refused", "%s; not with %q", is, want.Message)
	case want.Code != 0 && want.Code != a.Code, want.Reason != "" && want.Reason != string(answer.Reason):
		differs("refused", "%s; not with %d %s", is, cmp.Or(want.Code, a.Code), cmp.Or(want.Reason, string(answer.Reason)))
	}
	if want := c.Then.Warnings; want != nil {
		var texts []string
		for _, w := range warnings(m, a) {
			texts = append(texts, w.said())
		}
		fits := len(texts) == len(*want)
		for i := range min(len(texts), len(*want)) {
			fits = fits && strings.Contains(texts[i], (*want)[i])
		}
		if !fits {
			differs("warnings", "the warnings are %q, not %q", texts, *want)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(c.Then.Audit)) {
		want, field := c.Then.Audit[key], fmt.Sprintf("audit[%q]", key)
		value, there := annotations[key]
		switch {
		case want == nil && there:
			differs(field, "the audit annotation %s is %q, and not absent", key, value)
		case want != nil && !there:
			differs(field, "there is no audit annotation %s", key)
		case want != nil && !strings.Contains(value, *want):
			differs(field, "the audit annotation %s is %q, not %q", key, value, *want)
		}
	}
	if c.Then.Object != nil && (c.Then.Refused != nil || a.Code < http.StatusBadRequest) {
		var want, got any
		if err := errors.Join(exactly(c.Then.Object, &want), exactly(a.Body.Bytes(), &got)); err != nil {
			differs("object", "%v", err)
			return all
		}
		if field, message := differ(want, got, ""); message != "" {
			differs("object"+field, "%s: %s", strings.TrimPrefix(field, "."), message)
		}
	}
	return all
}

// differ returns the first field of a value that is not as is wanted, and how.
func differ(want, got any, at string) (field, message string) {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			break
		}
		for _, name := range slices.Sorted(maps.Keys(w)) {
			below := at + "." + name
			if strings.ContainsAny(name, ".[/") {
				below = fmt.Sprintf("%s[%q]", at, name)
			}
			if field, message := differ(w[name], g[name], below); message != "" {
				return field, message
			}
		}
		return "", ""
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			break
		}
		for i := range w {
			if field, message := differ(w[i], g[i], fmt.Sprintf("%s[%d]", at, i)); message != "" {
				return field, message
			}
		}
		return "", ""
	}
	if reflect.DeepEqual(want, got) || equalNumbers(want, got) {
		return "", ""
	}
	texts := make([]string, 2)
	for i, v := range []any{got, want} {
		text, _ := json.Marshal(v) // it has come from JSON
		texts[i] = string(text)
	}
	return at, fmt.Sprintf("it is %s, not %s", texts[0], texts[1])
}

// exactly decodes JSON, with numbers as they are written.
func exactly(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(v)
}

// equalNumbers reports whether two values are numbers that are equal, such as 1 and 1.0: integers have to be written
// alike, since some are larger than a float64 can tell apart.
func equalNumbers(a, b any) bool {
	x, isNumber := a.(json.Number)
	y, areNumbers := b.(json.Number)
	if !isNumber || !areNumbers || !strings.ContainsAny(x.String()+y.String(), ".eE") {
		return false
	}
	left, err := x.Float64()
	right, other := y.Float64()
	return err == nil && other == nil && left == right
}
