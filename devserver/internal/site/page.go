package site

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/html"
	minijson "github.com/tdewolff/minify/v2/json"
	"github.com/tdewolff/minify/v2/svg"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

// Shell is the input of the page's renderer, as JSON on its standard input.
type Shell struct {
	// Assets are the URLs of the site's files, by name.
	Assets map[string]string
	// WasmBytes is the size of the binary as it is, for the download's progress:
	// a server that compresses does not tell.
	WasmBytes int
	// Packed is the URL of the script that unpacks the files beside the binaries; empty: no packed files.
	Packed string
	// CSP is for the page's <meta http-equiv="Content-Security-Policy">.
	CSP string
	// Devserver is whether a devserver, with its cluster, serves the page.
	Devserver bool
}

// pageAssets are the files that the page refers to.
var pageAssets = map[string]string{
	"app.js":          anyVersion + "app.js",
	"app.css":         anyVersion + "app.css",
	"tabernetes.wasm": anyVersion + "tabernetes.wasm",
	"wasm_exec.js":    anyVersion + "wasm_exec.js",
	"manifest":        "manifest.webmanifest",
	"icon":            "icon.svg",
}

// ReloadScript is the URL of the script that a page made for developing loads
// to follow the builds. The devserver serves it; it is no file of the site.
const ReloadScript = wellknown.Devserver + "reload.js"

// page renders index.html and the course's files with the renderer at the path shell; empty: with the
// one compiled last.
func (b *Builder) page(ctx context.Context, shell string) (files, error) {
	if shell == "" {
		shell = filepath.Join(b.opt.Cache, "bin", "shell"+exeSuffix)
	}
	packed := anyVersion + unpackScript
	if b.opt.Dev {
		packed = ""
	}
	in := Shell{
		Assets:    pageAssets,
		WasmBytes: len(b.files[Wasm]["tabernetes.wasm"]),
		Packed:    packed,
		CSP:       metaCSP,
		Devserver: b.opt.Devserver,
	}
	stdin, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	out, err := command{dir: b.opt.Root, args: []string{shell}, stdin: bytes.NewReader(stdin)}.run(ctx)
	if err != nil {
		return nil, err
	}
	var rendered map[string]string
	if err := json.Unmarshal(out, &rendered); err != nil {
		return nil, err
	}
	made := files{}
	for name, text := range rendered {
		made[name] = []byte(text)
		if path.Ext(name) == ".html" && name != "index.html" {
			if made[name], err = minifier.Bytes("text/html", made[name]); err != nil {
				return nil, err
			}
		}
	}
	page := made["index.html"]
	if b.opt.Dev {
		if page, err = intoHead(page, `<script src="`+ReloadScript+`" defer></script>`); err != nil {
			return nil, err
		}
	}
	if page, err = intoHead(page, `<meta name="absent" content="`+b.absent()+`">`); err != nil {
		return nil, err
	}
	if page, err = minifier.Bytes("text/html", page); err != nil {
		return nil, err
	}
	made["index.html"] = page
	return made, nil
}

var endOfHead = regexp.MustCompile(`(?i)</head\s*>`)

var reloadTag = regexp.MustCompile(`<script[^>]*\bsrc="?` + regexp.QuoteMeta(ReloadScript) + `"?[^>]*></script>`)

// withoutReload serves the site that files serves, which was built for developing, to browsers whose server has no
// ReloadScript: the page does not load it. The service worker gets the page as it was built, since it checks the hash.
func withoutReload(files http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mode := r.Header.Get("Sec-Fetch-Mode")
		page := r.Method == http.MethodGet && (r.URL.Path == "/" || r.URL.Path == "/index.html")
		if !page || mode != "" && mode != "navigate" {
			files.ServeHTTP(w, r)
			return
		}
		whole := r.Clone(r.Context())
		for _, name := range []string{"Range", "If-Range", "If-None-Match"} {
			whole.Header.Del(name)
		}
		kept := &pageWriter{ResponseWriter: w}
		files.ServeHTTP(kept, whole)
		w.Header().Del("ETag")
		w.Header().Del("Content-Length")
		w.WriteHeader(kept.status)
		_, _ = w.Write(reloadTag.ReplaceAll(kept.body, nil)) // a client that left is no concern of ours
	})
}

// A pageWriter keeps an answer's status and body.
type pageWriter struct {
	http.ResponseWriter
	status int
	body   []byte
}

func (p *pageWriter) WriteHeader(status int) { p.status = status }

func (p *pageWriter) Write(data []byte) (int, error) {
	p.status = cmp.Or(p.status, http.StatusOK)
	p.body = append(p.body, data...)
	return len(data), nil
}

var title = regexp.MustCompile(`(?i)<title`)

// withFirst writes the first script into the page, and into its policy.
func (x *Index) withFirst(page, script []byte) ([]byte, error) {
	script = bytes.TrimSpace(script)
	if len(script) == 0 {
		return page, nil
	}
	at := title.FindIndex(page)
	if at == nil {
		return nil, errors.New("the page has no <title>")
	}
	hash := sha256.Sum256(script)
	x.First = "'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'"
	head := bytes.Replace(page[:at[0]], []byte(scriptSources), []byte(scriptSources+" "+x.First), 1)
	return slices.Concat(head, []byte("<script>"), script, []byte("</script>"), page[at[0]:]), nil
}

// intoHead puts text at the end of the page's <head>.
func intoHead(page []byte, text string) ([]byte, error) {
	at := endOfHead.FindIndex(page)
	if at == nil {
		return nil, errors.New("the page has no </head>")
	}
	return bytes.Join([][]byte{page[:at[0]], []byte(text), page[at[0]:]}, nil), nil
}

var minifier = func() *minify.M {
	m := minify.New()
	m.Add("text/html", &html.Minifier{
		KeepDocumentTags: true, KeepEndTags: true, KeepQuotes: true, KeepDefaultAttrVals: true,
	})
	m.AddFunc("image/svg+xml", svg.Minify)
	m.AddFunc("application/json", minijson.Minify)
	return m
}()

// referenceFiles are never changed: links are differences to them.
var referenceFiles = []string{"reference-1.bin", "reference-roles.bin"}

// static returns the files that go into the site as they are, but for white space.
func (b *Builder) static(ctx context.Context) (files, error) {
	made, err := sources(filepath.Join(b.opt.Root, "web", "samples"), "samples/")
	if err != nil {
		return nil, err
	}
	own, err := sources(filepath.Join(b.opt.Root, "web", "sw", "static"), "")
	if err != nil {
		return nil, err
	}
	for name, data := range own {
		made[name] = data
	}
	for name, data := range made {
		kind := ""
		switch filepath.Ext(name) {
		case ".svg":
			kind = "image/svg+xml"
		case ".json", ".webmanifest":
			kind = "application/json"
		default:
			continue
		}
		if made[name], err = minifier.Bytes(kind, data); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	// What clusters in links are compared with.
	for _, name := range referenceFiles {
		reference, err := os.ReadFile(filepath.Join(b.opt.Root, "web", "panels", "share", name))
		if err == nil {
			made["share-"+name] = reference
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	embeds, err := b.embeds()
	if err != nil {
		return nil, err
	}
	maps.Copy(made, embeds)
	descriptions, err := Descriptions(ctx, b.opt.Root, b.opt.Cache)
	if descriptions != nil {
		made[wellknown.DescriptionsFile] = descriptions
	}
	return made, err
}
