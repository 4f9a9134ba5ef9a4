package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"text/tabwriter"

	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

// A bound limits the size of some files of the site together, in bytes of brotli; aim is what they should come to.
// holds is what is in them, package by package or part by part.
type bound struct {
	what     string
	names    []string
	max, aim int
	holds    string
}

// bounds is the one table of what the page may weigh. wasm/README.md shows it.
var bounds = []bound{
	{"API server: what the first answer needs", []string{"tabernetes.wasm"}, 2_490_000, 1_500_000,
		"core with rooms and their copies, the bridge to JavaScript; no CEL, no OpenAPI v2"},
	{"evaluator of CEL: with the first rule or policy", []string{"cel.wasm"}, 2_320_000, 2_000_000,
		"cel-go v0.26 and Kubernetes' libraries for it"},
	{"API server and lab", []string{"tabernetes.wasm", "lab.wasm"}, 4_380_000, 2_300_000,
		"the same, and all panels, the course's engine, practice"},
	{"JavaScript and CSS of the page",
		[]string{"app.js", "worker.js", "wasm_exec.js", "editor.js", "fork.js", "room.js", "app.css"}, 72_000, 30_000,
		"shim, worker and styles, and what the page asks for later: editor, forks, rooms"},
	{"scripts of the capstone", []string{"capstone.js", "capstone-judge.js", "capstone-frame.html"}, 31_500, 20_000,
		"the judge with Go's script, the clusters that it runs, the frame of the learner's code"},
	{"what a page loads to embed snippets", []string{"embed/embed.js"}, 2_500, 1_500,
		"the elements, the frames that they make, and what joins them"},
	{"a frame of snippets, without the API server",
		[]string{"embed/frame.html", "snippet.js", "snippet.css", "worker.js", "wasm_exec.js"}, 30_000, 20_000,
		"blocks of requests, their answers, the connection to the server"},
	{"the bench, without the API server", []string{"bench.html", "bench.js", "bench.css"}, 55_500, 40_000,
		"texts with completion, requests, outcomes with what their expressions came to, the examples"},
	{"scripts of the terminal", []string{"terminal.js", "terminal-worker.js", "terminal.css"}, 45_500, 30_000,
		"the kernel, its workers with Go's script, commands with their output, the field, files, why each request was " +
			"made; without kubectl"},
	{"scripts of the control plane", []string{"controlplane.js", "controlplane-worker.js"}, 15_000, 5_000,
		"the download of the programs, the workers that run them, with Go's script, their levers, what they count " +
			"and log, and which event a write came after; without the programs"},
}

// heaviest is how many packages of the binary are named.
const heaviest = 25

// Size builds the site as it is shipped, prints the sizes of its files and fails when a bound is exceeded. With
// onlyBounds it compresses files as they are shipped only where a bound needs that, and prints no other sizes, and of
// binaries what they are at most: compressing all takes minutes.
func Size(ctx context.Context, out string, onlyBounds bool) error {
	root, err := site.Root()
	if err != nil {
		return err
	}
	index, err := Build(ctx, site.Options{Out: out, Quick: onlyBounds})
	if err != nil {
		return err
	}
	fmt.Println()
	if onlyBounds {
		if err := compressWell(index, out, filepath.Join(root, ".cache")); err != nil {
			return err
		}
		fmt.Println("Sizes of binaries are what they are at most; without --bounds they are exact.")
		return checkBounds(os.Stdout, index)
	}
	printSizes(os.Stdout, index)
	fmt.Println()
	failed := checkBounds(os.Stdout, index)
	for _, pkg := range []string{"./wasm", "./web/lab/main", "./wasm/cel"} {
		fmt.Println()
		packages, err := site.Weigh(ctx, root, pkg, filepath.Join(root, ".cache", "wasm", "symbols.wasm"))
		if err != nil {
			return err
		}
		fmt.Println(pkg)
		printPackages(os.Stdout, packages)
	}
	return failed
}

