package site

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// builtPage is a page as page renders it.
const builtPage = `<!doctype html><html lang="en"><head><meta charset="utf-8">` +
	`<meta http-equiv="Content-Security-Policy" content="` + metaCSP + `">` +
	`<meta name="program" content="build/VERSION/tabernetes.wasm" data-size="9" data-packed="u.js">` +
	`<title>T…</title>` +
	`<link rel="stylesheet" href="build/VERSION/app.css">` +
	`<script type="module" async src="build/VERSION/app.js"></script>` +
	`<link rel="manifest" href="manifest.webmanifest"><link rel="icon" href="icon.svg"></head>` +
	`<body><p>↑ “text” 😀</p></body></html>`

// everyByte returns bytes that gzip cannot make much smaller, so that they fill several pieces.
func everyByte(n int) []byte {
	all := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{}).Read(all) // never fails
	return all
}

func oneFileOf(page string, all files) ([]byte, error) {
	return oneFile([]byte(page), []byte("start()\n"), []byte("a{b:c}"), []byte("<svg/>"), all)
}

func TestOneFile(t *testing.T) {
	all := files{
		FrameFile: []byte("<html><script>frame()</script></html>"), "app.js": []byte("app()"),
		"tabernetes.wasm": everyByte(3 * piece), "course/one.html": []byte("<p>…</p>"), "empty.txt": nil,
	}
	page, err := oneFileOf(builtPage, all)
	if err != nil {
		t.Fatal(err)
	}
	pieces := regexp.MustCompile(`(?s)<script type="text/plain">(.*?)</script>`)
	var text []byte
	for _, found := range pieces.FindAllSubmatch(page, -1) {
		if len(found[1]) > 2*piece {
			t.Errorf("a piece has %d bytes", len(found[1]))
		}
		text = append(text, found[1]...)
	}
	if got := unpackOneFile(t, text); !maps.EqualFunc(got, all, bytes.Equal) {
		t.Errorf("the page has %d files that differ from the %d of the site", len(got), len(all))
	}
	around := string(pieces.ReplaceAll(page, nil))
	if strings.ContainsFunc(around, func(r rune) bool { return r >= 0x80 }) {
		t.Error("the page around the files is not ASCII")
	}
	if at := strings.Index(around, `<meta charset="windows-1252">`); at < 0 || at > 1000 {
		t.Errorf("browsers look for the charset in the first 1024 bytes; it is at %d", at)
	}
	for _, want := range []string{"<style>a{b:c}", "&#8593; &#8220;text&#8221; &#128512;", `data-size="98304"`,
		`href="data:image/svg+xml;base64,`} {
		if !strings.Contains(around, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	for _, ref := range regexp.MustCompile(`(?:src|href|content)="([^"]*)"`).FindAllStringSubmatch(around, -1) {
		if strings.Contains(ref[1], "/") && !strings.HasPrefix(ref[1], "data:") && !strings.HasPrefix(ref[1], "default-src") {
			t.Errorf("the page refers to %s", ref[1])
		}
	}
	policy := regexp.MustCompile(`Security-Policy" content="([^"]*)"`).FindStringSubmatch(around)[1]
	for name, inline := range map[string]string{"script": "start()", "frame": "frame()",
		"style": "a{b:c}" + withoutServer} {
		sum := sha256.Sum256([]byte(inline))
		if hash := base64.StdEncoding.EncodeToString(sum[:]); !strings.Contains(policy, "'sha256-"+hash+"'") {
			t.Errorf("the policy does not have the hash of the %s: %s", name, policy)
		}
	}
	for _, bad := range []string{"unsafe-inline", "unsafe-eval' 'un", "https:", "*"} {
		if strings.Contains(policy, bad) {
			t.Errorf("the policy has %s: %s", bad, policy)
		}
	}
}

// unpackOneFile reads what a page has in it, as web/unpack/onefile does.
func unpackOneFile(t *testing.T, text []byte) files {
	t.Helper()
	if at := bytes.IndexAny(text, "\x00\r<"); at >= 0 {
		t.Errorf("HTML would change the byte %#x", text[at])
	}
	var data []byte
	for i := 0; i < len(text); i++ {
		if text[i] == '=' {
			i++
			data = append(data, text[i]-0x40)
		} else {
			data = append(data, text[i])
		}
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	head, plain, _ := bytes.Cut(plain, []byte("\n"))
	var list [][3]any
	if err := json.Unmarshal(head, &list); err != nil {
		t.Fatal(err)
	}
	got := files{}
	for _, file := range list {
		size := int(file[2].(float64))
		got[file[0].(string)], plain = plain[:size], plain[size:]
	}
	if len(plain) > 0 {
		t.Errorf("%d bytes belong to no file", len(plain))
	}
	return got
}

func TestOneFileOfAnotherPage(t *testing.T) {
	whole := files{FrameFile: []byte("<script>frame()</script>")}
	for what, test := range map[string]struct {
		page string
		all  files
	}{
		"no script to take out":  {strings.Replace(builtPage, `type="module"`, `type="other"`, 1), whole},
		"no policy":              {strings.Replace(builtPage, `http-equiv`, `name`, 1), whole},
		"two style sheets":       {strings.Replace(builtPage, "<title>", `<link rel="stylesheet"><title>`, 1), whole},
		"no end":                 {strings.Replace(builtPage, "</body>", "", 1), whole},
		"no frame":               {builtPage, files{}},
		"a frame with no script": {builtPage, files{FrameFile: []byte("<p></p>")}},
	} {
		if page, err := oneFileOf(test.page, test.all); err == nil {
			t.Errorf("%s: made %d bytes, want an error", what, len(page))
		}
	}
}

func TestWhatIsInside(t *testing.T) {
	for name, want := range map[string]bool{
		"app.js": true, "lab.wasm": true, "course/one.html": true, "descriptions.txt": true, "licenses.txt": true,
		"sw.js": false, "terminal.js": false, "terminal.css": false, "kubectl/part.wasm": false, "app.js.map": false,
		"index.html": false, "app.css": false, "manifest.webmanifest": false,
	} {
		if got := isInside(name); got != want {
			t.Errorf("%s is inside: %t, want %t", name, got, want)
		}
	}
}
