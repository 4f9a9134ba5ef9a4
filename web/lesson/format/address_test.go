package format

import "testing"

// A watch that ends by itself takes the requests below it along.
func TestSentTogether(t *testing.T) {
	const src = "# T\n## S\n```http\nGET /a\n\n###\nGET /b?watch=1&timeoutSeconds=3\n\n###\nPOST /c\n\n###\nPOST " +
		"/d\n```\n```http\nGET /e?watch=1\n\n###\nPOST /f\n```\n" +
		"```check\n- R\n  a: GET /a\n```\n"
	l, err := Parse("1-t.md", src)
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[Address]int{{0, 0, 0}: 1, {0, 0, 1}: 3, {0, 0, 2}: 1, {0, 1, 0}: 1, {9, 9, 9}: 1} {
		if got := l.SentTogether(at); got != want {
			t.Errorf("%v: %d, want %d", at, got, want)
		}
	}
}
