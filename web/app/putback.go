//go:build js && wasm

package app

import (
	"errors"
	"strconv"
	"syscall/js"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

// PutBack restores the cluster to a revision: what was written later is gone, and all watches end. It blocks; the error
// is the server's, such as that of a compacted revision.
func (a *App) PutBack(revision int64) error {
	got, err := a.promiseText("takeSnapshot", wellknown.ControlPlane+"/snapshot?revision="+strconv.FormatInt(revision, 10))
	if err != nil {
		return err
	}
	id, err := strconv.Atoi(got)
	if err != nil {
		return errors.New(got)
	}
	problem, err := a.promiseText("putSnapshot", id)
	if err == nil && problem != "" {
		err = errors.New(problem)
	}
	return err
}

// promiseText calls one of the page's functions that returns a promise of a text, and waits for the text.
func (a *App) promiseText(function string, arg any) (string, error) {
	v, err := Await(a.Page.Call(function, arg))
	if err != nil || v.Type() != js.TypeString {
		return "", err
	}
	return v.String(), nil
}
