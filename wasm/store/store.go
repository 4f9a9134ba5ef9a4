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
	"errors"
	"fmt"
	"io"
	"syscall/js"

	"github.com/tabernetes/tabernetes/core/journal"
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
		if r.piece = fromJS(v); len(r.piece) == 0 {
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
	_, err := s.call("append", bytes(p))
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
	if _, err := r.store.call("write", bytes(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (s Store) Head() ([]byte, error) {
	v, err := s.call("head")
	if err != nil {
		return nil, err
	}
	return fromJS(v), nil
}

func (s Store) SaveHead(p []byte) error {
	_, err := s.call("saveHead", bytes(p))
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
			err = fmt.Errorf("storage: %s: %s", method, message(thrown.Value))
		}
	}()
	v = s.v.Call(method, args...)
	if v.Type() != js.TypeObject || v.Get("then").Type() != js.TypeFunction {
		return v, nil
	}
	if v, err = await(v); err != nil {
		err = fmt.Errorf("storage: %s: %w", method, err)
	}
	return v, err
}

// await blocks until promise settles.
func await(promise js.Value) (js.Value, error) {
	type outcome struct {
		v   js.Value
		err error
	}
	settled := make(chan outcome, 1)
	done := js.FuncOf(func(_ js.Value, args []js.Value) any {
		settled <- outcome{v: args[0]}
		return nil
	})
	defer done.Release()
	failed := js.FuncOf(func(_ js.Value, args []js.Value) any {
		settled <- outcome{err: errors.New(message(args[0]))}
		return nil
	})
	defer failed.Release()
	promise.Call("then", done, failed)
	o := <-settled
	return o.v, o.err
}

// message returns the text of what JavaScript threw.
func message(v js.Value) string {
	if v.Type() == js.TypeObject {
		if m := v.Get("message"); m.Type() == js.TypeString && m.String() != "" {
			return m.String()
		}
	}
	return js.Global().Call("String", v).String()
}

func bytes(p []byte) js.Value {
	a := js.Global().Get("Uint8Array").New(len(p))
	js.CopyBytesToJS(a, p)
	return a
}

func fromJS(v js.Value) []byte {
	p := make([]byte, v.Length())
	js.CopyBytesToGo(p, v)
	return p
}
