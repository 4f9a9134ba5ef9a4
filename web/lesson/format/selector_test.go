package format

import (
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/web/tap"
)

const stream = `{"events": [
	{"type": "ADDED", "object": {"metadata": {"name": "b", "resourceVersion": "9"}}},
	{"type": "ADDED", "object": {"metadata": {"name": "a", "resourceVersion": "7"}}},
	{"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "12",
		"annotations": {"k8s.io/initial-events-end": "true"}}}},
	{"type": "DELETED", "object": {"metadata": {"name": "b", "resourceVersion": "13"}, "spec": {"ports": [80, 443]}}}]}`

func TestSelector(t *testing.T) {
	v, _ := tap.ParseJSON(stream)
	for path, want := range map[string]string{
		`events[type = ADDED].object.metadata.name`:                                      "b",
		`events[type=ADDED].length`:                                                      "2",
		`events[type = ADDED][*].object.metadata.name`:                                   `["b","a"]`,
		`events[type = ADDED, object.metadata.name = a].object.metadata.resourceVersion`: "7",
		`events[type = ERROR]`:                                                           "-",
		`events[type = ERROR].length`:                                                    "0",
		`events[type = ERROR].object.code`:                                               "-",
		`events[type = ERROR][*]`:                                                        "[]",
		`events[type = BOOKMARK or DELETED].length`:                                      "2",
		`events[type != ADDED or BOOKMARK].type`:                                         "DELETED",
		`events[object.metadata.name is absent].type`:                                    "BOOKMARK",
		`events[object.metadata.annotations["k8s.io/initial-events-end"] = true].length`: "1",
		`events[before type = BOOKMARK].length`:                                          "2",
		`events[after type = BOOKMARK].type`:                                             "DELETED",
		`events[before type = ERROR].length`:                                             "0",
		`events[after type = DELETED].length`:                                            "0",
		`events[before object.metadata.name = a][object.metadata.name = b].type`:         "ADDED",
		`events[object.metadata.resourceVersion >= 12][*].type`:                          `["BOOKMARK","DELETED"]`,
		`events[object.spec.ports contains 443].type`:                                    "DELETED",
		`events[object.metadata.name = "b"].length`:                                      "2",
		`events[type = ADDED][1].object.metadata.name`:                                   "a",
		`events.length[type = ADDED]`:                                                    "-",
	} {
		p, err := ParsePath(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		got := "-"
		if x, ok := p.Of(v); ok {
			got = TextOf(x)
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

func TestSelectorErrors(t *testing.T) {
	for path, want := range map[string]string{
		`a[type = ]`:                      "a value is missing",
		`a[type]`:                         "a comparison is needed after type",
		`a[type is there]`:                "expected is present or is absent",
		`a[type = A b = C]`:               `a comma is needed before "b = C"`,
		`a[type = A, ]`:                   "an empty path",
		`a[before ]`:                      "a comparison is needed after before",
		`a[type = {{b.response.status}}]`: "by constants alone",
		`a[type = "A]`:                    "a quote is not closed",
		`a[type = A`:                      "[ is not closed",
	} {
		if _, err := ParsePath(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", path, err, want)
		}
	}
}

// TestNamed wants conditions of choices to say which entry of a list they mean.
func TestNamed(t *testing.T) {
	for condition, want := range map[string]string{
		"watch.response.events[0].type = ADDED":                                  "[0] in response.events[0].type",
		"watch.response.events[-1].type = ADDED":                                 "[-1] in",
		"watch.response.events.length = 1":                                       "response.events.length counts whatever",
		"watch.response.body.items.length = 0":                                   "response.body.items.length counts what",
		"watch.response.body.items[0].metadata.name = a":                         "[0] in",
		"watch.response.status = {{watch.response.events[3].object.code}}":       "[3] in response.events[3]",
		"watch.response.events[type = ADDED].length = 1":                         "",
		"watch.response.body.items.length = {{watch.request.query.limit}}":       "",
		"watch.response.events[before type = BOOKMARK][type = ADDED] is present": "",
		"watch.response.headers.Warning[1] is absent":                            "",
		`watch.response.bytes[0:4] = "6b 38 73 00"`:                              "",
		"watch.response.bytes[0] = 6b":                                           "",
		"watch.response.events[object.spec.ports[0] = 80] is present":            "[0] in",
		"watch.response.events[type = ADDED][0].object.metadata.name is present": "[0] in",
	} {
		src := strings.Replace(small, "watch.response.status = 404", condition, 1)
		if src == small {
			t.Fatal("the lesson has no such condition")
		}
		_, err := Parse("01-small.md", src)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", condition, err)
		case want != "" && (err == nil || !strings.HasPrefix(err.Error(), "01-small.md:24: "+want) ||
			!strings.Contains(err.Error(), "events[type = ADDED]")):
			t.Errorf("%s: got %v, want line 24: %s, and a way out", condition, err, want)
		}
	}
}
