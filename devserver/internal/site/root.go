package site

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// Root returns the directory with the project's go.mod: the working directory or one above it, or, for a program run
// from elsewhere, where it was compiled.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		if isRoot(dir) {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	if _, file, _, ok := runtime.Caller(0); ok {
		if dir := filepath.Dir(filepath.Dir(filepath.Dir(file))); isRoot(dir) {
			return dir, nil
		}
	}
	return "", errors.New("the sources are needed to build the site: run this inside the project's directory, or with " +
		"--api-only or --no-build")
}

func isRoot(dir string) bool { return exists(filepath.Join(dir, "devserver", "internal", "site")) }
