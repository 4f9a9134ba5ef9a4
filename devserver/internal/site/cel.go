package site

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/tabernetes/tabernetes/wasm/shrink"
)

// The evaluator of CEL: its binary, which the worker loads when it is first needed and keeps itself, and the file that
// says what the binary has to be. See wasm/host/cel.js.
const (
	celBinary   = "cel.wasm"
	celManifest = "cel.json"
)

// maxFile is the size that some hosts allow a file at the most, in bytes.
const maxFile = 25_000_000

// A celFile is what celManifest says.
type celFile struct {
	SHA256 string `json:"sha256"`
	Bytes  int    `json:"bytes"`
	Packed bool   `json:"packed"`
}

// cel compiles the evaluator of CEL, if the project has one.
func (b *Builder) cel(ctx context.Context, tricks shrink.Set, out files) error {
	if !exists(filepath.Join(b.opt.Root, filepath.FromSlash(celPackage), "main.go")) {
		return nil
	}
	file := filepath.Join(b.opt.Cache, "wasm", celBinary)
	binary, err := buildWasm(ctx, tricks, b.opt.Root, file, celPackage, "-ldflags=-s -w")
	if err != nil {
		return err
	}
	if len(binary) >= maxFile {
		return fmt.Errorf("%s has %d bytes; some hosts refuse more than %d", celBinary, len(binary), maxFile)
	}
	out[celBinary] = binary
	packed := slices.Contains(b.packs(celBinary, len(binary)), ".gz")
	out[celManifest], err = json.Marshal(celFile{ContentHash(binary), len(binary), packed})
	return err
}
