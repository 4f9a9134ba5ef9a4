package selector_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/internal/selector"
)

const keyText = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
	"alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
	"'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"

// The messages are recorded answers of kube-apiserver.
func TestInvalidLabels(t *testing.T) {
	for text, want := range map[string]string{
		"=x":             "found '=', expected: !, identifier, or 'end of string'",
		"app=x=y":        "found '=', expected: ',' or 'end of string'",
		"app in x":       "unable to parse requirement: found 'x' expected: '('",
		"x in ":          "unable to parse requirement: found '' expected: '('",
		"app in (x":      "unable to parse requirement: found '', expected: ',' or ')'",
		"app in (x,":     "unable to parse requirement: found '', expected: ',', or identifier",
		"app in (=)":     "unable to parse requirement: found '=', expected: ',', ')' or identifier",
		"app in (x y)":   "unable to parse requirement: found 'y', expected: ',' or ')'",
		"in (a,b)":       "unable to parse requirement: found '(', expected: in, notin, =, ==, !=, gt, lt",
		"!":              "unable to parse requirement: found '', expected: identifier",
		"!a=b":           "found '=', expected: ',' or 'end of string'",
		"app x":          "unable to parse requirement: found 'x', expected: in, notin, =, ==, !=, gt, lt",
		"app=bad value!": "found 'value', expected: ',' or 'end of string'",
		"app=(":          "unable to parse requirement: found '(', expected: identifier",
		"a/b/c=1": `unable to parse requirement: <nil>: Invalid value: "a/b/c": a valid label key ` +
			keyText + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
		"-x=1": `unable to parse requirement: <nil>: Invalid value: "-x": name part ` + keyText,
		"&":    `unable to parse requirement: <nil>: Invalid value: "&": name part ` + keyText,
		"n>abc": `unable to parse requirement: values[0]: ` +
			`Invalid value: "abc": for 'Gt', 'Lt' operators, the value must be an integer`,
		"app=x,":     "found '', expected: identifier after ','",
		"app=x,,b=y": "found ',', expected: identifier after ','",
		"app=" + strings.Repeat("v", 64): `unable to parse requirement: values[0][app]: Invalid value: "` +
			strings.Repeat("v", 64) + `": must be no more than 63 bytes`,
	} {
		if l, err := selector.ParseLabels(text); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, %v\nwant %s", text, l, err, want)
		}
	}
}

var objects = []map[string]string{
	{},
	{"app": "x"},
	{"app": "y", "n": "5"},
	{"app": "", "n": "12"},
	{"a.b/c": "in", "in": "notin", "n": "many"},
}

