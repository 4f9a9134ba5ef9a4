//go:build !js

package markdown

import (
	"strings"
	"testing"
	"testing/fstest"
)

const rest = "\n```http\nGET /api\n```\n\n```check\n- R\n  a: GET /api\n```\n"

func load(step string) (string, error) {
	files := fstest.MapFS{
		"01-a.md":   {Data: []byte("# T\n\n## S\n\n" + step + rest)},
		"README.md": {Data: []byte("no lesson")},
	}
	lessons, err := Load(files)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, text := range lessons[0].Texts() {
		b.WriteString(*text.HTML + "|")
	}
	return b.String(), nil
}

func TestLoad(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{"A *b* `c`.", "<p>A <em>b</em> <code>c</code>.</p>"},
		{"```json\n{\"k\": 1}\n```", `<pre class="lesson-code"><code>{<span class="t-key">&#34;k&#34;</span>: <span ` +
			`class="t-number">1</span>}</code></pre>`},
		{"```sh\na < b\n```", `<pre class="lesson-code"><code>a &lt; b</code></pre>`},
		{"```predict\nWhy `x`?\n- An `a`\n  a.response.status = 200\n- b\n  reply \"*No*.\"\n---\nSo.\n```",
			"<p>Why <code>x</code>?</p>\n|An <code>a</code>|b|<p><em>No</em>.</p>\n|<p>So.</p>"},
		{"| a |\n|---|\n| b |", "<td>b</td>"},
		{"[x](javascript:alert)", `<a href="">x</a>`},
	} {
		got, err := load(test.src)
		if err != nil || !strings.Contains(got, test.want) {
			t.Errorf("%s\ngot  %s, %v\nwant %s", test.src, got, err, test.want)
		}
	}
}

func TestLoadErrors(t *testing.T) {
	for src, want := range map[string]string{
		"<b>x</b>": "01-a.md:4: HTML in the Markdown",
		"<div>\n":  "01-a.md:4: HTML in the Markdown",
		"### Deep": "01-a.md:4: a heading of level 3",
		"```predict\na\n- # x\n  reply \"y\"\n- z\n  reply \"y\"\n---\nc\n```": "01-a.md:7: a heading of level 1",
		"```hint\n<i>\n```": "01-a.md:5: HTML in the Markdown",
	} {
		if _, err := load(src); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s…", src, err, want)
		}
	}
}
