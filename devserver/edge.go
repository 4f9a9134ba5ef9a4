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

	"github.com/tabernetes/tabernetes/devserver/certificate"
	"github.com/tabernetes/tabernetes/devserver/room/edge"
	"github.com/tabernetes/tabernetes/devserver/site"
)

// runEdge builds what serves rooms at the edge, and runs it on this machine.
func runEdge(ctx context.Context, flags *flag.FlagSet, args []string) error {
	o := options{addr: "127.0.0.1:8787"}
	out := flags.String("out", filepath.Join(".cache", "edge"), "")
	files := flags.String("site", "", "")
	flags.StringVar(&o.data, "data", "", "")
	flags.StringVar(&o.addr, "addr", o.addr, "")
	flags.BoolVar(&o.tls, "tls", false, "")
	o.hostFlags(flags)
	flags.BoolVar(&o.noBuild, "no-build", false, "")
	buildOnly := flags.Bool("build-only", false, "")
	if err := parse(flags, args); err != nil {
		return err
	}
	root, err := site.Root()
	if err != nil {
		return err
	}
	if o.data == "" {
		o.data = filepath.Join(*out, "data")
	}
	if *files == "" {
		*files = filepath.Join(*out, "site")
	}
	e := &edge.Engine{Addr: o.addr, AllowedHosts: o.allowed, AllowedOrigins: o.origins, Out: os.Stderr}
	for to, from := range map[*string]string{&e.Dir: *out, &e.Site: *files, &e.Data: o.data} {
		if *to, err = filepath.Abs(from); err != nil {
			return err
		}
	}
	if !o.noBuild {
		if err := buildEdge(ctx, root, e); err != nil {
			return err
		}
	}
	if *buildOnly {
		return nil
	}
	if e.Binary, err = edge.Binary(root); err != nil {
		return err
	}
	scheme := "http"
	if o.tls {
		scheme = "https"
		if e.Certificate, e.Key, err = o.edgeCertificate(e.Data); err != nil {
			return err
		}
	}
	if e.HostKey, err = newHostKey(e.Data); err != nil {
		return err
	}
	return e.Run(ctx, func(port int) {
		host, _, _ := net.SplitHostPort(o.addr) // the engine listens there
		url := scheme + "://" + pageHost(o.addr, &net.TCPAddr{IP: net.ParseIP(host), Port: port})
		file, _ := hostKeyFile(e.Data, "")
		if err := (hostKey{url, e.HostKey}).write(file); err != nil {
			fmt.Fprintln(os.Stderr, "devserver: no key for the command teacher:", err)
		}
		fmt.Printf("listening on %s\n\n  rooms    %s/#rooms\n\n", url, url)
	})
}

// buildEdge builds the site, unless the folder has one, and what serves rooms.
func buildEdge(ctx context.Context, root string, e *edge.Engine) error {
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

// edgeCertificate returns a certificate and its key, as PEM.
func (o *options) edgeCertificate(data string) (pem, key []byte, err error) {
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
