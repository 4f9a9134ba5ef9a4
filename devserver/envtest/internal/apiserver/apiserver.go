// Package apiserver is the kube-apiserver of the pair: the core's API server with the flags, the credentials and the
// pace of the real program.
//
// Invariants: the port is open before anything is kept, so that a second server on it changes nothing. A write that was
// answered is there when the API server is started again with the same etcd. A flag of the real program that would make
// other answers does that here too, or is refused or named: see flags.txt.
//
// A start takes some milliseconds, and what it takes to read the objects that are kept.
package apiserver

import (
	"context"
	"crypto/tls"
	_ "embed" // for flags.txt
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/settings"
	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/devserver/envtest/internal/etcd"
	"github.com/tabernetes/tabernetes/devserver/envtest/internal/flags"
	"github.com/tabernetes/tabernetes/devserver/envtest/internal/program"
	"github.com/tabernetes/tabernetes/devserver/internal/cluster"
	"github.com/tabernetes/tabernetes/devserver/internal/credentials"
	"github.com/tabernetes/tabernetes/devserver/internal/front"
)

//go:embed flags.txt
var table string

// Name is the name of the program.
const Name = "kube-apiserver"

// Program returns the program.
func Program() *program.Program {
	return &program.Program{
		Name: Name, Version: "Kubernetes " + program.Version + "+" + build, Table: flags.ReadTable(table), Run: run,
		Head: "The API server of Tabernetes, with the flags of kube-apiserver " + program.Version + ".\n\nUsage:\n" +
			"  kube-apiserver [flags]\n\nFlags:\n",
		Temporary: []string{"cert-dir"},
	}
}

const build = "tabernetes"

// grace is how long requests under way may take after the end was asked for. Streams are ended at once.
const grace = 3 * time.Second

// drain is how long kube-apiserver lets the watches of a custom resource continue whose definition changes or goes.
const drain = time.Second

// run serves until ctx is done.
func run(ctx context.Context, v *flags.Values, s program.Settings) error {
	if err := check(v); err != nil {
		return err
	}
	o, err := clusterOptions(v, s)
	if err != nil {
		return err
	}
	config, err := tlsOf(v)
	if err != nil {
		return err
	}
	users, err := readAuthorities(v.Text("client-ca-file", ""))
	if err != nil {
		return err
	}
	delay, err := v.Duration("shutdown-delay-duration", 0)
	if err != nil {
		return err
	}
	streamsEach, err := v.Int("http2-max-streams-per-connection", 1000)
	if err != nil {
		return err
	}
	port := v.Text("secure-port", "6443")
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return fmt.Errorf("--secure-port %s must be between 1 and 65535, inclusive. It cannot be turned off with 0", port)
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(v.Text("bind-address", "0.0.0.0"), port))
	if err != nil {
		return fmt.Errorf("failed to create listener: failed to listen on --bind-address and --secure-port: %w", err)
	}
	defer listener.Close()

	audited, err := newAuditor(v, os.Stderr)
	if err != nil {
		return err
	}
	defer audited.close()
	data, err := etcd.Find(ctx, v.List("etcd-servers"))
	if err != nil {
		return err
	}
	o.Data = filepath.Join(data.Dir, folder(v.Text("etcd-prefix", "/registry")))
	o.Unsynced, o.Quota = data.Unsynced, data.Quota
	pace := newPace(s.Latency, s.Seed)
	if s.Latency > 0 {
		o.Between, o.Drain = pace.between, drain
	}
	kept, err := cluster.Open(o)
	if err != nil {
		return fmt.Errorf("the directory that the etcd of --etcd-servers has: %w", err)
	}
	defer kept.Close()
	if err := settle(kept, o); err != nil {
		return err
	}

	streams, endStreams := context.WithCancel(context.WithoutCancel(ctx))
	defer endStreams()
	server := &http.Server{
		Handler:           users.identify(pace.slow(audited.audited(front.API(kept)))),
		TLSConfig:         config,
		ReadHeaderTimeout: 32 * time.Second,
		IdleTimeout:       90 * time.Second,
		MaxHeaderBytes:    1 << 20,
		BaseContext:       func(net.Listener) context.Context { return streams },
		ConnContext:       users.connection,
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: streamsEach},
		ErrorLog:          log.New(os.Stderr, "kube-apiserver: ", 0),
	}
	if v.Bool("disable-http2-serving", false) {
		server.Protocols = new(http.Protocols)
		server.Protocols.SetHTTP1(true)
		config.NextProtos = []string{"http/1.1"}
	}
	served := make(chan error, 1)
	go func() { served <- server.ServeTLS(listener, "", "") }()
	fmt.Fprintln(os.Stderr, "kube-apiserver: serving on", listener.Addr())
	select {
	case err = <-served:
	case <-ctx.Done():
		time.Sleep(delay)
	}
	endStreams()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if e := server.Shutdown(last); e != nil {
		_ = server.Close() // requests under way have had their time
	}
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return errors.Join(err, kept.Close())
}

