package app

import (
	"errors"
	"strconv"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

// PutBack restores the cluster to a revision: what was written later is gone, and all watches end. It blocks; the error
// is the server's, such as that of a compacted revision.
func (a *App) PutBack(revision int64) error {
	got, err := a.Promise("takeSnapshot", wellknown.ControlPlane+"/snapshot?revision="+strconv.FormatInt(revision, 10))
	if err != nil {
		return err
	}
	id, err := strconv.Atoi(got)
	if err != nil {
		return errors.New(got)
	}
	problem, err := a.Promise("putSnapshot", id)
	if err == nil && problem != "" {
		err = errors.New(problem)
	}
	return err
}

// Command types commands into the terminal, and returns when they have ended. last is the id of the last request that
// they made, or 0 if they made no request. It blocks: call it in a goroutine.
func (a *App) Command(text string) (last int, err error) {
	got, err := a.Promise("command", text)
	last, _ = strconv.Atoi(got)
	return last, err
}
