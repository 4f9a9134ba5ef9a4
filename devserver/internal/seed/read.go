package seed

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Read reads the manifests of files, and of the files in directories.
func Read(paths []string) ([]*Manifest, error) {
	var all []*Manifest
	for _, path := range paths {
		files, err := manifestFiles(path)
		if err != nil {
			return nil, fmt.Errorf("--seed: %w", err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, fmt.Errorf("--seed: %w", err)
			}
			manifests, err := parseManifests(file, text)
			if err != nil {
				return nil, fmt.Errorf("--seed: %w", err)
			}
			all = append(all, manifests...)
		}
	}
	return all, nil
}

// manifestFiles returns the files that a path stands for: itself, or what a directory
// has of manifests, by name.
func manifestFiles(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return []string{path}, err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if !e.IsDir() && IsManifest(e.Name()) {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	if files == nil {
		return nil, fmt.Errorf("%s has no files that end in .yaml, .yml or .json", path)
	}
	return files, nil
}

// IsManifest reports whether a file has manifests, by its name.
func IsManifest(name string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name))
}
