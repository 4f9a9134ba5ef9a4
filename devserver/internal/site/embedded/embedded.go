// Package embedded has the built site inside a program that is compiled with the tag withsite, so that one file serves
// the page without the project's sources.
//
// Invariants: what was compiled in is what package release put into the folder site here, which is no part of the
// repository; a program without the tag has nothing. Files are there in brotli, or as they are where that is no
// smaller.
package embedded

import "io/fs"

// Site returns the site's files, or nil.
func Site() fs.FS { return site() }

// Version names the version of a released program, such as v0.1.0; the linker sets it.
var Version string
