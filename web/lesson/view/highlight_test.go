package view

import (
	"strings"
	"testing"
)

func TestHighlight(t *testing.T) {
	got := HighlightHTTP("# @name a\nGET /x?limit=2&continue={{p.response.body}}\n  &q=<\nA: <b>\n\n{\"k\": " +
		"\"v{{p.q}}\", \"n\": -1.5, \"t\": true}")
	for _, want := range []string{
		`<span class="t-comment"># @name a</span>`,
		`<span class="t-method">GET</span> /x<wbr>?<span class="t-key">limit</span>=2<wbr>&amp;<span ` +
			`class="t-key">continue</span>=<span class="t-ref">{{p<wbr>.response<wbr>.body}}</span>`,
		"\n  &amp;<span class=\"t-key\">q</span>=&lt;\n", `<span class="t-key">A</span>: &lt;b&gt;`,
		`<span class="t-key">&#34;k&#34;</span>: <span class="t-string">&#34;v<span ` +
			`class="t-ref">{{p<wbr>.q}}</span>&#34;</span>`,
		`<span class="t-number">-1.5</span>`, `<span class="t-number">true</span>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nis not in\n%s", want, got)
		}
	}
}

func FuzzHighlightHTTP(f *testing.F) {
	f.Add("### a\nGET /x?y={{b.response.events[-1].object}}\nA: b\n\n{}\n###\n/z")
	f.Fuzz(func(_ *testing.T, src string) { HighlightHTTP(src) })
}
