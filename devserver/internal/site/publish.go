package site

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/evanw/esbuild/pkg/api"
)

// IndexFile lists the site's files, beside them.
const IndexFile = "assets.json"

// An Index lists the files of a built site.
type Index struct {
	// Version changes whenever any file does.
	Version string `json:"version"`
	// Versioned is whether files have the version in their paths: see Path.
	Versioned bool `json:"versioned,omitempty"`
	// First is the source of the page's first script in its policy, empty if it has none.
	First string `json:"first,omitempty"`
	// Dev is whether it was built for developing.
	Dev bool `json:"dev,omitempty"`
	// Assets are the files, by name.
	Assets []Asset `json:"assets"`
}

// An Asset is one file of the site.
type Asset struct {
	// Name is the name in the site, such as "course/one.html". Index.Path says where it is.
	Name string `json:"name"`
	// Hash is the hex SHA-256 of the content.
	Hash string `json:"hash"`
	// Bytes is the size as it is, Brotli that of the file with ".br" added to its
	// name, or 0.
	Bytes  int `json:"bytes"`
	Brotli int `json:"brotli,omitempty"`
	// Gzip is the size of the file with ".gz" added to its name, or 0. Pages take it, and unpack it,
	// from a host that does not compress, unless there is a smaller one: Lzma is the size of the one with ".lzma".
	Gzip int `json:"gzip,omitempty"`
	Lzma int `json:"lzma,omitempty"`
}

// Total sums up the site for a reader.
func (x *Index) Total() string {
	raw, small := x.totals()
	if small == raw {
		return fmt.Sprintf("%d files, %s", len(x.Assets), Size(raw))
	}
	return fmt.Sprintf("%d files, %s, %s in brotli", len(x.Assets), Size(raw), Size(small))
}

func (x *Index) totals() (raw, small int) {
	for _, a := range x.Assets {
		raw += a.Bytes
		if a.Brotli > 0 {
			small += a.Brotli
		} else {
			small += a.Bytes
		}
	}
	return raw, small
}

// Open reads the index of the site built in dir.
func Open(dir string) (*Index, error) {
	index, err := ReadIndex(os.DirFS(dir))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return index, nil
}

// ReadIndex reads the index of a site that is built.
func ReadIndex(files fs.FS) (*Index, error) {
	data, err := fs.ReadFile(files, IndexFile)
	if err != nil {
		return nil, err
	}
	var index Index
	if err := json.Unmarshal(data, &index); err != nil {
		return nil, fmt.Errorf("%s: %w", IndexFile, err)
	}
	for _, a := range index.Assets {
		if path := index.Path(a.Name); !fs.ValidPath(path) || !fs.ValidPath(a.Name) {
			return nil, fmt.Errorf("%s: %q is not a path in a site", IndexFile, path)
		}
	}
	return &index, nil
}

// publish adds the service worker to what the steps made, compresses all and
// brings the output directory up to date.
func (b *Builder) publish(ctx context.Context) (*Report, error) {
	all := files{}
	for _, f := range b.files {
		maps.Copy(all, f)
	}
	index := &Index{Dev: b.opt.Dev, Version: version(all), Versioned: !b.opt.Dev}
	first := all[firstScript]
	delete(all, firstScript)
	if page := all["index.html"]; page != nil {
		page, err := index.withFirst(page, first)
		if err != nil {
			return nil, err
		}
		all["index.html"] = index.withVersion(page)
		all[embedLab] = index.withVersion(framedLab(page))
		all[embedCapstone] = all[FrameFile]
	}
	for _, name := range append([]string{"../" + benchPage}, embedPages...) {
		if name := path.Join(embedDir, name); all[name] != nil {
			all[name] = index.withVersion(all[name])
		}
	}
	worker, err := b.serviceWorker(all, index)
	if err != nil {
		return nil, fmt.Errorf("service worker: %w", err)
	}
	if worker != nil {
		all["sw.js"] = worker
	}

	// What lies there already, so that it need not be written again.
	old := map[string]Asset{}
	was, err := Open(b.opt.Out)
	if err != nil {
		was = &Index{}
	}
	for _, a := range was.Assets {
		old[a.Name] = a
	}
	report := &Report{Index: index}
	var lock sync.Mutex
	var wg sync.WaitGroup
	var errs []error
	start := time.Now()
	room := make(chan struct{}, 2) // brotli at its best wants much memory
	for name, data := range all {
		wg.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			if ctx.Err() != nil {
				return
			}
			asset, changed, err := b.write(name, index.Path(name), data, old[name])
			lock.Lock()
			defer lock.Unlock()
			index.Assets = append(index.Assets, asset)
			if changed {
				report.Changed = append(report.Changed, name)
			}
			errs = append(errs, err)
		})
	}
	wg.Wait()
	if err := errors.Join(append(errs, ctx.Err())...); err != nil {
		return nil, err
	}
	if took := time.Since(start).Seconds(); took > 0.5 {
		_, small := index.totals()
		b.report("brotli", took, Size(small))
	}
	own, changed, err := b.nested(old)
	if err != nil {
		return nil, err
	}
	index.Assets, report.Changed = append(index.Assets, own...), append(report.Changed, changed...)
	slices.SortFunc(index.Assets, func(a, b Asset) int { return strings.Compare(a.Name, b.Name) })

	list, err := json.Marshal(index)
	if err != nil {
		return nil, err
	}
	if err := WriteFile(filepath.Join(b.opt.Out, IndexFile), list); err != nil {
		return nil, err
	}
	if err := WriteFile(filepath.Join(b.opt.Out, HeadersFile), headersFile(index)); err != nil {
		return nil, err
	}
	// Only what an earlier build put there is removed, and only now that the
	// index no longer names it.
	for name := range old {
		still := slices.ContainsFunc(index.Assets, func(a Asset) bool { return a.Name == name })
		if !still {
			report.Changed = append(report.Changed, name)
		}
		if still && was.Path(name) == index.Path(name) {
			continue
		}
		file := filepath.Join(b.opt.Out, filepath.FromSlash(was.Path(name)))
		for _, f := range []string{file, file + ".br", file + ".gz", file + ".lzma"} {
			if err := os.Remove(f); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
		}
		for dir := filepath.Dir(file); dir != filepath.Clean(b.opt.Out) && os.Remove(dir) == nil; dir = filepath.Dir(dir) {
			continue // an empty folder; one that has files stays
		}
	}
	slices.Sort(report.Changed)
	return report, b.pruneCache(time.Now())
}

