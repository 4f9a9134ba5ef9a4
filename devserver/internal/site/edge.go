package site

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// The files of an edge build that its configuration names, in its folder.
const (
	EdgeMain    = "main.js"
	EdgeAssets  = "assets.js"
	EdgeFiles   = "files.json"
	EdgeGo      = "wasm_exec.js"
	EdgeServer  = "tabernetes.wasm"
	EdgeFront   = "front.wasm"
	edgePackage = "./wasm/room/front"
)

// Edge makes, in the folder out, what runs rooms in Durable Objects: the scripts of wasm/room, the front's binary, and
// what the site in the folder b.Out has of the server. The site has to be built.
func (b *Builder) Edge(ctx context.Context, out string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.timed(ctx, "edge", false, func() (files, error) { return nil, b.edge(ctx, out) })
}

func (b *Builder) edge(ctx context.Context, out string) error {
	index, err := Open(b.opt.Out)
	if err != nil {
		return err
	}
	front := filepath.Join(b.opt.Cache, "wasm", EdgeFront)
	err = GoBuild(ctx, b.opt.Root, front, edgePackage, []string{"-ldflags=-s -w"}, "GOOS=js", "GOARCH=wasm")
	if err != nil {
		return err
	}
	made := files{}
	if made[EdgeFront], err = os.ReadFile(front); err != nil {
		return err
	}
	for _, name := range []string{EdgeServer, EdgeGo} {
		if made[name], err = index.read(os.DirFS(b.opt.Out), name); err != nil {
			return err
		}
	}
	if made[EdgeFiles], err = json.Marshal(edgeHeaders(index)); err != nil {
		return err
	}
	for _, name := range []string{EdgeMain, EdgeAssets} {
		script, err := b.edgeScript(name, index)
		if err != nil {
			return err
		}
		made[name] = script
	}
	return made.write(out)
}

// edgeScript bundles a script of wasm/room, but for what the engine has or takes as it is.
func (b *Builder) edgeScript(name string, index *Index) ([]byte, error) {
	made, err := b.bundle(api.BuildOptions{
		EntryPointsAdvanced: []api.EntryPoint{{
			InputPath:  filepath.Join(b.opt.Root, "wasm", "room", name),
			OutputPath: strings.TrimSuffix(name, ".js"),
		}},
		Format:   api.FormatESModule,
		Define:   map[string]string{"FILES": strconv.Quote("/" + index.base())},
		External: []string{"cloudflare:workers", "*.wasm", "*/" + EdgeGo, "*/" + EdgeFiles},
	})
	return made[name], err
}

// edgeHeaders returns the headers of each file of the site by its path, for an engine that sends none.
func edgeHeaders(index *Index) map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, a := range index.Assets {
		h := http.Header{}
		SetSecurity(h)
		h.Set(policyHeader, index.csp())
		kind := types[path.Ext(a.Name)]
		if kind == "" {
			kind = "application/octet-stream"
		}
		h.Set("Content-Type", kind)
		h.Set("Cache-Control", index.cacheControl(a.Name))
		h.Set("ETag", `"`+a.Hash[:min(len(a.Hash), 32)]+`"`)
		index.setHeaders(h, a.Name)
		one := map[string]string{}
		for name := range h {
			one[name] = h.Get(name)
		}
		one["ETag"] = h.Get("ETag")
		delete(one, "Etag")
		all["/"+index.Path(a.Name)] = one
	}
	return all
}
