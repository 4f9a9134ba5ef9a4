package core

import (
	"errors"
	"fmt"
	"math"

	"github.com/tabernetes/tabernetes/core/journal"
)

// OnDamage selects what New does about a saved cluster that is damaged.
type OnDamage int

const (
	// RefuseDamaged returns a *DamageError and changes nothing. A cluster of another release, of which nothing is
	// damaged, is refused by SalvageDamaged too.
	RefuseDamaged OnDamage = iota
	// SalvageDamaged keeps a copy of everything saved, and continues with the undamaged part. Clients
	// that have seen later revisions get 410 Gone for them, since new revisions start beyond any that
	// may have been shown.
	SalvageDamaged
	// ReplaceDamaged keeps a copy of everything saved, and starts a new cluster.
	ReplaceDamaged
)

// Recovery describes what New found in its Storage.
type Recovery struct {
	// Restored reports whether a saved cluster was restored.
	Restored bool
	// SetAside is the name of the copy of a damaged saved cluster; empty if there was no damage.
	SetAside string
	// Problem describes the damage and what was dropped because of it, or why the storage cannot be
	// written.
	Problem string
	// Unsaved reports whether the storage could not be written at start, so that the cluster exists in
	// memory only.
	Unsaved bool
}

// DamageError is the error for a saved cluster of which some data was lost, or which only another release can read.
type DamageError struct {
	// Reason describes the damage.
	Reason string
	// Found describes what was found in the log, and Recorded is the head record beside it; zero
	// without one.
	Found    journal.Found
	Recorded journal.Head
	// Objects is the number of objects in the undamaged part.
	Objects int
}

func (e *DamageError) Error() string {
	if e.Other() {
		return "the saved cluster cannot be opened: " + e.Reason
	}
	return "the saved cluster is damaged: " + e.Reason
}

// Other reports whether nothing is damaged, and only another release can read the cluster.
func (e *DamageError) Other() bool { return errors.Is(e.Found.Problem, journal.ErrOtherRelease) }

// Sound describes the undamaged part; empty if nothing is damaged.
func (e *DamageError) Sound() string {
	if e.Other() {
		return ""
	}
	return fmt.Sprintf("sound are %d of %d bytes, up to revision %d, with %d objects",
		e.Found.Sound, e.Found.Size, e.Found.Revision, e.Objects)
}

// savedState is the content of a storage.
type savedState struct {
	instance *instance
	found    journal.Found
	recorded journal.Head
	// unreadable reports whether the head record exists but cannot be read.
	unreadable bool
}

// inspect reads the content of a storage. instance is nil if it is empty.
func (c *Cluster) inspect(storage journal.Storage) (savedState, error) {
	var s savedState
	record, err := storage.Head()
	if err != nil {
		return s, err
	}
	if len(record) > 0 {
		var ok bool
		s.recorded, ok = journal.ParseHead(record)
		s.unreadable = !ok
	}
	log, err := storage.Read()
	if err != nil {
		return s, err
	}
	defer log.Close()
	i, found, err := c.load(log, math.MaxInt64, false)
	if err != nil {
		return s, err
	}
	if s.found = found; found.Size > 0 {
		s.instance = i
	}
	return s, nil
}

// damage returns the damage of a saved cluster, beyond a cut-off end, or nil.
func (s *savedState) damage() *DamageError {
	reason := ""
	switch found, recorded := s.found, s.recorded; {
	case found.Size == 0 && recorded.Revision > 0:
		reason = fmt.Sprintf("the log is empty or missing, and had come to revision %d", recorded.Revision)
	case found.Size == 0:
	case errors.Is(found.Problem, journal.ErrOtherRelease):
		reason = found.Problem.Error()
	case found.Problem != nil && found.Beyond > 0:
		reason = fmt.Sprintf("%v; %d sound frames follow, up to revision %d",
			found.Problem, found.Beyond, max(found.Reaches, found.Revision))
	case !found.Complete && found.Problem != nil:
		reason = fmt.Sprintf("%v; nothing sound follows, and what is before is not a whole cluster", found.Problem)
	case !found.Complete:
		reason = "it ends within the objects that the log begins with"
	case recorded.Cluster != "" && recorded.Cluster != s.instance.header.UID:
		reason = fmt.Sprintf("the log is of cluster %s, and the record beside it of %s",
			s.instance.header.UID, recorded.Cluster)
	case found.Revision < recorded.Revision:
		reason = fmt.Sprintf("the log ends at revision %d, and had come to %d", found.Revision, recorded.Revision)
		if found.Problem != nil {
			reason += fmt.Sprintf("; %v", found.Problem)
		}
	}
	if reason == "" {
		return nil
	}
	e := &DamageError{Reason: reason, Found: s.found, Recorded: s.recorded}
	if s.instance != nil {
		e.Objects = s.instance.store.Keys()
	}
	return e
}

