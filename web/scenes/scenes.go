// Package scenes embeds the sources of the scenes, for programs that render and play them. They are in one list, in the
// order of their numbers.
package scenes

import "embed"

// Files are the scenes as they are written.
//
//go:embed [0-9]*.md
var Files embed.FS
