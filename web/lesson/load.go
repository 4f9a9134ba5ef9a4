package lesson

import "io/fs"

// Files lists the lessons' files in the root of files, in order.
func Files(files fs.FS) ([]string, error) {
	all, err := fs.Glob(files, "*.md")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, name := range all {
		if _, ok := fileID(name); ok {
			names = append(names, name)
		}
	}
	return names, nil
}
