package site

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// FrameFile is the document of the capstone's sandboxed frame, in which a learner's code
// runs. It has all of its script in itself: a frame of an opaque origin can load none of
// the site's.
const FrameFile = "capstone-frame.html"

// FrameCSP is that document's policy: it may run its script, and connect to nothing.
const FrameCSP = "default-src 'none'; script-src 'unsafe-inline' data: blob:; worker-src blob:"

// frameSandbox is what only a header may say of the document: its origin is opaque in every frame. Where no header
// says it, the page's sandbox attribute does, and the document's script runs nothing without it.
const frameSandbox = "sandbox allow-scripts; "

// frame makes the document.
func (b *Builder) frame() (files, error) {
	guest, err := b.script("web/course/capstone/frame-worker.js", nil)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(guest)
	if err != nil {
		return nil, err
	}
	script, err := b.script("web/course/capstone/sandbox.js", map[string]string{"GUEST": string(text)})
	if err != nil {
		return nil, err
	}
	page, err := os.ReadFile(filepath.Join(b.opt.Root, "web", "course", "capstone", "sandbox.html"))
	if err != nil {
		return nil, err
	}
	// What would end the script element is written by esbuild so that it does not.
	html := strings.NewReplacer("{{CSP}}", FrameCSP, "{{SCRIPT}}", script).Replace(string(page))
	return files{FrameFile: []byte(html)}, nil
}

// script bundles one script and returns its text.
func (b *Builder) script(entry string, define map[string]string) (string, error) {
	made, err := b.bundle(api.BuildOptions{
		EntryPointsAdvanced: []api.EntryPoint{{
			InputPath:  filepath.Join(b.opt.Root, filepath.FromSlash(entry)),
			OutputPath: "script",
		}},
		Format: api.FormatIIFE,
		Define: define,
	})
	if err != nil {
		return "", err
	}
	text := string(made["script.js"])
	if at := strings.Index(text, "//# sourceMappingURL="); at >= 0 {
		text = text[:at]
	}
	return text, nil
}
