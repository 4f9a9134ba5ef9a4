package mvcc

// A Writer makes the writes of an author.
type Writer struct {
	store  *Store
	author *Author
	// discards is the result of Discards before the writer read what it writes on; -1: it reads nothing.
	discards int64
}

// By returns a Writer for an author, which each version that it writes has; nil means no author. The Author
// must not change any more.
func (s *Store) By(a *Author) Writer { return Writer{s, a, -1} }

// After returns a Writer that writes nothing if pending writes have been discarded since Discards
// returned this number, but returns the reason. What it has read may have been one of them, and its
// revision is used again.
func (w Writer) After(discards int64) Writer {
	w.discards = discards
	return w
}

// Put is Store.Put.
func (w Writer) Put(bucket, key string, expect int64, build Build) (*Event, error) {
	return w.write(bucket, key, expect, build, false, true)
}

// PutBeyondQuota is Put beyond the quota: for writes that free space, at once or later. It returns ErrNoSpace
// only while there is history that could be compacted to come within the quota, or to what is present if that
// is more: so the store is never more than one version beyond that.
func (w Writer) PutBeyondQuota(bucket, key string, expect int64, build Build) (*Event, error) {
	return w.write(bucket, key, expect, build, false, false)
}

// Delete is Store.Delete.
func (w Writer) Delete(bucket, key string, expect int64, build Build) (*Event, error) {
	return w.write(bucket, key, expect, build, true, false)
}
