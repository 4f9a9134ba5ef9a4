package course

import (
	"os"
	"strings"
	"testing"
)

// TestLevelIsText wants nothing in a level's texts to be more than text.
func TestLevelIsText(t *testing.T) {
	src, err := os.ReadFile("../lesson/format/testdata/level.md")
	if err != nil {
		t.Fatal(err)
	}
	hostile := "<script>a()</script> [x](javascript:a()) &lt; `<b>` \"'\n\n<iframe src=//evil>"
	for _, old := range []string{"Somebody has painted", "The ConfigMap `paint` is", "`PATCH`"} {
		l, err := ParseLevel(strings.Replace(string(src), old, hostile+" "+old, 1))
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, text := range l.Texts() {
			inside := *text.HTML
			for _, tag := range []string{"<p>", "</p>", "<code>", "</code>"} {
				inside = strings.ReplaceAll(inside, tag, "")
			}
			if strings.ContainsAny(inside, "<>\"") {
				t.Errorf("%s", *text.HTML)
			}
			found = found || strings.Contains(inside, "&lt;script&gt;a()&lt;/script&gt; [x](javascript:a()) &amp;lt; &lt;b&gt;")
		}
		if !found {
			t.Errorf("%s: the text is not shown as it is", old)
		}
	}
}
