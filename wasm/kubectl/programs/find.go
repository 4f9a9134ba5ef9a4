package programs

import (
	"io/fs"
	"path/filepath"
	"strings"
)

// find prints the files below directories.
func find(c *Call) int {
	args := c.Args[1:]
	var roots []string
	for len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		roots, args = append(roots, args[0]), args[1:]
	}
	if len(roots) == 0 {
		roots = []string{"."}
	}
	name, kind := "*", ""
	for len(args) > 0 {
		if len(args) < 2 || args[0] != "-name" && args[0] != "-type" {
			return c.fail("%s is not known here: -name PATTERN and -type f or d are", args[0])
		}
		if args[0] == "-name" {
			name = args[1]
		} else {
			kind = args[1]
		}
		args = args[2:]
	}
	status := 0
	for _, root := range roots {
		err := filepath.WalkDir(c.path(root), func(file string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			fits, bad := filepath.Match(name, d.Name())
			if fits && (kind == "" || d.IsDir() == (kind == "d")) {
				c.printf("%s\n", root+strings.TrimPrefix(file, c.path(root)))
			}
			return bad
		})
		if err != nil {
			status = c.fail("‘%s’: %s", root, Reason(err))
		}
	}
	return status
}
