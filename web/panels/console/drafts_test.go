package console

import "testing"

// TestDrafts goes through the methods as one does who creates an object, looks at it, patches and deletes it.
func TestDrafts(t *testing.T) {
	const pods, pod = "/api/v1/namespaces/default/pods", "/api/v1/namespaces/default/pods/a"
	all := drafts{}
	for i, step := range []struct {
		from, to string
		path     string // as it is typed for from
		now      draft
		want     string // the path for to
		draft    draft
	}{
		{"GET", "POST", pods + "?limit=5", draft{}, pods, draft{}},
		{"POST", "GET", pods + "?dryRun=All", draft{body: "{}", headers: "X: y"}, pods + "?limit=5", draft{query: "limit=5"}},
		{"GET", "DELETE", pod, draft{}, pod, draft{}},
		{"DELETE", "PATCH", pod, draft{}, pod, draft{}},
		{"PATCH", "POST", pod + "?fieldManager=me", draft{body: "a: b", accept: "application/yaml"}, pod + "?dryRun=All",
			draft{"dryRun=All", "{}", "X: y", ""}},
		{"POST", "DELETE", pod + "?dryRun=All", draft{body: "{}"}, pod, draft{}},
		{"DELETE", "PATCH", pod + "?gracePeriodSeconds=0", draft{body: "{}"}, pod + "?fieldManager=me",
			draft{"fieldManager=me", "a: b", "", "application/yaml"}},
		{"PATCH", "DELETE", pod, draft{}, pod + "?gracePeriodSeconds=0", draft{query: "gracePeriodSeconds=0", body: "{}"}},
		{"DELETE", "DELETE", pod, draft{body: "{}"}, pod, draft{body: "{}"}},
	} {
		path, d := all.change(step.from, step.to, step.path, step.now)
		if path != step.want || d != step.draft {
			t.Errorf("%d, %s to %s: %q %+v, want %q %+v", i, step.from, step.to, path, d, step.want, step.draft)
		}
	}
}

func TestFormat(t *testing.T) {
	for body, want := range map[string]string{
		`{"b":1.0,"a":{"x":[1],"b":[]}}`: `{
  "b": 1.0,
  "a": {
    "x": [
      1
    ],
    "b": []
  }
}`,
		" [1] \n": "[\n  1\n]",
	} {
		if got, words := format(body); got != want || words != "" {
			t.Errorf("%s is laid out as %s, %s", body, got, words)
		}
	}
	for body, want := range map[string]string{
		"":              "There is nothing to format.",
		"a: b":          "Only JSON is formatted. YAML stays as you wrote it.",
		"{\"a\":\n 1,,": "Line 2 is not JSON: invalid character ',' looking for beginning of object key string",
		"{\"a\": 1":     "Line 1 is not JSON: unexpected end of JSON input",
	} {
		if got, words := format(body); got != body || words != want {
			t.Errorf("%s is laid out as %s, and it says %q, want %q", body, got, words, want)
		}
	}
}