// dropped describes what was left out of the undamaged part, if anything.
func (s *savedState) dropped() string {
	switch {
	case s.found.Problem != nil:
		return fmt.Sprintf("The end of the saved cluster was cut off while it was written: "+
			"%d bytes behind revision %d were dropped (%v).",
			s.found.Size-s.found.Sound, s.found.Revision, s.found.Problem)
	case s.unreadable:
		return "The record of how far the saved cluster had come cannot be read, " +
			"so it is not known whether its end is missing."
	}
	return ""
}

// restore restores the saved cluster, or creates a new one if none exists. If the storage cannot
// be written, the cluster exists in memory only.
func (c *Cluster) restore() (*instance, error) {
	storage := c.options.Storage
	if storage == nil {
		return c.newInstance(c.options.Rand)
	}
	s, err := c.inspect(storage)
	if err != nil {
		return nil, err
	}
	i, sound := s.instance, s.found.Sound
	c.recovery.Problem = s.dropped()
	if damage := s.damage(); damage != nil {
		if i, err = c.handleDamage(&s, damage); err != nil {
			return nil, err
		}
		sound = 0
	}
	if i == nil {
		if i, err = c.newInstance(c.options.Rand); err != nil {
			return nil, err
		}
	} else {
		c.recovery.Restored = true
		head := i.store.Status().Head
		if err := i.bootstrap(); err != nil {
			return nil, err
		}
		if sound < s.found.Size || i.store.Status().Head != head {
			sound = 0 // its end was cut off, or it was incomplete: rewrite it
		}
	}
	if err := i.open(sound); err != nil {
		c.recovery.Unsaved, c.recovery.Problem = true, "the cluster is not saved: "+err.Error()
	}
	return i, nil
}

// handleDamage does what OnDamage says. It returns the cluster to continue with, nil for a new one.
func (c *Cluster) handleDamage(s *savedState, damage *DamageError) (i *instance, err error) {
	if c.options.OnDamage == RefuseDamaged || c.options.OnDamage == SalvageDamaged && damage.Other() {
		return nil, damage
	}
	if s.found.Size > 0 {
		if c.recovery.SetAside, err = c.options.Storage.SetAside(); err != nil {
			return nil, err
		}
	}
	if i = s.instance; c.options.OnDamage == ReplaceDamaged || i == nil || i.header.UID == "" {
		c.recovery.Problem = damage.Error() + ". A new cluster was started."
		return nil, nil
	}
	// No client has seen a revision beyond this.
	next := max(s.found.Revision, s.found.Reaches, s.recorded.Revision) + 1
	c.recovery.Problem = fmt.Sprintf("%s. The intact part was loaded (%s); its revisions continue after %d.",
		damage.Error(), damage.Sound(), next)
	return i, i.store.Position(next, next)
}

// Check reads the content of a storage, every object included, and changes nothing. It returns what
// was found, a *DamageError if data was lost, and a description of what New would drop, if
// anything.
func Check(o Options) (found journal.Found, dropped string, err error) {
	if o.Storage == nil {
		return found, "", errors.New("core: Check needs a Storage")
	}
	c, err := prepare(o)
	if err != nil {
		return found, "", err
	}
	s, err := c.inspect(o.Storage)
	if err != nil {
		return s.found, "", err
	}
	if damage := s.damage(); damage != nil {
		return s.found, "", damage
	}
	return s.found, s.dropped(), nil
}

// found returns the notice about what was found in the storage at start.
func (c *Cluster) found() (setAside, problem string) { return c.recovery.SetAside, c.recovery.Problem }

// Recovery returns what New found in the storage.
func (c *Cluster) Recovery() Recovery { return c.recovery }
