//go:build js && wasm

// Package store is a journal.Storage over an object of JavaScript: the page's
// host opens a file or a database and hands it in with the methods
//
//	read(at): Uint8Array    append(bytes)
//	begin()  write(bytes)  commit()  abort()
//	head(): Uint8Array      saveHead(bytes)
//	setAside(): string      close()
//
// each of which may return a promise instead, and throws to fail. A method that
// returns no promise costs no turn of the event loop.
package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall/js"

	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/wasm/jsvalue"
)

// Store is one open storage of the host.
type Store struct {
	v     js.Value
	pause func()
}

var _ journal.Storage = Store{}

// New wraps the host's object. pause is called between the pieces of a long piece of
// writing.
func New(v js.Value, pause func()) Store { return Store{v, pause} }

func (s Store) Read() (io.ReadCloser, error) { return &reader{store: s}, nil }

// reader reads the log piece by piece.
type reader struct {
	store Store
	at    int
	piece []byte
}

func (r *reader) Read(p []byte) (int, error) {
	if len(r.piece) == 0 {
		v, err := r.store.call("read", r.at)
		if err != nil {
			return 0, err
		}
		if r.piece = jsvalue.Bytes(v); len(r.piece) == 0 {
			return 0, io.EOF
		}
		r.at += len(r.piece)
	}
	n := copy(p, r.piece)
	r.piece = r.piece[n:]
	return n, nil
}

func (r *reader) Close() error { return nil }

func (s Store) Append(p []byte) error {
	_, err := s.call("append", jsvalue.Of(p))
	return err
}

func (s Store) Replace(write func(io.Writer) error) error {
	if _, err := s.call("begin"); err != nil {
		return err
	}
	err := write(replacement{s})
	if err == nil {
		_, err = s.call("commit")
	}
	if err != nil {
		_, failed := s.call("abort")
		err = errors.Join(err, failed)
	}
	return err
}

// A replacement writes the new log.
type replacement struct{ store Store }

func (r replacement) Write(p []byte) (int, error) {
	r.store.pause()
	if _, err := r.store.call("write", jsvalue.Of(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (s Store) Head() ([]byte, error) {
	v, err := s.call("head")
	if err != nil {
		return nil, err
	}
	return jsvalue.Bytes(v), nil
}

func (s Store) SaveHead(p []byte) error {
	_, err := s.call("saveHead", jsvalue.Of(p))
	return err
}

func (s Store) SetAside() (string, error) {
	v, err := s.call("setAside")
	if err != nil {
		return "", err
	}
	return v.String(), nil
}

func (s Store) Close() error {
	_, err := s.call("close")
	return err
}

func (s Store) call(method string, args ...any) (v js.Value, err error) {
	defer func() {
		if p := recover(); p != nil {
			thrown, ok := p.(js.Error)
			if !ok {
				panic(p)
			}
			err = fmt.Errorf("storage: %s: %s", method, jsvalue.Message(thrown.Value))
		}
	}()
	v = s.v.Call(method, args...)
	if v.Type() != js.TypeObject || v.Get("then").Type() != js.TypeFunction {
		return v, nil
	}
	if v, err = jsvalue.Await(context.Background(), v); err != nil {
		err = fmt.Errorf("storage: %s: %w", method, err)
	}
	return v, err
}
