package settings

import (
	"slices"
	"strings"
	"testing"
)

// TestActs wants words for each act that changes something, and rows that a request can choose.
func TestActs(t *testing.T) {
	var names []string
	for i, a := range Acts {
		if a.Name == "" || a.Verb == "" {
			t.Errorf("row %d has no name or no verb", i)
		}
		if i == 0 || a.Name != Acts[i-1].Name {
			if slices.Contains(names, a.Name) {
				t.Errorf("the rows of %s do not stand together", a.Name)
			}
			names = append(names, a.Name)
		}
		if !a.Changes() {
			continue
		}
		if a.Done == "" || a.Before == "" || a.After == "" {
			t.Errorf("%s %v: nothing is said of it", a.Name, a.Given)
		}
		if a.Menu != "" && (a.Title == "" || a.Effect == "") {
			t.Errorf("%s %v: its button has no words", a.Name, a.Given)
		}
		for _, text := range []string{a.Effect, a.Done, a.DoneWith, a.Then} {
			if text != "" && !strings.HasSuffix(text, ".") {
				t.Errorf("%s %v: %q is no sentence", a.Name, a.Given, text)
			}
		}
		if got, ok := ActOf(a.Name, a.Body(nil)); !ok || got.Done != a.Done {
			t.Errorf("%s %s is %q, not %q", a.Name, a.Body(nil), got.Done, a.Done)
		}
	}
}

func TestActOf(t *testing.T) {
	for _, test := range []struct {
		name, body string
		want       string // Done
	}{
		{"compact", `{"revision":3,"forgets":"etcd"}`, CompactEtcd.Done},
		{"compact", `{"forgets":"caches"}`, CompactCaches.Done},
		{"compact", `{"forgets":"both"}`, Compact.Done},
		{"compact", `{"forgets":["etcd"]}`, Compact.Done},
		{"compact", ``, Compact.Done},
		{"compact", `{`, Compact.Done},
		{"snapshot", "\x00\x01", Restore.Done},
		{"windows", "", ""},
		{"revisions", "", ""},
		{"", "", ""},
		{"fly", "{}", ""},
	} {
		if got, ok := ActOf(test.name, test.body); got.Done != test.want || ok != (test.want != "") {
			t.Errorf("%s %q: %q, %t", test.name, test.body, got.Done, ok)
		}
	}
}

func TestActWords(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{Compact.Body(nil), "{}"},
		{CompactEtcd.Body(Values{"revision": int64(4)}), `{"forgets":"etcd","revision":4}`},
		{Compact.SaysDone(""), "Compacted: older revisions are gone."},
		{Compact.SaysDone("4"), "Compacted to 4."},
		{Restart.SaysDone("C1"), "The API server was restarted."},
		{Compact.SaysUndo("4"), "compacted to 4"},
		{Reset.SaysUndo("4"), "reset"},
		{Restart.SaysUndo("4"), ""},
	} {
		if test.got != test.want {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
}