func printSizes(out io.Writer, index *site.Index) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "as it is\tbrotli\t  file")
	for _, a := range index.Assets {
		small := "-"
		if a.Brotli > 0 {
			small = site.Size(a.Brotli)
		}
		fmt.Fprintf(table, "%s\t%s\t  %s\n", site.Size(a.Bytes), small, a.Name)
	}
	_ = table.Flush() // its reader may have left
}

// The best quality of brotli saves at least this part, in percent, of what a binary weighs in the good one: 13 to 15.
const bestSaves = 10

// compressWell gives the files of bounds that are exceeded the sizes that they have as they are shipped, or for
// binaries what these are at most: for a site in the folder out whose files were compressed quickly. A bound that holds
// for those holds for smaller ones. It takes a sixth of the time if what binaries are at most is within the bounds.
func compressWell(index *site.Index, out, cache string) error {
	return errors.Join(
		compressExceeded(index, out, cache, site.Good),
		compressExceeded(index, out, cache, site.Best))
}

// compressExceeded gives the files of bounds that are exceeded the sizes that they have in a quality of brotli, or for
// binaries in the good one what they are at most in the best one.
func compressExceeded(index *site.Index, out, cache string, quality site.Quality) error {
	exceeded := map[string]bool{}
	for _, b := range bounds {
		if b.size(index) > b.max {
			for _, name := range b.names {
				exceeded[name] = true
			}
		}
	}
	errs := make([]error, len(index.Assets))
	room := make(chan struct{}, 2) // brotli at its best wants much memory
	var wg sync.WaitGroup
	for i := range index.Assets {
		a := &index.Assets[i]
		if !exceeded[a.Name] || a.Brotli == 0 {
			continue
		}
		wg.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			var data, small []byte
			if data, errs[i] = os.ReadFile(filepath.Join(out, filepath.FromSlash(index.Path(a.Name)))); errs[i] != nil {
				return
			}
			small, errs[i] = site.Compress(cache, data, a.Hash, quality)
			a.Brotli = len(small)
			if quality == site.Good && path.Ext(a.Name) == ".wasm" {
				a.Brotli -= len(small) * bestSaves / 100
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// size returns what the files of a bound weigh together.
func (b bound) size(index *site.Index) (total int) {
	for _, a := range index.Assets {
		switch {
		case !slices.Contains(b.names, a.Name):
		case a.Brotli > 0:
			total += a.Brotli
		default:
			total += a.Bytes
		}
	}
	return total
}

// checkBounds prints each bound with the present size, and fails if one is exceeded.
func checkBounds(out io.Writer, index *site.Index) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "brotli\tbound\taim\t  ")
	var failed error
	for _, b := range bounds {
		total, word := b.size(index), "within"
		switch {
		case total > b.max:
			word = "TOO LARGE"
			failed = fmt.Errorf("%s: %s in brotli, past the bound of %s", b.what, site.Size(total), site.Size(b.max))
		case total <= b.aim:
			word = "at the aim"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t  %s: %s\n", site.Size(total), site.Size(b.max), site.Size(b.aim), b.what, word)
	}
	_ = table.Flush() // its reader may have left
	return failed
}

func printPackages(out io.Writer, packages []site.Weight) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "code\tabout, in brotli\t  package in the binary")
	row := func(w site.Weight) {
		fmt.Fprintf(table, "%s\t%s\t  %s\n", site.Size(w.Bytes), site.Size(w.Brotli), w.Package)
	}
	packages, data := packages[:len(packages)-1], packages[len(packages)-1]
	rest := site.Weight{Package: "the other packages"}
	for i, p := range packages {
		if i < heaviest {
			row(p)
			continue
		}
		rest.Bytes += p.Bytes
		rest.Brotli += p.Brotli
	}
	row(rest)
	row(data)
	_ = table.Flush() // its reader may have left
}
