// Package develop builds the site that a server shows, and with --dev keeps both up to date: it watches the sources,
// rebuilds what a change affects, tells open pages, and replaces the server by a newer build of itself.
//
// Invariants: a build that fails leaves the site as it was, and pages show why. A server that is replaced hands its
// open port on, so that clients are cut off but never refused.
//
// Watching costs the system a watch for each folder; a change costs the steps of the build that it affects, see package
// site.
package develop

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

// A Page shows the site.
type Page interface {
	// Show shows the site that is built in dir from now on.
	Show(dir string, index *site.Index)
	// Follow shows the site that others build in dir.
	Follow(dir string, index *site.Index)
	// Fail shows why there is no newer site, or none at all.
	Fail(error)
}

// A Keeper builds the site and has it shown.
type Keeper struct {
	// Dir is where the site is built.
	Dir string
	// NoBuild shows the site there as it is, and Watch keeps it up to date.
	NoBuild, Watch bool
	Page           Page
	// Reloads and Restart are for Watch: what tells open pages, and what replaces the server.
	Reloads *Reloads
	Restart *Restarter
	// OnDemand builds programs when a page asks for them.
	OnDemand []*OnDemand
	// Ready is called when there is a site, or, with Watch, the reason why not.
	Ready func()
}

// Keep builds the site (unless NoBuild), shows it, and with Watch keeps it up to date until ctx is done.
func (k *Keeper) Keep(ctx context.Context) error {
	if k.NoBuild {
		index, err := site.Open(k.Dir)
		if err != nil {
			return fmt.Errorf("no site to serve in %s: %w", k.Dir, err)
		}
		k.Page.Follow(k.Dir, index)
		k.Ready()
		return nil
	}
	root, err := site.Root()
	if err != nil {
		return err
	}
	builder, err := site.New(site.Options{
		Root: root, Out: k.Dir, Dev: k.Watch, Devserver: true, Quick: true, Later: true, Progress: os.Stdout,
	})
	if err != nil {
		return err
	}
	start := time.Now()
	fmt.Printf("building the site into %s\n", k.Dir)
	report, err := builder.Build(ctx, site.All)
	if err != nil && (!k.Watch || ctx.Err() != nil) {
		return err
	}
	if report != nil {
		k.Page.Show(k.Dir, report.Index)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%v\n", err)
		k.Page.Fail(err)
	} else {
		fmt.Printf("built in %.1f s: %s\n", time.Since(start).Seconds(), report.Index.Total())
	}
	k.Ready()
	var wg sync.WaitGroup
	defer wg.Wait()
	for _, program := range k.OnDemand {
		wg.Go(func() { program.Run(ctx, builder, func(index *site.Index) { k.Page.Show(k.Dir, index) }) })
	}
	if !k.Watch {
		return nil
	}
	return k.watch(ctx, root, builder)
}
