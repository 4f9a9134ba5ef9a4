package kubetest

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/devserver/internal/certificate"
)

// A socket is where a server listens, from when somebody asks for its URL on.
type socket struct {
	once   sync.Once
	url    string
	ca     []byte
	server *http.Server
	err    error
	done   chan struct{}
}

// URL returns the server's address on loopback. The first call makes it listen there, with TLS and HTTP/2.
func (s *Server) URL() string {
	s.t.Helper()
	s.listen()
	return s.socket.url
}

// CA returns the certificate, in PEM, that has signed that of URL.
func (s *Server) CA() []byte {
	s.t.Helper()
	s.listen()
	return s.socket.ca
}

func (s *Server) listen() {
	s.t.Helper()
	k := &s.socket
	k.once.Do(func() { k.err = k.open(s) })
	if k.err != nil {
		s.t.Fatalf("kubetest: %v", k.err)
	}
}

func (k *socket) open(s *Server) error {
	now := time.Now()
	authority, err := certificate.New(nil, now)
	if err != nil {
		return err
	}
	signed, err := authority.Sign([]string{"localhost", "127.0.0.1"}, now)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	k.url, k.ca = fmt.Sprint("https://", l.Addr()), authority.PEM()
	k.server = &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !s.enter() {
				panic(http.ErrAbortHandler)
			}
			defer s.serving.Done()
			s.ServeHTTP(w, r)
		}),
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{signed}},
		ErrorLog:  log.New(io.Discard, "", 0),
	}
	k.done = make(chan struct{})
	go func() {
		defer close(k.done)
		_ = k.server.ServeTLS(l, "", "") // it ends by close
	}()
	return nil
}

// close ends the socket, if there is one.
func (k *socket) close() {
	k.once.Do(func() { k.err = errEnded })
	if k.server != nil {
		_ = k.server.Close()
		<-k.done
	}
}
