package site

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

// What the tiny project has for pages of others.
func init() {
	tree["web/snippet/embed.js"] = "customElements.define('a-b', class extends HTMLElement {});"
	tree["web/snippet/frame.js"] = "export const frame = () => 1;"
	tree["web/snippet/frame.html"] = `<!doctype html><meta content="{{CSP}}"><script src="{{BUILD}}snippet.js"></script>`
	tree["web/bench/page.js"] = `import text from "./one.test.yaml"; export const bench = text;`
	tree["web/bench/one.test.yaml"] = "tests: []\n"
	tree["web/bench/bench.css"] = "main { color: red }"
	tree["web/bench/bench.html"] = `<!doctype html><a href="{{SITE}}">The lab</a><script src="{{BUILD}}bench.js"></script>`
}

// checkEmbeds looks at what others may frame: the files below embed/, with every kind of host, and nothing else.
func checkEmbeds(t *testing.T, out string, index *Index) {
	edge, told := edgeHeaders(index), read(t, out, HeadersFile)
	for _, a := range index.Assets {
		framed, from := "'none'", "same-origin"
		if strings.HasPrefix(a.Name, "embed/") {
			framed, from = "*", "cross-origin"
		} else if a.Name == FrameFile {
			framed = "'self'"
		}
		url := "/" + index.Path(a.Name)
		w := httptest.NewRecorder()
		SetSecurity(w.Header())
		Handler(os.DirFS(out), index).ServeHTTP(w, httptest.NewRequest("GET", url, nil))
		hosts := map[string]http.Header{"the devserver": w.Result().Header, "the edge": asHeader(edge[url])}
		for host, h := range hosts {
			if !strings.HasSuffix(h.Get(policyHeader), "; frame-ancestors "+framed) || h.Get(resourceHeader) != from {
				t.Errorf("%s sends with %s: %v", host, a.Name, h)
			}
		}
		// Hosts of files know the frames by their paths with and without the ending.
		for _, path := range pathsOf(url) {
			_, lines, has := strings.Cut(told, "\n"+path+"\n  ! "+policyHeader+"\n")
			lines, _, _ = strings.Cut(lines, "\n\n")
			lines += "\n"
			if has != (framed != "'none'") || has && !strings.Contains(lines, "frame-ancestors "+framed+"\n") ||
				strings.Contains(lines, resourceHeader+": cross-origin") != (framed == "*") {
				t.Errorf("%s says of %s: %s", HeadersFile, path, lines)
			}
			hosts[HeadersFile+" of "+path] = http.Header{policyHeader: {lines}}
		}
		for host, h := range hosts {
			opaque := a.Name == FrameFile || a.Name == embedCapstone
			if strings.Contains(h.Get(policyHeader), "sandbox allow-scripts; default-src 'none'; ") != opaque ||
				strings.Contains(h.Get(policyHeader), "allow-same-origin") {
				t.Errorf("%s sends with %s: %v", host, a.Name, h)
			}
		}
	}
	for _, name := range []string{FrameFile, embedCapstone} {
		if page := read(t, out, index.Path(name)); strings.Contains(page, "sandbox") { // only a header may say it
			t.Errorf("%s says it itself: %.300s", name, page)
		}
	}
	frame := read(t, out, "embed/frame.html")
	if !strings.Contains(frame, `src="../`+index.Path("snippet.js")) || !strings.Contains(frame, embedCSP) {
		t.Errorf("the frame is %s", frame)
	}
	for name, site := range map[string]string{"bench.html": "./", "embed/bench.html": "../"} {
		bench := read(t, out, name)
		if !strings.Contains(bench, `src="`+site+index.Path("bench.js")) || !strings.Contains(bench, `href="`+site+`"`) {
			t.Errorf("%s is %s", name, bench)
		}
	}
	if bench := read(t, out, index.Path("bench.js")); !strings.Contains(bench, "tests: []") {
		t.Errorf("bench.js has not the example's text: %s", bench)
	}
	lab := read(t, out, "embed/lab.html")
	if !strings.Contains(lab, "<html data-framed") || !strings.Contains(lab, "=../"+index.Path("app.css")) {
		t.Errorf("the framed lab is %s", lab)
	}
}

func asHeader(values map[string]string) http.Header {
	h := http.Header{}
	for name, value := range values {
		h.Set(name, value)
	}
	return h
}