// folder names the directory of the clusters of a prefix.
func folder(prefix string) string {
	name := strings.Trim(prefix, "/")
	if name == "registry" {
		return "tabernetes"
	}
	return "tabernetes-" + strings.NewReplacer("/", "_", `\`, "_", ".", "_").Replace(name)
}

// check refuses a command line that lacks what the real program needs.
func check(v *flags.Values) error {
	var errs []string
	if len(v.List("etcd-servers")) == 0 {
		errs = append(errs, "--etcd-servers must be specified")
	}
	if v.Text("service-account-issuer", "") == "" {
		errs = append(errs, "service-account-issuer is a required flag")
	}
	if v.Text("service-account-signing-key-file", "") == "" {
		errs = append(errs, "service-account-signing-key-file is a required flag")
	}
	if len(errs) > 0 {
		return fmt.Errorf("[%s]", strings.Join(errs, ", "))
	}
	return nil
}

// clusterOptions are what the flags say of the cluster.
func clusterOptions(v *flags.Values, s program.Settings) (o cluster.Options, err error) {
	o = cluster.Options{
		Controllers: s.Controllers, Build: build, Webhooks: true, Descriptions: descriptions(),
	}
	o.Flags.RefusePrivileged = !v.Bool("allow-privileged", false)
	if o.Flags.Services, err = serviceRange(v.Text("service-cluster-ip-range", "")); err != nil {
		return o, err
	}
	if o.Flags.ServiceAccounts, err = serviceAccounts(v); err != nil {
		return o, err
	}
	if o.FeatureGates, err = featureGates(v.Map("feature-gates")); err != nil {
		return o, err
	}
	if o.Flags.WithoutPlugins, o.Flags.WithPlugins, err = plugins(v, os.Stderr); err != nil {
		return o, err
	}
	if o.Flags.Serves, err = runtimeConfig(v.Map("runtime-config"), os.Stderr); err != nil {
		return o, err
	}
	if o.Authorization, err = authorization(v, os.Stderr); err != nil {
		return o, err
	}
	if o.Tokens, err = credentials.ReadTokens(v.Text("token-auth-file", ""), credentials.AlwaysAllow); err != nil {
		return o, err
	}
	o.WithoutCredentials = "Anonymous"
	if o.Authorization != credentials.RBAC || !v.Bool("anonymous-auth", true) {
		o.WithoutCredentials = "Unauthorized"
	}
	limits := apiserver.DefaultLimits()
	limits.Queue = v.Bool("enable-priority-and-fairness", true)
	var errs [3]error
	limits.Reads, errs[0] = v.Int("max-requests-inflight", limits.Reads)
	limits.Writes, errs[1] = v.Int("max-mutating-requests-inflight", limits.Writes)
	limits.Deadline, errs[2] = v.Duration("request-timeout", limits.Deadline)
	o.Limits = &limits
	return o, errors.Join(errs[:]...)
}

// settle gives a cluster that was kept what the flags say now.
func settle(kept *core.Cluster, o cluster.Options) error {
	if !kept.Recovery().Restored {
		return nil
	}
	on := map[string]any{}
	for gate, value := range o.FeatureGates.Settable() {
		on[gate] = value
	}
	tokens := make([]any, 0, len(o.Tokens))
	for _, t := range o.Tokens {
		tokens = append(tokens, map[string]any{"token": t.Token, "user": t.User, "uid": t.UID, "groups": t.Groups})
	}
	patch := settings.Patch(settings.Values{
		settings.Authorization.Path: o.Authorization, settings.WithoutCredentials.Path: o.WithoutCredentials,
		settings.Controllers.Path: o.Controllers, "featureGates": on, "authentication.tokens": tokens,
	})
	r, err := http.NewRequestWithContext(auth.WithVerdict(context.Background(), auth.Verdict{User: auth.Admin}),
		http.MethodPatch, wellknown.ControlPlane, strings.NewReader(patch))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/merge-patch+json")
	if a := cluster.Ask(kept, r); a.Code != http.StatusOK {
		return fmt.Errorf("the flags do not go with the cluster that is kept: %s", a.Body.String())
	}
	return nil
}

// tlsOf returns how the server speaks TLS.
func tlsOf(v *flags.Values) (*tls.Config, error) {
	pair, err := servingPair(v)
	if err != nil {
		return nil, err
	}
	config := &tls.Config{
		Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequestClientCert, MinVersion: tls.VersionTLS12,
		NextProtos: []string{"h2", "http/1.1"},
	}
	switch least := v.Text("tls-min-version", ""); least {
	case "", "VersionTLS12":
	case "VersionTLS13":
		config.MinVersion = tls.VersionTLS13
	default:
		return nil, fmt.Errorf("--tls-min-version: %q is neither VersionTLS12 nor VersionTLS13", least)
	}
	return config, nil
}
