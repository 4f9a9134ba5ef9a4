//go:build !js

package nodes

import (
	"context"
	"crypto/subtle"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"
)

// TokenVariable is the variable of the environment that has the bearer token by which kubelets know the API server.
const TokenVariable = "KUBELETS_TOKEN"

func init() { listening = listenFlag }

// listenFlag defines the flag of an address at which the kubelets answer. The program prints the address once it does.
func listenFlag(flags *flag.FlagSet) func(context.Context, http.Handler) error {
	addr := flags.String("listen", "",
		"the address, on the loopback interface, at which kubelets answer, over HTTP, who has the token in "+TokenVariable)
	return func(ctx context.Context, h http.Handler) error {
		if *addr == "" {
			return nil
		}
		at, err := listen(ctx, *addr, os.Getenv(TokenVariable), h)
		if err != nil {
			return fmt.Errorf("--listen: %w", err)
		}
		fmt.Println("listening on", at)
		return nil
	}
}

// listen has a handler answer those who have a token, at an address of the loopback interface, until the context ends.
func listen(ctx context.Context, addr, token string, h http.Handler) (net.Addr, error) {
	if token == "" {
		return nil, errors.New("no token in " + TokenVariable)
	}
	tcp, err := net.ResolveTCPAddr("tcp", addr)
	switch {
	case err != nil:
		return nil, err
	case !tcp.IP.IsLoopback():
		return nil, fmt.Errorf("%s is not on the loopback interface", addr)
	}
	l, err := net.ListenTCP("tcp", tcp)
	if err != nil {
		return nil, err
	}
	server := &http.Server{
		Handler: authenticated(token, h), ReadHeaderTimeout: time.Minute,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	go func() { _ = server.Serve(l) }() // until it is closed
	return l.Addr(), nil
}

// authenticated answers those who have a token.
func authenticated(token string, h http.Handler) http.Handler {
	want := []byte("Bearer " + token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) != 1 {
			fail(w, http.StatusUnauthorized, "Unauthorized")
			return
		}
		h.ServeHTTP(w, r)
	})
}
