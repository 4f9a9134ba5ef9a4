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
