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
		if fileRE.MatchString(name) && name[0] >= '0' && name[0] <= '9' {
			names = append(names, name)
		}
	}
	return names, nil
}
