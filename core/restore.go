package core

import (
	"errors"
	"fmt"
	"math"

	"github.com/tabernetes/tabernetes/core/journal"
)

// OnDamage says what New does about a saved cluster that is damaged.
type OnDamage int

const (
	// RefuseDamaged returns a *DamageError and changes nothing.
	RefuseDamaged OnDamage = iota
	// SalvageDamaged keeps a copy of all that is saved, and goes on with the sound part.
	// Clients that have seen more get 410 Gone for what they know, since the revisions go
	// on behind all that may have been shown.
	SalvageDamaged
	// ReplaceDamaged keeps a copy of all that is saved, and begins a new cluster.
	ReplaceDamaged
)

// Recovery says what New found in its Storage.
type Recovery struct {
	// Restored is whether a saved cluster was taken up again.
	Restored bool
	// SetAside is the name of the copy that was kept of a damaged saved state; empty
	// when there was none.
	SetAside string
	// Problem says what was wrong with what was saved, and what was dropped of it, or
	// what is wrong with writing.
	Problem string
	// Unsaved is whether the storage could not be written at start, so that the
	// cluster lives in memory only.
	Unsaved bool
}

// DamageError is the error for a saved cluster of which something was lost.
type DamageError struct {
	// Reason is what is wrong.
	Reason string
	// Found is what there is, and Recorded how far it had come as the record beside it
	// says; zero if there is none.
	Found    journal.Found
	Recorded journal.Head
	// Objects is how many objects the sound part has.
	Objects int
}

func (e *DamageError) Error() string { return "the saved cluster is damaged: " + e.Reason }

// Sound returns what is sound.
func (e *DamageError) Sound() string {
	return fmt.Sprintf("sound are %d of %d bytes, up to revision %d, with %d objects",
		e.Found.Sound, e.Found.Size, e.Found.Revision, e.Objects)
}

// A saved cluster is what a storage holds.
type saved struct {
	instance *instance
	found    journal.Found
	recorded journal.Head
	// unreadable is whether there is a record of the head, but none that can be read.
	unreadable bool
}

// inspect reads what is in a storage. instance is nil if nothing is.
func (c *Cluster) inspect(storage journal.Storage) (saved, error) {
	var s saved
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
	i, found, err := c.load(log, math.MaxInt64)
	if err != nil {
		return s, err
	}
	if s.found = found; found.Size > 0 {
		s.instance = i
	}
	return s, nil
}

// damage returns what is wrong with what is saved, beyond an end that was cut off; nil if
// nothing is.
func (s *saved) damage() *DamageError {
	reason := ""
	switch found, recorded := s.found, s.recorded; {
	case found.Size == 0 && recorded.Revision > 0:
		reason = fmt.Sprintf("the log is empty or missing, and had come to revision %d", recorded.Revision)
	case found.Size == 0:
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

// dropped returns what was left out of what is sound, if anything.
func (s *saved) dropped() string {
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

// restore takes up the saved cluster, or begins a fresh one if there is none. A storage
// that cannot be written makes a cluster in memory.
func (c *Cluster) restore() (*instance, error) {
	storage := c.options.Storage
	if storage == nil {
		return c.fresh(c.options.Rand)
	}
	s, err := c.inspect(storage)
	if err != nil {
		return nil, err
	}
	i, sound := s.instance, s.found.Sound
	c.recovery.Problem = s.dropped()
	if damage := s.damage(); damage != nil {
		if i, err = c.mend(&s, damage); err != nil {
			return nil, err
		}
		sound = 0
	}
	if i == nil {
		if i, err = c.fresh(c.options.Rand); err != nil {
			return nil, err
		}
	} else {
		c.recovery.Restored = true
		head := i.store.Status().Head
		if err := i.bootstrap(); err != nil {
			return nil, err
		}
		if sound < s.found.Size || i.store.Status().Head != head {
			sound = 0 // its end was cut off, or it lacked something: it has to be written anew
		}
	}
	if err := i.open(sound); err != nil {
		c.recovery.Unsaved, c.recovery.Problem = true, "the cluster is not saved: "+err.Error()
	}
	return i, nil
}

// mend does what OnDamage says. It returns what to go on with, nil for a new cluster.
func (c *Cluster) mend(s *saved, damage *DamageError) (i *instance, err error) {
	if c.options.OnDamage == RefuseDamaged {
		return nil, damage
	}
	if s.found.Size > 0 {
		if c.recovery.SetAside, err = c.options.Storage.SetAside(); err != nil {
			return nil, err
		}
	}
	if i = s.instance; c.options.OnDamage == ReplaceDamaged || i == nil || i.header.UID == "" {
		c.recovery.Problem = damage.Error() + ". A new cluster was begun."
		return nil, nil
	}
	// Whatever was shown to anybody is below this.
	next := max(s.found.Revision, s.found.Reaches, s.recorded.Revision) + 1
	c.recovery.Problem = fmt.Sprintf("%s. What is sound was taken up (%s); its revisions go on behind %d.",
		damage.Error(), damage.Sound(), next)
	return i, i.store.Position(next, next)
}

// Check reads what is in a storage, every object included, and changes nothing. It
// returns what there is, a *DamageError if something was lost, and in words what would
// be dropped at a start, if anything.
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

// Recovery returns what was found in the storage at start.
func (c *Cluster) Recovery() Recovery { return c.recovery }
