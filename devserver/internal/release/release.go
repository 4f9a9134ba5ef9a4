// Package release builds what is published of a version: for each system a program with the site inside, and one that
// is the control plane beside it; checksums, a list of what is in them (CycloneDX), and licenses.
//
// Invariants: the same sources, version of Go and name of the version give the same bytes, on whatever machine and in
// whatever folder; a program needs no file beside it, but for --control-plane.
//
// Costs: the site once, then the programs in half a minute for each system, and that of the control plane in minutes,
// most of it compiling what is not cached.
package release

import (
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/devserver/internal/nested"
	"github.com/tabernetes/tabernetes/devserver/internal/programs"
	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

// A Target is a system that a program is built for.
type Target struct{ OS, Arch string }

// Targets are those of a release.
var Targets = []Target{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"},
	{"windows", "arm64"},
}

// ParseTarget reads a target as in "linux/amd64".
func ParseTarget(text string) (Target, error) {
	system, arch, _ := strings.Cut(text, "/")
	if t := (Target{system, arch}); slices.Contains(Targets, t) {
		return t, nil
	}
	return Target{}, fmt.Errorf("%q is no target of a release, such as linux/amd64", text)
}

func (t Target) env() []string { return []string{"CGO_ENABLED=0", "GOOS=" + t.OS, "GOARCH=" + t.Arch} }

// Name is the file's name.
func (t Target) Name() string {
	name := "tabernetes-" + t.OS + "-" + t.Arch
	if t.OS == "windows" {
		name += ".exe"
	}
	return name
}

// ControlPlane is the name of the file that is the control plane's programs.
func (t Target) ControlPlane() string { return programs.Released(t.OS, t.Arch) }

// Options say what to build.
type Options struct {
	// Root is the directory of the project, Site that of the built site, Out where the files are put.
	Root, Site, Out string
	// Version is the name of the version, such as v0.1.0.
	Version string
	// Targets are what to build for; nil: all.
	Targets []Target
	// Progress is where finished files are reported; nil: nowhere.
	Progress io.Writer
}

// The other files of a release.
const (
	SumsFile     = "SHA256SUMS"
	ListFile     = "tabernetes.cdx.json"
	LicensesFile = "LICENSES.txt"
)

// Build builds a release.
func Build(ctx context.Context, o Options) error {
	if o.Progress == nil {
		o.Progress = io.Discard
	}
	if err := Embed(o.Site, filepath.Join(o.Root, "devserver", "internal", "site", "embedded", "site")); err != nil {
		return err
	}
	targets := o.Targets
	if targets == nil {
		targets = Targets
	}
	var names []string
	for _, t := range targets {
		if err := Program(ctx, o, t); err != nil {
			return err
		}
		if err := ControlPlane(ctx, o, t); err != nil {
			return err
		}
		for _, name := range []string{t.Name(), t.ControlPlane()} {
			names = append(names, name)
			size, packed, err := weigh(filepath.Join(o.Out, name))
			if err != nil {
				return err
			}
			fmt.Fprintf(o.Progress, "  %-40s %s, %s in gzip\n", name, site.Size(size), site.Size(packed))
			if t.OS == "linux" && name == t.Name() && packed > maxImage {
				return fmt.Errorf("an image with %s would be of %s; at most %s", name, site.Size(packed),
					site.Size(maxImage))
			}
		}
	}
	parts, err := partsOf(ctx, o.Root, targets, o.Site)
	if err != nil {
		return err
	}
	list, err := bill(o.Version, parts)
	if err != nil {
		return err
	}
	licenses, err := licenseTexts(o.Root, o.Site, parts)
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{ListFile: list, LicensesFile: licenses} {
		if err := site.WriteFile(filepath.Join(o.Out, name), text); err != nil {
			return err
		}
		names = append(names, name)
	}
	sums, err := checksums(o.Out, names)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.Progress, "  %s of %d files\n", SumsFile, len(names))
	return site.WriteFile(filepath.Join(o.Out, SumsFile), sums)
}

// maxImage is how much an image with a program may weigh where it is downloaded, in bytes: its layers are in gzip
// there.
const maxImage = 30_000_000

// weigh returns the size of a file, and what it is in gzip.
func weigh(file string) (size, packed int, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, 0, err
	}
	var n counter
	w := gzip.NewWriter(&n)
	if _, err := w.Write(data); err != nil {
		return 0, 0, err
	}
	err = w.Close()
	return len(data), int(n), err
}

type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// Embed puts a built site where the tag withsite has it compiled in: each file in brotli if that is smaller.
func Embed(from, to string) error {
	index, err := site.Open(from)
	if err != nil {
		return err
	}
	if index.Dev {
		return fmt.Errorf("%s was built for developing", from)
	}
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	names := []string{site.IndexFile}
	for _, a := range index.Assets {
		name := index.Path(a.Name)
		if a.Brotli > 0 {
			name += ".br"
		}
		names = append(names, name)
	}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(from, filepath.FromSlash(name)))
		if err == nil {
			err = site.WriteFile(filepath.Join(to, filepath.FromSlash(name)), data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Program builds the program for a target.
func Program(ctx context.Context, o Options, t Target) error {
	flags := []string{
		"-tags=withsite", "-ldflags=-s -w -buildid= -X " + Module + "/devserver/internal/site/embedded.Version=" + o.Version,
	}
	return site.GoBuild(ctx, o.Root, filepath.Join(o.Out, t.Name()), "./devserver", flags, t.env()...)
}

// ControlPlane builds the control plane's programs for a target.
func ControlPlane(ctx context.Context, o Options, t Target) error {
	dir := filepath.Join(o.Root, filepath.FromSlash(programs.ModuleDir))
	version, err := nested.Version(filepath.Join(dir, "go.mod"))
	if err != nil {
		return err
	}
	out, err := filepath.Abs(filepath.Join(o.Out, t.ControlPlane()))
	if err != nil {
		return err
	}
	flags := []string{"-ldflags=-s -w -buildid= " + nested.VersionFlags(version)}
	return site.GoBuild(ctx, dir, out, ".", flags, append(t.env(), "GOWORK=off")...)
}

// checksums returns a line for each file, as sha256sum writes and checks them.
func checksums(dir string, names []string) ([]byte, error) {
	slices.Sort(names)
	var out strings.Builder
	for _, name := range names {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		hash := sha256.New()
		_, err = io.Copy(hash, f)
		if err := cmp.Or(err, f.Close()); err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "%x  %s\n", hash.Sum(nil), name)
	}
	return []byte(out.String()), nil
}

// licenseTexts joins the licenses of the programs and those of the site, which is inside them.
func licenseTexts(root, built string, parts []part) ([]byte, error) {
	var text strings.Builder
	text.WriteString("Tabernetes, and what its programs are linked from, with the licenses of each.\n")
	if err := site.AddNotices(&text, "Tabernetes", root); err != nil {
		return nil, err
	}
	for _, p := range parts {
		if err := site.AddNotices(&text, p.path+" "+p.version, p.dir); err != nil {
			return nil, err
		}
	}
	text.WriteString("\n\nThe site inside them.\n\n")
	for _, name := range []string{"licenses.txt", "kubectl/kubectl-licenses.txt", "controllers/controllers-licenses.txt"} {
		own, err := os.ReadFile(filepath.Join(built, filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) {
			continue // a site without that program, or of a test
		}
		if err != nil {
			return nil, err
		}
		text.Write(own)
	}
	return []byte(text.String()), nil
}
