package site

import (
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
)

// CSP is the Content-Security-Policy of what is no page of a build. The page
// holds no inline style, one inline script, which its policy names by its hash,
// and evaluates nothing but WebAssembly.
const CSP = metaCSP + noFrames

// noFrames is the end of CSP.
const noFrames = "; frame-ancestors 'none'"

// scriptSources are where scripts come from, and what else they may do.
const scriptSources = "'self' 'wasm-unsafe-eval'"

// csp is the Content-Security-Policy that a build's page is served with.
func (x *Index) csp() string {
	if x.First == "" {
		return CSP
	}
	return strings.Replace(CSP, scriptSources, scriptSources+" "+x.First, 1)
}

// metaCSP is what of CSP a <meta> element may carry, for static hosts that
// send no such header. It lets the page read other hosts, for links that name a file (#from=URL): no script can be
// added to the page that could send them anything.
const metaCSP = "default-src 'self'; script-src " + scriptSources + "; style-src 'self'; " +
	"img-src 'self' data:; connect-src 'self' https:; worker-src 'self'; object-src 'none'; base-uri 'none'"

const (
	policyHeader   = "Content-Security-Policy"
	resourceHeader = "Cross-Origin-Resource-Policy"
)

// security are the headers that protect the page, for all who serve the site.
var security = []struct{ name, value string }{
	{policyHeader, CSP},
	{"X-Content-Type-Options", "nosniff"},
	{"Cross-Origin-Opener-Policy", "same-origin"},
	{resourceHeader, "same-origin"},
	{"Referrer-Policy", "no-referrer"},
}

// SetSecurity sets the headers that protect the page.
func SetSecurity(h http.Header) {
	for _, s := range security {
		h.Set(s.name, s.value)
	}
}

// HeadersFile has the headers that static hosts should send with the site's files, in the format that several of them
// read. They do not serve it, so it is not one of the site's files.
const HeadersFile = "_headers"

// pathsOf returns the paths at which hosts serve a file: some lead from a page's to the same without ".html", and send
// the headers of that one.
func pathsOf(name string) []string {
	if short, ok := strings.CutSuffix(name, ".html"); ok && path.Base(name) != "index.html" {
		return []string{name, short}
	}
	return []string{name}
}

// headersFile returns the content of HeadersFile: the headers of all paths, and of some.
func headersFile(index *Index) []byte {
	var b strings.Builder
	b.WriteString("/*\n")
	for _, s := range security {
		if s.name == policyHeader {
			s.value = index.csp()
		}
		b.WriteString("  " + s.name + ": " + s.value + "\n")
	}
	for _, a := range index.Assets {
		own := http.Header{}
		index.setHeaders(own, a.Name)
		if a.Name == "index.html" || len(own) == 0 {
			continue
		}
		if index.Path(a.Name) == a.Name {
			own.Set("Cache-Control", revalidate) // the others have that of their folder
		}
		for _, path := range pathsOf(index.Path(a.Name)) {
			b.WriteString("\n/" + path + "\n")
			for _, name := range []string{policyHeader, resourceHeader} {
				if own.Get(name) != "" {
					b.WriteString("  ! " + name + "\n") // takes back what is said of all paths
				}
			}
			for _, name := range slices.Sorted(maps.Keys(own)) {
				b.WriteString("  " + name + ": " + own.Get(name) + "\n")
			}
		}
	}
	for _, path := range []string{"", "index.html", "sw.js"} {
		b.WriteString("\n/" + path + "\n  Cache-Control: " + revalidate + "\n")
	}
	for _, program := range Nested {
		if slices.ContainsFunc(index.Assets, func(a Asset) bool { return isPart(a.Name) && path.Dir(a.Name) == program }) {
			b.WriteString("\n/" + program + "/*.wasm\n  Cache-Control: " + immutable + "\n")
		}
	}
	if base := index.base(); base != "" {
		b.WriteString("\n/" + base + "*\n  Cache-Control: " + immutable + "\n")
	}
	return []byte(b.String())
}
