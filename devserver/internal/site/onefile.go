package site

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// OneFileBound is how large the page that is one file may be, in bytes.
const OneFileBound = 7_700_000

// OneFileRulesBound is how large it may be with the evaluator of CEL.
const OneFileRulesBound = 11_200_000

// OneFile writes, to the file out, the site as one page, which works from a disk: its files, in gzip, are a text in it
// that its script unpacks (web/unpack/onefile). The site in the folder b.Out has to be built. It lacks the terminal and
// the service worker; rules are only warned of, unless rules says that it is to have the evaluator of CEL, too. It
// returns the size, and fails when that is beyond the bound.
func (b *Builder) OneFile(ctx context.Context, out string, rules bool) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	index, err := Open(b.opt.Out)
	if err != nil {
		return 0, err
	}
	all := files{}
	built := os.DirFS(b.opt.Out)
	for _, a := range index.Assets {
		if !isInside(a.Name) {
			continue
		}
		if all[a.Name], err = index.read(built, a.Name); err != nil {
			return 0, err
		}
	}
	bound := OneFileBound
	if rules {
		bound = OneFileRulesBound
		if err := addEvaluator(all, index, built); err != nil {
			return 0, err
		}
	}
	sheet, err := index.read(built, "app.css")
	if err != nil {
		return 0, err
	}
	icon, err := index.read(built, "icon.svg")
	if err != nil {
		return 0, err
	}
	shell, err := b.compileShell(ctx)
	if err != nil {
		return 0, err
	}
	// There is no devserver behind the page.
	own := &Builder{opt: b.opt, files: map[Step]files{Wasm: all}}
	own.opt.Devserver = false
	made, err := own.page(ctx, shell)
	if err != nil {
		return 0, err
	}
	f, err := b.bundle(api.BuildOptions{
		EntryPoints: []string{filepath.Join(b.opt.Root, "web", "unpack", "onefile", "unpack.js")},
		Format:      api.FormatIIFE,
		EntryNames:  "[name]",
	})
	if err != nil {
		return 0, err
	}
	page, err := oneFile(made["index.html"], f["unpack.js"], sheet, icon, all)
	if err != nil {
		return 0, err
	}
	if len(page) > bound {
		return len(page), fmt.Errorf("the page as one file has %s, more than %s", Size(len(page)), Size(bound))
	}
	return len(page), WriteFile(out, page)
}

// celInside is the name of the evaluator in the one page, which hands it to workers as it is.
const celInside = celBinary + ".gz"

// addEvaluator adds the evaluator of CEL to the files of the one page.
func addEvaluator(all files, index *Index, built fs.FS) (err error) {
	binary, err := index.read(built, celBinary)
	if err != nil {
		return err
	}
	if all[celManifest], err = index.read(built, celManifest); err != nil {
		return err
	}
	all[celInside], err = gzipped(binary)
	return err
}

// gzipped compresses well.
func gzipped(text []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(text)
	err = errors.Join(err, w.Close())
	return b.Bytes(), err
}

// notInside are files of a site that the one page has no use for: it has them in another form, or goes without.
var notInside = append([]string{
	"index.html", "sw.js", "manifest.webmanifest", "app.css", "icon.svg", unpackScript,
	celBinary, celManifest, // see addEvaluator
}, lateFiles...)

// isInside reports whether the one page has a file of the site.
func isInside(name string) bool {
	return !slices.Contains(notInside, name) && !isNested(name) && path.Ext(name) != ".map" && !forBench(name) &&
		!strings.HasPrefix(name, "samples/")
}

// withoutServer hides what needs a server.
const withoutServer = "#room-button,#levers-control-plane{display:none!important}"

