package site

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Nested are the programs of nested modules that a page may load. The site has each in a folder with its name: the
// files that Options.Nested has. They are not of a build and have no version: the names of the parts have their hashes
// in them, and a list says which parts there are.
var Nested = []string{"kubectl", "controllers"}

// NestedList is the path of the list of a program's parts.
func NestedList(program string) string { return "/" + program + "/" + program + ".json" }

// absent names the programs that the site's pages need not ask for, with a space between them.
func (b *Builder) absent() string {
	if b.opt.Later {
		return ""
	}
	return strings.Join(slices.DeleteFunc(slices.Clone(Nested), func(program string) bool {
		return b.opt.Nested[program] != ""
	}), " ")
}

// isNested reports whether a file is of such a program.
func isNested(name string) bool { return slices.Contains(Nested, path.Dir(name)) }

// isPart reports whether a file is a part of one, whose content never changes.
func isPart(name string) bool { return isNested(name) && path.Ext(name) == ".wasm" }

// nested puts the programs that are built into the site, and returns their files.
func (b *Builder) nested(old map[string]Asset) (assets []Asset, changed []string, err error) {
	for _, program := range Nested {
		if b.opt.Nested[program] == "" {
			continue
		}
		own, renewed, err := b.program(program, old)
		if err != nil {
			return nil, nil, err
		}
		assets, changed = append(assets, own...), append(changed, renewed...)
	}
	return assets, changed, nil
}

// program puts one of them into the site, and returns its files. They are linked where that is possible: they take as
// much space as the rest of the site ten times over.
func (b *Builder) program(program string, old map[string]Asset) (assets []Asset, changed []string, err error) {
	files, err := os.ReadDir(b.opt.Nested[program])
	if err != nil {
		return nil, nil, err
	}
	for _, f := range files {
		name := program + "/" + f.Name()
		if f.IsDir() || path.Ext(name) == ".br" || path.Ext(name) == ".gz" {
			continue
		}
		asset, err := b.nestedFile(name, old[name])
		if err != nil {
			return nil, nil, err
		}
		if asset.Hash != old[name].Hash {
			changed = append(changed, name)
		}
		assets = append(assets, asset)
	}
	return assets, changed, nil
}

// nestedFile puts one of its files into the site, and the compressed forms of that.
func (b *Builder) nestedFile(name string, old Asset) (Asset, error) {
	from := filepath.Join(b.opt.Nested[path.Dir(name)], path.Base(name))
	to := filepath.Join(b.opt.Out, filepath.FromSlash(name))
	info, err := os.Stat(from)
	if err != nil {
		return Asset{}, err
	}
	asset := Asset{Name: name, Hash: old.Hash, Bytes: int(info.Size())}
	if have, err := os.Stat(to); !isPart(name) || old.Hash == "" || err != nil || have.Size() != info.Size() {
		data, err := os.ReadFile(from)
		if err != nil {
			return Asset{}, err
		}
		asset.Hash = ContentHash(data)
		if err := link(from, to, data); err != nil {
			return Asset{}, err
		}
	}
	for ending, size := range map[string]*int{".br": &asset.Brotli, ".gz": &asset.Gzip} {
		small, err := os.ReadFile(from + ending)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Asset{}, err
		}
		*size = len(small)
		if have, err := os.Stat(to + ending); err == nil && have.Size() == int64(len(small)) && asset.Hash == old.Hash {
			continue
		}
		if err := link(from+ending, to+ending, small); err != nil {
			return Asset{}, err
		}
	}
	return asset, nil
}

// link puts a file at another place, too; data is what it holds.
func link(from, to string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if os.Link(from, to) == nil {
		return nil
	}
	return WriteFile(to, data)
}
