//go:build js && wasm

package app

import (
	"errors"
	"strconv"
	"syscall/js"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

// PutBack makes the cluster what it was at a revision: what was written later is gone, and
// all watches end. It blocks; the error is the server's, such as that of a revision whose
// history is compacted.
func (a *App) PutBack(revision int64) error {
	got, err := a.said("takeSnapshot", wellknown.ControlPlane+"/snapshot?revision="+strconv.FormatInt(revision, 10))
	if err != nil {
		return err
	}
	id, err := strconv.Atoi(got)
	if err != nil {
		return errors.New(got)
	}
	problem, err := a.said("putSnapshot", id)
	if err == nil && problem != "" {
		err = errors.New(problem)
	}
	return err
}

// said returns what one of the page's functions says that returns a promise of a text.
func (a *App) said(function string, arg any) (string, error) {
	v, err := Await(a.Page.Call(function, arg))
	if err != nil || v.Type() != js.TypeString {
		return "", err
	}
	return v.String(), nil
}
