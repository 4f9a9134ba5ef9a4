package format

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

// Load reads the lessons in the root of files, in order, and calls then with each and its text.
func Load(files fs.FS, then func(l *Lesson, src string) error) error {
	names, err := Files(files)
	if err != nil {
		return err
	}
	for _, name := range names {
		src, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		l, err := Parse(name, string(src))
		if err != nil {
			return err
		}
		if err := then(l, string(src)); err != nil {
			return err
		}
	}
	return nil
}

// Scenes parses the scenes among files, in order.
func Scenes(files fs.FS) (out []*Scene, err error) {
	names, err := Files(files)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		src, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		s, err := ParseScene(name, string(src))
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}
