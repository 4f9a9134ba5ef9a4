package site

import (
	"bytes"
	"strings"
)

// Files of a build have URLs below versionDir, with the build's version in them, but for those that others know by
// name. So a page and what it loads later are of one build: a build that takes the place of another has other URLs, and
// removes the files of the one before. A page that finds them gone says that it is of an older version.
//
// Files of a build for developing have no version: its page is reloaded after each build.
const versionDir = "build/"

// anyVersion stands for the version in the page until it is known.
const anyVersion = versionDir + "VERSION/"

// How long browsers may keep files: those with a version forever, the others after asking whether they still hold.
const (
	immutable  = "public, max-age=31536000, immutable"
	revalidate = "no-cache"
)

// fixed reports whether a file has the same URL in every build.
func fixed(name string) bool {
	switch name {
	case "index.html", benchPage, "sw.js", "manifest.webmanifest", "icon.svg", "licenses.txt":
		return true
	}
	return strings.HasPrefix(name, "samples/") || isNested(name) || strings.HasPrefix(name, embedDir)
}

// Path returns where a file is, in the site's folder and, after a slash, in its URLs.
func (x *Index) Path(name string) string {
	if fixed(name) {
		return name
	}
	return x.base() + name
}

// base is what the paths of files with a version begin with.
func (x *Index) base() string {
	if !x.Versioned {
		return ""
	}
	return versionDir + x.Version + "/"
}

// cacheControl returns how long browsers may keep a file.
func (x *Index) cacheControl(name string) string {
	if x.Path(name) == name && !isPart(name) {
		return revalidate
	}
	return immutable
}

// withVersion returns the page with the URLs of a build, which are relative: the page may be below any path.
func (x *Index) withVersion(page []byte) []byte {
	return bytes.ReplaceAll(page, []byte(anyVersion), []byte(x.base()))
}
