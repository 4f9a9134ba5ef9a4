package site

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

// Descriptions returns the descriptions of Kubernetes' types, which core/internal/generate makes from Kubernetes'
// sources, or what the same generator has made before, from the cache. A root without the generator has none: nil.
func Descriptions(ctx context.Context, root, cache string) ([]byte, error) {
	source := filepath.Join(root, "core", "internal", "generate", "descriptions.go")
	if _, err := os.Stat(source); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	generator := filepath.Join(cache, "bin", "generate"+exeSuffix)
	if err := buildTool(ctx, root, generator, "./core/internal/generate"); err != nil {
		return nil, err
	}
	binary, err := os.ReadFile(generator)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(cache, "descriptions")
	file := filepath.Join(dir, ContentHash(binary)+".txt")
	if text, err := os.ReadFile(file); err == nil {
		return text, nil
	}
	made, err := os.MkdirTemp("", "tabernetes-descriptions-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(made)
	out := filepath.Join(made, wellknown.DescriptionsFile)
	if _, err := (command{dir: root, args: []string{generator, "-descriptions", out}}).run(ctx); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	older, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range older {
		_ = os.Remove(filepath.Join(dir, e.Name())) // another process may have been faster
	}
	return text, WriteFile(file, text)
}
