//go:build withsite

package embedded

import (
	"embed"
	"io/fs"
)

//go:embed all:site
var files embed.FS

func site() fs.FS {
	found, err := fs.Sub(files, "site")
	if err != nil {
		panic(err) // the name is valid
	}
	return found
}