// write puts one file and its compressed form in place, unless the same content
// is there already.
func (b *Builder) write(name, path string, data []byte, old Asset) (asset Asset, changed bool, err error) {
	asset = Asset{Name: name, Hash: ContentHash(data), Bytes: len(data)}
	file := filepath.Join(b.opt.Out, filepath.FromSlash(path))
	changed = asset.Hash != old.Hash
	if info, err := os.Stat(file); changed || err != nil || info.Size() != int64(len(data)) {
		if err := WriteFile(file, data); err != nil {
			return asset, changed, err
		}
		changed = changed || path == name // with a version it is another build's
	}
	if b.opt.Dev || !compressible(name, len(data)) {
		return asset, changed, nil
	}
	for _, ending := range b.packs(name, len(data)) {
		packed, size, err := []byte(nil), &asset.Gzip, error(nil)
		if ending == ".lzma" {
			size = &asset.Lzma
			packed, err = packLZMA(b.opt.Cache, data, asset.Hash, b.opt.Quick)
		} else {
			packed, err = Pack(b.opt.Cache, data, asset.Hash)
		}
		if err == nil {
			*size, err = len(packed), renew(file+ending, packed)
		}
		if err != nil {
			return asset, changed, err
		}
	}
	small, err := Compress(b.opt.Cache, data, asset.Hash, QualityOf(b.opt.Quick))
	if err != nil || small == nil {
		return asset, changed, err
	}
	asset.Brotli = len(small)
	return asset, changed, renew(file+".br", small)
}

// renew writes a file unless that is what it holds.
func renew(file string, data []byte) error {
	if have, err := os.ReadFile(file); err == nil && bytes.Equal(have, data) {
		return nil
	}
	return WriteFile(file, data)
}

// version returns a short name for exactly these files.
func version(all files) string {
	var sum strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&sum, "%s %s\n", name, ContentHash(all[name]))
	}
	return ContentHash([]byte(sum.String()))[:12]
}

// serviceWorker makes sw.js from its source, which finds the version and the
// files to keep, with their hashes for subresource integrity, in constants.
func (b *Builder) serviceWorker(all files, index *Index) ([]byte, error) {
	entry := filepath.Join(b.opt.Root, "web", "sw", "sw.js")
	if _, err := os.Stat(entry); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	type item struct {
		URL       string   `json:"url"`
		Integrity string   `json:"integrity"`
		Packed    []string `json:"packed,omitempty"`
		Changes   bool     `json:"changes,omitempty"`
	}
	integrity := func(data []byte) string {
		sum := sha256.Sum256(data)
		return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
	}
	var precache, late []item
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if path.Ext(name) == ".map" || forEmbeds(name) || forBench(name) || name == FrameFile || name == unpackScript ||
			name == celBinary {
			// For developers, who are online; for pages of others, of which it has none; for the bench, which few open;
			// for a frame without an origin, for which browsers do not ask it; for its own use; for the worker, which
			// keeps it.
			continue
		}
		url := index.Path(name)
		if name == "index.html" {
			url = ""
		}
		file := item{url, integrity(all[name]), b.packs(name, len(all[name])), false}
		if slices.Contains(lateFiles, name) {
			late = append(late, file)
		} else {
			precache = append(precache, file)
		}
	}
	list, err := json.Marshal(precache)
	if err != nil {
		return nil, err
	}
	for _, program := range Nested {
		list := NestedList(program)
		parts, err := os.ReadFile(filepath.Join(b.opt.Nested[program], path.Base(list)))
		switch {
		case b.opt.Nested[program] == "" || errors.Is(err, fs.ErrNotExist): // the site has none
		case err != nil:
			return nil, err
		default:
			late = append(late, item{URL: strings.TrimPrefix(list, "/"), Integrity: integrity(parts), Changes: true})
		}
	}
	lateList, err := json.Marshal(late)
	if err != nil {
		return nil, err
	}
	headers := map[string]string{}
	for _, s := range security {
		headers[s.name] = s.value
	}
	headers[policyHeader] = index.csp()
	headersList, err := json.Marshal(headers)
	if err != nil {
		return nil, err
	}
	f, err := b.bundle(api.BuildOptions{
		EntryPoints: []string{entry},
		Format:      api.FormatIIFE,
		EntryNames:  "[name]",
		Define: map[string]string{
			"VERSION":       fmt.Sprintf("%q", index.Version),
			"UNPACKER":      fmt.Sprintf("%q", index.Path(unpackScript)),
			"PRECACHE":      string(list),
			"LATE":          string(lateList),
			"HEADERS":       string(headersList),
			"NETWORK_FIRST": fmt.Sprint(b.opt.Dev),
		},
	})
	if err != nil {
		return nil, err
	}
	return f["sw.js"], nil
}
