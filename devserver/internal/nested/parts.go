package nested

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

// ManifestFile lists the parts, beside them.
func (p Program) ManifestFile() string { return p.Name + ".json" }

// partBytes is the size of a part but the last. Some hosts refuse files above 25 MB, and brotli looks back 16 MB.
const partBytes = 24_000_000

// A Manifest says what the binary consists of: the parts, one behind the other.
type Manifest struct {
	Parts []Part `json:"parts"`
}

// A Part is a file: a piece of the binary as it is, with ".br" added to its name in brotli, and with ".gz" in gzip.
type Part struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Bytes  int    `json:"bytes"`
	Brotli int    `json:"brotli"`
	Gzip   int    `json:"gzip"`
}

// Sizes returns how large the binary is, and how large in brotli.
func (m Manifest) Sizes() (raw, small int) {
	for _, p := range m.Parts {
		raw += p.Bytes
		small += p.Brotli
	}
	return raw, small
}

// Check prints the weight of a binary that is compressed well, and fails if it exceeds the program's bound.
func (p Program) Check(m Manifest, out io.Writer) error {
	_, small := m.Sizes()
	fmt.Fprintf(out, "%s in brotli; the bound is %s\n", site.Size(small), site.Size(p.bound))
	if small > p.bound {
		return fmt.Errorf("%s: %s in brotli, past the bound of %s", p.Name, site.Size(small), site.Size(p.bound))
	}
	return nil
}

// Build builds a program into the directory out: the manifest, parts and their compressed forms. With quick they are
// compressed quickly rather than well. Files of an earlier build are removed.
func Build(ctx context.Context, o Options, out string, quick bool) (Manifest, error) {
	b, err := newBuilder(ctx, o)
	if err != nil {
		return Manifest{}, err
	}
	data, err := b.binary(ctx)
	if err != nil {
		return Manifest{}, err
	}
	notices, err := o.licenses(b.goroot, filepath.Join(b.module(), "vendor"))
	if err != nil {
		return Manifest{}, err
	}
	if err := site.WriteFile(filepath.Join(out, o.licensesFile()), notices); err != nil {
		return Manifest{}, err
	}
	start := time.Now()
	p := publisher{Program: o.Program, cache: o.Cache, out: out, partBytes: partBytes, quick: quick}
	m, err := p.publish(ctx, data)
	if err != nil {
		return Manifest{}, err
	}
	raw, small := m.Sizes()
	b.say("%6.1f s  compressed: %d parts, %s, %s in brotli", time.Since(start).Seconds(), len(m.Parts), site.Size(raw),
		site.Size(small))
	return m, nil
}

// A publisher writes a binary in parts.
type publisher struct {
	Program
	cache, out string
	partBytes  int
	quick      bool
}

// publish writes the parts, then the manifest, and removes the parts of earlier builds.
func (p publisher) publish(ctx context.Context, data []byte) (Manifest, error) {
	m := Manifest{Parts: make([]Part, (len(data)+p.partBytes-1)/p.partBytes)}
	errs := make([]error, len(m.Parts))
	var wg sync.WaitGroup
	room := make(chan struct{}, 2) // brotli at its best wants much memory
	for i := range m.Parts {
		wg.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			if errs[i] = ctx.Err(); errs[i] == nil {
				m.Parts[i], errs[i] = p.part(i, data[i*p.partBytes:min(len(data), (i+1)*p.partBytes)])
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return Manifest{}, err
	}
	list, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return Manifest{}, err
	}
	if err := site.WriteFile(filepath.Join(p.out, p.ManifestFile()), append(list, '\n')); err != nil {
		return Manifest{}, err
	}
	return m, p.removeOthers(m)
}

// part writes one part, and its compressed forms.
func (p publisher) part(i int, data []byte) (Part, error) {
	part := Part{SHA256: site.ContentHash(data), Bytes: len(data)}
	part.Name = fmt.Sprintf("%s-%d-%.12s.wasm", p.Name, i, part.SHA256)
	small, err := site.Compress(p.cache, data, part.SHA256, site.QualityOf(p.quick))
	if err != nil {
		return part, err
	}
	part.Brotli = len(small)
	if err := site.WriteFile(filepath.Join(p.out, part.Name), data); err != nil {
		return part, err
	}
	packed, err := site.Pack(p.cache, data, part.SHA256)
	if err != nil {
		return part, err
	}
	part.Gzip = len(packed)
	return part, errors.Join(site.WriteFile(filepath.Join(p.out, part.Name+".br"), small),
		site.WriteFile(filepath.Join(p.out, part.Name+".gz"), packed))
}

// removeOthers removes the parts of earlier builds.
func (p publisher) removeOthers(m Manifest) error {
	wanted := map[string]bool{}
	for _, part := range m.Parts {
		wanted[part.Name], wanted[part.Name+".br"], wanted[part.Name+".gz"] = true, true, true
	}
	files, err := filepath.Glob(filepath.Join(p.out, p.Name+"-*.wasm*"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if !wanted[filepath.Base(file)] {
			if err := os.Remove(file); err != nil {
				return err
			}
		}
	}
	return nil
}
