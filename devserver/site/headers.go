package site

import (
	"net/http"
	"strings"
)

// CSP is the Content-Security-Policy that the page is served with. The page
// holds no inline script or style and evaluates nothing but WebAssembly.
const CSP = metaCSP + "; frame-ancestors 'none'"

// metaCSP is what of CSP a <meta> element may carry, for static hosts that
// send no such header.
const metaCSP = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; " +
	"img-src 'self' data:; connect-src 'self'; worker-src 'self'; object-src 'none'; base-uri 'none'"

// security are the headers that protect the page, for whoever serves the site.
var security = []struct{ name, value string }{
	{"Content-Security-Policy", CSP},
	{"X-Content-Type-Options", "nosniff"},
	{"Cross-Origin-Opener-Policy", "same-origin"},
	{"Cross-Origin-Resource-Policy", "same-origin"},
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

// headersFile returns the content of HeadersFile: the headers of all paths.
func headersFile() []byte {
	var b strings.Builder
	b.WriteString("/*\n")
	for _, s := range security {
		b.WriteString("  " + s.name + ": " + s.value + "\n")
	}
	// The first line of the frame's own takes back what is said of all paths.
	b.WriteString("\n/" + FrameFile + "\n  ! Content-Security-Policy\n")
	b.WriteString("  Content-Security-Policy: " + FrameCSP + "; frame-ancestors 'self'\n")
	return []byte(b.String())
}
