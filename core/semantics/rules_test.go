package semantics

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
)

func TestRules(t *testing.T) {
	token := regexp.MustCompile(`^[a-z][a-z0-9-]*$`)
	seen := map[string]bool{}
	for _, r := range Rules() {
		if !token.MatchString(r.ID) || seen[r.ID] {
			t.Errorf("%q is no token, or the ID of two rules", r.ID)
		}
		seen[r.ID] = true
		if r.ID != r.Verb && !strings.HasPrefix(r.ID, r.Verb+"-") {
			t.Errorf("%s is a rule of %s", r.ID, r.Verb)
		}
		if len(r.Sentence) < 20 || len(r.Sentence) > 120 || strings.HasSuffix(r.Sentence, ".") {
			t.Errorf("%s: %q is not a line", r.ID, r.Sentence)
		}
		if u, err := url.Parse(r.Reference); err != nil || u.Scheme != "https" {
			t.Errorf("%s: %q, %v", r.ID, r.Reference, err)
		}
		if got, ok := RuleOf(r.ID); !ok || got != r {
			t.Errorf("%s is found as %+v", r.ID, got)
		}
	}
	if _, ok := RuleOf(""); ok {
		t.Error("there is a rule without an ID")
	}
}

func TestRows(t *testing.T) {
	used := map[string]bool{}
	for _, verb := range []string{Get, List, Watch} {
		asked := map[string]bool{}
		for _, row := range Rows(verb) {
			used[row.ID] = true
			if row.Verb != verb || asked[row.Asked] {
				t.Errorf("%s, %s: there are two, or its rule is of %q", verb, row.Asked, row.Verb)
			}
			asked[row.Asked] = true
			if row.Answer == "" || row.Answer == row.AnswerBehind || !strings.HasPrefix(row.Request, "/api/") {
				t.Errorf("%+v", row)
			}
		}
		if len(asked) == 0 {
			t.Errorf("%s has no rows", verb)
		}
	}
	for _, r := range Rules() {
		if !used[r.ID] && r.Verb != Write && !strings.HasSuffix(r.ID, "-uncached") {
			t.Errorf("%s has no row", r.ID)
		}
	}
	if len(Rows(Write)) > 0 {
		t.Error("writes have rows")
	}
}
