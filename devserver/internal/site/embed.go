package site

import (
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// embedDir has what pages of other sites load and frame: the script with the elements, the frames that it makes, and a
// sample page. Its files have the same URLs in every build.
//
// Only here may others frame the site, and load from it. What is at stake is clickjacking: a page that hides a frame
// below its own buttons can have a visitor press what is in the frame. So nothing in these frames may be worth that:
// they keep no cluster, ask for no storage and no service worker, and take no link to a room, with its token. A cluster
// in them is in memory, and belongs to the page that frames it. Code of others runs in embedCapstone only, whose origin
// is opaque. What is added here has to leave that true; the lab itself, which has all of those things, must never be
// framed.
const embedDir = "embed/"

// snippetSheet is the style sheet of the frames.
const snippetSheet = "web/snippet/snippet.css"

// embedPages are the pages of embedDir, in which {{BUILD}} stands for where the build's files are, {{CSP}} for embedCSP
// and {{ABSENT}} for the programs that the site has not.
var embedPages = []string{"frame.html", "examples.html", benchPage}

// benchPage is the bench, which is a page of the site, too. It has nothing that would be worth a press of others: its
// cluster is in memory, and what it is given is text.
const benchPage = "bench.html"

// forBench reports whether a file is for the bench alone: the service worker leaves it to the network.
func forBench(name string) bool {
	return slices.Contains([]string{benchPage, "bench.js", "bench.css"}, path.Base(name))
}

// embedLab is the lab as others may frame it, and embedCapstone FrameFile inside of it: a policy about who may frame a
// document holds for all that are around it.
const (
	embedLab      = embedDir + "lab.html"
	embedCapstone = embedDir + FrameFile
)

// What the frames may do. A worker has its file's policy. The site's other headers, which keep a page apart
// from others, mean nothing in a frame; none of it needs cross-origin isolation, which embedding pages seldom have.
const (
	embedCSP = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; " +
		"connect-src 'self'; worker-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'"
	anyFrames = "; frame-ancestors *"
)

// forEmbeds reports whether a file is for embedDir's pages alone: the service worker leaves it to the network.
func forEmbeds(name string) bool {
	return strings.HasPrefix(name, embedDir) || strings.HasPrefix(name, "snippet") && path.Ext(name) == ".js" ||
		name == path.Base(snippetSheet)
}

// embeds makes the pages of embedDir and the types of its script.
func (b *Builder) embeds() (files, error) {
	made := files{}
	var errs []error
	for _, name := range append([]string{"embed.d.ts"}, embedPages...) {
		folder := "snippet"
		if name == benchPage {
			folder = "bench"
		}
		text, err := os.ReadFile(filepath.Join(b.opt.Root, "web", folder, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // a site without it
		}
		if err != nil || path.Ext(name) != ".html" {
			made[embedDir+name] = text
			errs = append(errs, err)
			continue
		}
		page := func(at, site string) {
			filled := strings.NewReplacer("{{BUILD}}", site+anyVersion, "{{SITE}}", site, "{{CSP}}", embedCSP,
				"{{ABSENT}}", b.absent())
			var err error
			made[at], err = minifier.Bytes("text/html", []byte(filled.Replace(string(text))))
			errs = append(errs, err)
		}
		page(embedDir+name, "../")
		if name == benchPage {
			page(name, "./")
		}
	}
	return made, errors.Join(errs...)
}

// framedLab makes embedLab of the page, in which URLs have no version yet. It has to know that it is framed before its
// scripts run.
func framedLab(page []byte) []byte {
	page = bytes.Replace(page, []byte("<html"), []byte("<html data-framed"), 1)
	page = bytes.ReplaceAll(page, []byte(anyVersion), []byte("../"+anyVersion))
	for _, name := range []string{"icon.svg", "manifest.webmanifest"} {
		page = bytes.ReplaceAll(page, []byte(`="`+name), []byte(`="../`+name))
	}
	return page
}

// setHeaders sets the headers of a file of the site that are not those of all: see SetSecurity.
func (x *Index) setHeaders(h http.Header, name string) {
	switch {
	case name == "index.html":
		h.Set(policyHeader, x.csp())
	case name == FrameFile:
		h.Set(policyHeader, frameSandbox+FrameCSP+"; frame-ancestors 'self'")
	case strings.HasPrefix(name, embedDir):
		h.Set(policyHeader, x.embedPolicy(name))
		h.Set(resourceHeader, "cross-origin")
	}
}

// embedPolicy is the policy that a file of embedDir is served with.
func (x *Index) embedPolicy(name string) string {
	switch name {
	case embedLab:
		return strings.TrimSuffix(x.csp(), noFrames) + anyFrames
	case embedCapstone:
		return frameSandbox + FrameCSP + anyFrames
	}
	return embedCSP + anyFrames
}
