package mvcc

// Owners are the users whom a key belongs to: who created it, and who pays for it where that is counted.
// Either may be empty. They must not change any more.
type Owners struct{ Creator, Payer string }

// A Write is one that is about to be made.
type Write struct {
	Bucket, Key string
	Author      *Author
	// Revision is that of the write; Value has it.
	Revision int64
	// Current is the version on which it builds, committed or not; nil if the key does not exist.
	Current *Version
	// Value is what is written; the last state, if the write Deletes the key.
	Value   []byte
	Deletes bool
	// Frees is set for a write that may go beyond the quota, as it frees space, at once or later.
	Frees bool
	// Keys, Bytes and Size are what the current versions take, with pending writes: their number, their
	// values, and their approximate memory, which is what no compaction can free. Quota is the store's.
	Keys               int
	Bytes, Size, Quota int64
}

// A Guard decides about the writes of a store, and counts what there is. It is called under the store's
// lock: it must be fast and must not call back.
type Guard interface {
	// Own returns to whom a key belongs after a write; nil: to nobody.
	Own(*Write) *Owners
	// Judge returns the error with which a write is refused, if any, and whether it may use the part of the
	// quota that is reserved. It does not apply to versions that are loaded.
	Judge(w *Write, o *Owners) (reserved bool, err error)
	// Count is called with each event that is added, also a pending one and one that is loaded, with by 1;
	// and with each that is discarded, the last one first, with by -1.
	Count(e *Event, change int)
}

// SetGuard sets the store's guard. Set it before the first write.
func (s *Store) SetGuard(g Guard) { s.guard = g }

// Guarded reports whether the store has a guard.
func (s *Store) Guarded() bool { return s.guard != nil }

// Check returns the error with which the guard would refuse a write over the key's last version. It writes
// nothing. deletes and frees are as in a Write.
func (w Writer) Check(bucket, key string, value []byte, deletes, frees bool) error {
	s := w.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.guard == nil {
		return nil
	}
	var current *Version
	if h := s.bucket(bucket).find(key); h != nil {
		current = h.current()
	}
	rev := s.last + 1
	if current != nil {
		rev = current.Revision // a dry run shows the object at this one
	}
	_, _, err := s.judge(&Write{
		Bucket: bucket, Key: key, Author: w.author, Revision: rev, Current: current, Value: value, Deletes: deletes,
		Frees: deletes || frees,
	})
	return err
}

// judge asks the guard about a write. Callers hold the lock.
func (s *Store) judge(w *Write) (o *Owners, reserved bool, err error) {
	if s.guard == nil {
		return nil, false, nil
	}
	w.Keys, w.Bytes, w.Size, w.Quota = s.present, s.bytes-s.superseded, s.presentSize(), s.quota
	o = s.guard.Own(w)
	reserved, err = s.guard.Judge(w, o)
	return o, reserved, err
}
