// Package local is the command edge of the devserver: it builds the site and what serves rooms at the edge, and runs
// both on this machine.
//
// Invariants: what is in the data directory stays what it is between runs, the host's key and the authority of the
// certificate too. A site that is elsewhere is left alone.
//
// It costs a build of the site, and what package edge costs.
package local

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/devserver/certificate"
	"github.com/tabernetes/tabernetes/devserver/front"
	"github.com/tabernetes/tabernetes/devserver/room"
	"github.com/tabernetes/tabernetes/devserver/room/edge"
	"github.com/tabernetes/tabernetes/devserver/site"
)

// Options are the flags of the command.
type Options struct {
	// Addr is where to listen. Requests have to be for that host or for a loopback name, or for one of Allowed.
	Addr    string
	Allowed []string
	// Origins are those of pages from elsewhere that may use the rooms.
	Origins []string
	TLS     bool
	// Out is the folder to build in. Data keeps the rooms, and Site is the folder of the site; empty: one below Out.
	Out, Data, Site string
	// NoBuild runs what is there as it is, and BuildOnly runs nothing.
	NoBuild, BuildOnly bool
}

// Run builds what serves rooms at the edge, and runs it until ctx ends.
func Run(ctx context.Context, o Options) error {
	root, err := site.Root()
	if err != nil {
		return err
	}
	if o.Data == "" {
		o.Data = filepath.Join(o.Out, "data")
	}
	if o.Site == "" {
		o.Site = filepath.Join(o.Out, "site")
	}
	e := &edge.Engine{Addr: o.Addr, AllowedHosts: o.Allowed, AllowedOrigins: o.Origins, Out: os.Stderr}
	for to, from := range map[*string]string{&e.Dir: o.Out, &e.Site: o.Site, &e.Data: o.Data} {
		if *to, err = filepath.Abs(from); err != nil {
			return err
		}
	}
	if !o.NoBuild {
		if err := build(ctx, root, e); err != nil {
			return err
		}
	}
	if o.BuildOnly {
		return nil
	}
	if e.Binary, err = edge.Binary(root); err != nil {
		return err
	}
	scheme := "http"
	if o.TLS {
		scheme = "https"
		if e.Certificate, e.Key, err = o.certificate(e.Data); err != nil {
			return err
		}
	}
	if e.HostKey, err = room.NewHostKey(e.Data); err != nil {
		return err
	}
	return e.Run(ctx, func(port int) {
		host, _, _ := net.SplitHostPort(o.Addr) // the engine listens there
		url := scheme + "://" + front.PageHost(o.Addr, &net.TCPAddr{IP: net.ParseIP(host), Port: port})
		file, _ := room.HostKeyFile(e.Data, "")
		if err := (room.HostKey{URL: url, Key: e.HostKey}).Write(file); err != nil {
			fmt.Fprintln(os.Stderr, "devserver: no key for the command teacher:", err)
		}
		fmt.Printf("listening on %s\n\n  rooms    %s/#rooms\n\n", url, url)
	})
}

// build builds the site, unless the folder has one, and what serves rooms.
func build(ctx context.Context, root string, e *edge.Engine) error {
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
func (o Options) certificate(data string) (pem, key []byte, err error) {
	if err := os.MkdirAll(data, 0o700); err != nil {
		return nil, nil, err
	}
	hosts := certificate.Hosts(o.Addr, o.Allowed)
	authority, err := certificate.Open(data, hosts, time.Now(), os.Stderr)
	if err != nil {
		return nil, nil, err
	}
	return authority.SignPEM(hosts, time.Now())
}
