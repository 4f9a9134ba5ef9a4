package mvcc

import "math"

// VersionCost is the approximate memory of a version beyond its value, in bytes.
const VersionCost = 512

// Sized is implemented by the Attrs of versions that may take more memory than VersionCost has for them.
type Sized interface {
	// Size returns how much more, in bytes. It does not change.
	Size() int64
}

// sizeOf returns the memory of a version without VersionCost, in bytes.
func sizeOf(value []byte, attrs any) int64 {
	n := int64(len(value))
	if sized, ok := attrs.(Sized); ok {
		n += sized.Size()
	}
	return n
}

func (v *Version) size() int64 { return sizeOf(v.Value, v.Attrs) }

func (s *Store) size() int64 { return s.bytes + int64(s.versions)*VersionCost + s.indexed.all }

// Left returns how many bytes are left of the quota: less than 0 after writes beyond it.
func (s *Store) Left() int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.quota == 0 {
		return math.MaxInt64
	}
	return s.quota - s.size()
}

// SetQuota limits Size, in bytes: above it Put returns ErrNoSpace. 0 is no limit. The last bytes of it, the
// reserve, are for the writes that the store's guard lets use it.
func (s *Store) SetQuota(bytes, reserve int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.quota, s.reserve = bytes, reserve
}

// presentSize is Status.Present. Callers hold the lock.
func (s *Store) presentSize() int64 {
	return s.bytes - s.superseded + int64(s.present)*VersionCost + s.indexed.all - s.indexed.past
}