// oneFile makes the page that has the files in itself, of a page that refers to them.
func oneFile(page, script, sheet, icon []byte, all files) ([]byte, error) {
	script = bytes.TrimSpace(script)
	style := slices.Concat(bytes.TrimSpace(sheet), []byte(withoutServer))
	frame := inlineScript.FindSubmatch(all[FrameFile])
	if frame == nil {
		return nil, errors.New(FrameFile + " has no script")
	}
	packed, err := pack(all)
	if err != nil {
		return nil, err
	}
	image := "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(icon)
	for _, change := range []struct {
		what *regexp.Regexp
		to   string
	}{
		{charsetTag, `<meta charset="windows-1252">`},
		{policyTag, `<meta http-equiv="Content-Security-Policy" content="` + oneFileCSP(script, frame[1], style) + `">`},
		{sheetTag, "<style>" + string(style) + "</style>"},
		{moduleTag, ""},
		{programTag, fmt.Sprintf(`<meta name="program" data-size="%d">`, len(all["tabernetes.wasm"]))},
		{manifestTag, ""},
		{iconTag, `<link rel="icon" href="` + image + `">`},
	} {
		if n := len(change.what.FindAll(page, -1)); n != 1 {
			return nil, fmt.Errorf("the page has %d of %s", n, change.what)
		}
		page = change.what.ReplaceAllLiteral(page, []byte(change.to))
	}
	at := endOfBody.FindIndex(page)
	if at == nil {
		return nil, errors.New("the page has no </body>")
	}
	text := ascii(page[:at[0]])
	for data := range slices.Chunk(packed, piece) {
		text = append(append(append(text, `<script type="text/plain">`...), escaped(data)...), "</script>"...)
	}
	return slices.Concat(text, []byte("<script>"), script, []byte("</script>"), ascii(page[at[0]:])), nil
}

// What the one page has in another way.
var (
	charsetTag   = regexp.MustCompile(`<meta charset="?utf-8"?>`)
	policyTag    = regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`)
	sheetTag     = regexp.MustCompile(`<link rel="?stylesheet"?[^>]*>`)
	programTag   = regexp.MustCompile(`<meta name="?program"?[^>]*>`)
	moduleTag    = regexp.MustCompile(`<script type="?module"?[^>]*></script>`)
	manifestTag  = regexp.MustCompile(`<link rel="?manifest"?[^>]*>`)
	iconTag      = regexp.MustCompile(`<link rel="?icon"?[^>]*>`)
	endOfBody    = regexp.MustCompile(`(?i)</body\s*>`)
	inlineScript = regexp.MustCompile(`(?s)<script>(.*?)</script>`)
)

// oneFileCSP is the policy of the one page: its own scripts and style run, by their hashes, and what they make of the
// files in the page, which are blobs. It may reach nothing but itself ('self', for a page that was sent as other text).
// The capstone's frame inherits it, beside its own: so it has that frame's script, and the learner's code, which is a
// data: URL there.
func oneFileCSP(script, frame, style []byte) string {
	hash := func(text []byte) string {
		sum := sha256.Sum256(text)
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; script-src " + hash(script) + " " + hash(frame) + " 'wasm-unsafe-eval' blob: data:; " +
		"style-src " + hash(style) + "; img-src data: blob:; connect-src 'self' blob:; worker-src blob:; " +
		"frame-src blob:; object-src 'none'; base-uri 'none'; form-action 'none'"
}

// pack returns files in one gzip: a line of JSON that lists their names, types and sizes, and then their contents.
func pack(all files) ([]byte, error) {
	names := slices.Sorted(maps.Keys(all))
	list := make([][3]any, len(names))
	for i, name := range names {
		kind := cmp.Or(types[path.Ext(name)], "application/octet-stream")
		list[i] = [3]any{name, kind, len(all[name])}
	}
	head, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	contents := [][]byte{head, {'\n'}}
	for _, name := range names {
		contents = append(contents, all[name])
	}
	return gzipped(slices.Concat(contents...))
}

// ascii writes what is beyond ASCII in a page, which is UTF-8, as character references.
func ascii(page []byte) []byte {
	var b bytes.Buffer
	for _, r := range string(page) {
		if r < 0x80 {
			b.WriteByte(byte(r))
		} else {
			fmt.Fprintf(&b, "&#%d;", r)
		}
	}
	return b.Bytes()
}

// piece is how many bytes of the files are in one element of the page: WebKit takes 12 s to read all of them in one.
const piece = 1 << 15

// What HTML does not keep as it is is written as escape and the byte that is shift further: see decode.js of
// web/unpack/onefile.
const (
	escape = '='
	shift  = 0x40
)

// escaped writes bytes as text of a page whose charset is windows-1252, in which each byte is a character.
func escaped(data []byte) []byte {
	text := make([]byte, 0, len(data)+len(data)/32)
	for _, b := range data {
		if b == 0 || b == '\r' || b == '<' || b == escape {
			text = append(text, escape, b+shift)
		} else {
			text = append(text, b)
		}
	}
	return text
}
