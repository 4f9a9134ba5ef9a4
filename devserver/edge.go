package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/devserver/internal/certificate"
	"github.com/tabernetes/tabernetes/devserver/internal/front"
	"github.com/tabernetes/tabernetes/devserver/internal/room"
	roomedge "github.com/tabernetes/tabernetes/devserver/internal/room/edge"
	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

// edgeOptions are the flags of the command edge, which builds the site and what serves rooms at the edge, and runs both
// on this machine. What is in the data directory stays what it is between runs, the host's key and the authority of the
// certificate too. A site that is elsewhere is left alone.
type edgeOptions struct {
	// addr is where to listen. Requests have to be for that host or for a loopback name, or for one of allowed.
	addr    string
	allowed []string
	// origins are those of pages from elsewhere that may use the rooms.
	origins []string
	tls     bool
	// out is the folder to build in. data keeps the rooms, and site is the folder of the site; empty: one below out.
	out, data, site string
	// noBuild runs what is there as it is, and buildOnly runs nothing.
	noBuild, buildOnly bool
}

// edge is the command. It ends when ctx does.
func edge(ctx context.Context, flags *flag.FlagSet, args []string) error {
	if len(args) > 0 && args[0] == "teacher" {
		return printTeacher(ctx, flags, args[1:], os.Stdout, filepath.Join(".cache", "edge", "data"))
	}
	var o edgeOptions
	flags.StringVar(&o.addr, "addr", "127.0.0.1:8787", "")
	flags.StringVar(&o.out, "out", filepath.Join(".cache", "edge"), "")
	flags.StringVar(&o.site, "site", "", "")
	flags.StringVar(&o.data, "data", "", "")
	flags.BoolVar(&o.tls, "tls", false, "")
	flags.BoolVar(&o.noBuild, "no-build", false, "")
	flags.BoolVar(&o.buildOnly, "build-only", false, "")
	hostFlags(flags, &o.allowed, &o.origins)
	if err := parse(flags, args); err != nil {
		return err
	}
	return o.run(ctx)
}

// run builds what serves rooms at the edge, and runs it until ctx ends.
func (o edgeOptions) run(ctx context.Context) error {
	root, err := site.Root()
	if err != nil {
		return err
	}
	if o.data == "" {
		o.data = filepath.Join(o.out, "data")
	}
	if o.site == "" {
		o.site = filepath.Join(o.out, "site")
	}
	e := &roomedge.Engine{Addr: o.addr, AllowedHosts: o.allowed, AllowedOrigins: o.origins, Out: os.Stderr}
	for to, from := range map[*string]string{&e.Dir: o.out, &e.Site: o.site, &e.Data: o.data} {
		if *to, err = filepath.Abs(from); err != nil {
			return err
		}
	}
	if !o.noBuild {
		if err := buildEdge(ctx, root, e); err != nil {
			return err
		}
	}
	if o.buildOnly {
		return nil
	}
	if e.Binary, err = roomedge.Binary(root); err != nil {
		return err
	}
	scheme := "http"
	if o.tls {
		scheme = "https"
		if e.Certificate, e.Key, err = o.certificate(e.Data); err != nil {
			return err
		}
	}
	if e.HostKey, err = room.NewHostKey(e.Data); err != nil {
		return err
	}
	return e.Run(ctx, func(port int) {
		host, _, _ := net.SplitHostPort(o.addr) // the engine listens there
		url := scheme + "://" + front.PageHost(o.addr, &net.TCPAddr{IP: net.ParseIP(host), Port: port})
		file, _ := room.HostKeyFile(e.Data, "")
		if err := (room.HostKey{URL: url, Key: e.HostKey}).Write(file); err != nil {
			fmt.Fprintln(os.Stderr, "devserver: no key for the command teacher:", err)
		}
		fmt.Printf("listening on %s\n\n  rooms    %s/#rooms\n\n", url, url)
	})
}

// buildEdge builds the site, unless the folder has one, and what serves rooms.
func buildEdge(ctx context.Context, root string, e *roomedge.Engine) error {
	start := time.Now()
	builder, err := site.New(site.Options{Root: root, Out: e.Site, Quick: true, Progress: os.Stdout})
	if err != nil {
		return err
	}
	fmt.Printf("building the site and the rooms' host into %s\n", e.Dir)
	if strings.HasPrefix(e.Site, e.Dir+string(filepath.Separator)) {
		if _, err := builder.Build(ctx, site.All); err != nil {
			return err
		}
	}
	if err := builder.Edge(ctx, e.Dir); err != nil {
		return err
	}
	fmt.Printf("built in %.1f s\n", time.Since(start).Seconds())
	return e.Deploy()
}

// certificate returns a certificate and its key, as PEM, signed by the authority that the data directory keeps.
func (o edgeOptions) certificate(data string) (pem, key []byte, err error) {
	if err := os.MkdirAll(data, 0o700); err != nil {
		return nil, nil, err
	}
	hosts := certificate.Hosts(o.addr, o.allowed)
	authority, err := certificate.Open(data, hosts, time.Now(), os.Stderr)
	if err != nil {
		return nil, nil, err
	}
	return authority.SignPEM(hosts, time.Now())
}
