//go:build !withsite

package embedded

import "io/fs"

func site() fs.FS { return nil }