func TestLabels(t *testing.T) {
	for _, c := range []struct {
		text, canonical, matches string // a digit for each object that matches
	}{
		{"", "", "01234"},
		{"  ", "", "01234"},
		{"app=x", "app=x", "1"},
		{" app == x ", "app==x", "1"},
		{"app!=x", "app!=x", "0234"},
		{"app=", "app=", "3"},
		{"app in (x,y)", "app in (x,y)", "12"},
		{"app in (y, x ,y)", "app in (x,y)", "12"},
		{"app in ()", "app in ()", "3"},
		{"app in (x,)", "app in (,x)", "13"},
		{"app in (,,x)", "app in (,x)", "13"},
		{"app notin (x)", "app notin (x)", "0234"},
		{"app", "app", "123"},
		{"!app", "!app", "04"},
		{"! app", "!app", "04"},
		{"n>5", "n>5", "3"},
		{"n<12", "n<12", "2"},
		{"n>4,n<6", "n>4,n<6", "2"},
		{"app,!n", "app,!n", "1"},
		{"n,app", "app,n", "23"},
		{"app notin (x,y),app", "app notin (x,y),app", "3"},
		{"a.b/c=in,in=notin", "a.b/c=in,in=notin", "4"},
		{"in in (in,notin)", "in in (in,notin)", "4"},
		{"app=x\x00ignored", "", ""},
	} {
		l, err := selector.ParseLabels(c.text)
		if strings.Contains(c.text, "\x00") {
			if err == nil {
				t.Errorf("%q: no error", c.text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if l.String() != c.canonical {
			t.Errorf("%q is written %q, want %q", c.text, l, c.canonical)
		}
		if l.Empty() != (c.canonical == "") {
			t.Errorf("%q: Empty() = %v", c.text, l.Empty())
		}
		got := ""
		for i, labels := range objects {
			tree := map[string]any{}
			for k, v := range labels {
				tree[k] = v
			}
			if l.Matches(labels) != l.MatchesTree(tree) {
				t.Errorf("%q: Matches and MatchesTree differ for %v", c.text, labels)
			}
			if l.Matches(labels) {
				got += string(rune('0' + i))
			}
		}
		if got != c.matches {
			t.Errorf("%q matches %q, want %q", c.text, got, c.matches)
		}
	}
}

func TestLabelsRequireExact(t *testing.T) {
	for text, want := range map[string]string{"a=x,b": "x", "a in (x)": "x", "a in (x,y)": "", "a!=x": "", "b=x": "",
		"a==": "(empty)"} {
		l, err := selector.ParseLabels(text)
		if err != nil {
			t.Fatal(err)
		}
		value, ok := l.RequiresExact("a")
		if ok && value == "" {
			value = "(empty)"
		}
		if value != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", text, value, ok)
		}
	}
}

func TestFromLabelSelector(t *testing.T) {
	tree := map[string]any{
		"matchLabels": map[string]any{"b": "1", "a": "2"},
		"matchExpressions": []any{
			map[string]any{"key": "c", "operator": "In", "values": []any{"y", "x"}},
			map[string]any{"key": "d", "operator": "DoesNotExist"},
		},
	}
	l, some, err := selector.FromLabelSelector(tree)
	if err != nil || !some || l.String() != "a=2,b=1,c in (x,y),!d" {
		t.Errorf("got %v, %v, %v", l, some, err)
	}
	if _, some, err := selector.FromLabelSelector(nil); some || err != nil {
		t.Errorf("no selector: %v, %v", some, err)
	}
	if l, some, err := selector.FromLabelSelector(map[string]any{}); !some || err != nil || !l.Empty() {
		t.Errorf("empty selector: %v, %v, %v", l, some, err)
	}
	bad := map[string]any{"matchExpressions": []any{map[string]any{"key": "a", "operator": "Like"}}}
	if _, _, err := selector.FromLabelSelector(bad); err == nil ||
		err.Error() != `"Like" is not a valid label selector operator` {
		t.Errorf("bad operator: %v", err)
	}
}

// String and ParseLabels are inverse.
func FuzzParseLabels(f *testing.F) {
	for _, text := range []string{"", "app=x", "a!=b,c", "!a", "a in (x,,y),b notin ()", "n>5,n<7", "a==b", "in in (in)",
		"a\x00=b", "a,", "x in (", ",", "é=1", "a=\x00b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, err := selector.ParseLabels(text)
		if err != nil {
			return
		}
		again, err := selector.ParseLabels(l.String())
		if err != nil || !reflect.DeepEqual(again, l) {
			t.Errorf("%q became %q, which is read as %v, %v", text, l, again, err)
		}
		for _, labels := range objects {
			for _, r := range l {
				if l.Matches(labels) && !(selector.Labels{r}).Matches(labels) {
					t.Errorf("%q matches %v, but %v does not", text, labels, r)
				}
			}
		}
	})
}

func BenchmarkMatches(b *testing.B) {
	l, err := selector.ParseLabels("app=x,tier in (a,b),!old")
	if err != nil {
		b.Fatal(err)
	}
	labels := map[string]any{"app": "x", "tier": "b", "more": "y"}
	b.ReportAllocs()
	for b.Loop() {
		if !l.MatchesTree(labels) {
			b.Fatal("no match")
		}
	}
}

// TestMaxRequirements refuses selectors with too many requirements; one may have any number of values.
func TestMaxRequirements(t *testing.T) {
	many := func(n int, term string) string {
		return strings.TrimSuffix(strings.Repeat(term+",", n), ",")
	}
	if _, err := selector.ParseLabels(many(selector.MaxRequirements, "!a")); err != nil {
		t.Error(err)
	}
	const want = " selector may have at most 1000 requirements, and this one has 1001"
	_, err := selector.ParseLabels(many(selector.MaxRequirements+1, "!a"))
	if err == nil || err.Error() != "a label"+want {
		t.Errorf("labels: %v", err)
	}
	if _, err := selector.ParseFields(many(selector.MaxRequirements, "metadata.name!=a")); err != nil {
		t.Error(err)
	}
	_, err = selector.ParseFields(many(selector.MaxRequirements+1, "metadata.name!=a"))
	if err == nil || err.Error() != "a field"+want {
		t.Errorf("fields: %v", err)
	}
	values := make([]string, 20_000)
	for i := range values {
		values[i] = fmt.Sprint("v", i)
	}
	l, err := selector.ParseLabels("a in (" + strings.Join(values, ",") + ")")
	if err != nil || !l.Matches(map[string]string{"a": "v777"}) || l.Matches(map[string]string{"a": "v"}) {
		t.Errorf("values: %v", err)
	}
}
