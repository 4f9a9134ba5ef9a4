package site

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// kubectlDir is where the site has the kubectl of the page: the files that Options.Kubectl has. They are not of a build
// and have no version: the names of the parts have their hashes in them, and the list says which parts there are.
const kubectlDir = "kubectl/"

// KubectlList is the path of the list of its parts.
const KubectlList = "/" + kubectlDir + "kubectl.json"

// isKubectlPart reports whether a file is a part of kubectl, whose content never changes.
func isKubectlPart(name string) bool {
	return strings.HasPrefix(name, kubectlDir) && path.Ext(name) == ".wasm"
}

// kubectl puts kubectl into the site, if it is built, and returns its files. They are linked where that is possible:
// they take as much space as the rest of the site ten times over.
func (b *Builder) kubectl(old map[string]Asset) (assets []Asset, changed []string, err error) {
	if b.opt.Kubectl == "" {
		return nil, nil, nil
	}
	files, err := os.ReadDir(b.opt.Kubectl)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range files {
		name := kubectlDir + f.Name()
		if f.IsDir() || path.Ext(name) == ".br" || path.Ext(name) == ".gz" {
			continue
		}
		asset, err := b.kubectlFile(name, old[name])
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

// kubectlFile puts one of its files into the site, and the compressed forms of that.
func (b *Builder) kubectlFile(name string, old Asset) (Asset, error) {
	from := filepath.Join(b.opt.Kubectl, path.Base(name))
	to := filepath.Join(b.opt.Out, filepath.FromSlash(name))
	info, err := os.Stat(from)
	if err != nil {
		return Asset{}, err
	}
	asset := Asset{Name: name, Hash: old.Hash, Bytes: int(info.Size())}
	if have, err := os.Stat(to); !isKubectlPart(name) || old.Hash == "" || err != nil || have.Size() != info.Size() {
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
