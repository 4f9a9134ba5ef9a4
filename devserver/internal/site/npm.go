package site

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

// npmFolder has what the package has beside the files of the site.
const npmFolder = "web/npm"

// npmFiles are files of the site that the package has too.
var npmFiles = []string{
	"tabernetes.wasm", "wasm_exec.js", "worker.js", wellknown.DescriptionsFile, celBinary, celManifest, "licenses.txt",
}

// NPM makes, in the folder out, the package for npm: the site's server and worker, and what starts them in Node and in
// browsers. The site in the folder b.Out has to be built.
func (b *Builder) NPM(ctx context.Context, out, version string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.timed(ctx, "npm", false, func() (files, error) { return nil, b.npm(out, version) })
}

func (b *Builder) npm(out, version string) error {
	index, err := Open(b.opt.Out)
	if err != nil {
		return err
	}
	made := files{}
	for _, name := range npmFiles {
		if made[name], err = index.read(os.DirFS(b.opt.Out), name); err != nil {
			return err
		}
	}
	for name, source := range map[string]string{
		"README.md": npmFolder + "/README.md", "index.d.ts": npmFolder + "/index.d.ts",
		"tables.d.ts": npmFolder + "/tables.d.ts", "LICENSE": "LICENSE",
	} {
		if made[name], err = os.ReadFile(filepath.Join(b.opt.Root, filepath.FromSlash(source))); err != nil {
			return err
		}
	}
	for _, name := range []string{"node", "thread", "browser", "tables"} {
		script, err := b.bundle(api.BuildOptions{
			EntryPointsAdvanced: []api.EntryPoint{{
				InputPath: filepath.Join(b.opt.Root, filepath.FromSlash(npmFolder), name+".js"), OutputPath: name,
			}},
			Format:   api.FormatESModule,
			External: []string{"node:*"},
		})
		if err != nil {
			return err
		}
		made[name+".js"] = script[name+".js"]
	}
	if made["package.json"], err = manifest(version); err != nil {
		return err
	}
	return made.write(out)
}

// manifest is the package.json.
func manifest(version string) ([]byte, error) {
	type way struct {
		Types   string `json:"types"`
		Node    string `json:"node,omitempty"`
		Default string `json:"default"`
	}
	return json.MarshalIndent(struct {
		Name        string         `json:"name"`
		Version     string         `json:"version"`
		Description string         `json:"description"`
		License     string         `json:"license"`
		Repository  string         `json:"repository"`
		Type        string         `json:"type"`
		Engines     map[string]any `json:"engines"`
		Exports     map[string]way `json:"exports"`
	}{
		"tabernetes", version, "A Kubernetes API server for tests and pages", "Apache-2.0",
		"github:tabernetes/tabernetes", "module", map[string]any{"node": ">=22"},
		map[string]way{
			".":        {"./index.d.ts", "./node.js", "./browser.js"},
			"./tables": {"./tables.d.ts", "", "./tables.js"},
		},
	}, "", "  ")
}
