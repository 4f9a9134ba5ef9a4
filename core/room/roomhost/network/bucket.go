package network

import "time"

// A Bucket is how much of something was used that comes back with time.
type Bucket struct {
	used float64
	at   time.Time
}

// Wait returns how long it takes until one of most is left, of which each comes back after a time; 0: there
// is one now.
func (b *Bucket) Wait(now time.Time, most float64, each time.Duration) time.Duration {
	if passed := now.Sub(b.at); passed > 0 {
		b.used = max(0, b.used-float64(passed)/float64(each))
	}
	b.at = now
	return time.Duration(max(0, b.used+1-most) * float64(each))
}

// Use takes one.
func (b *Bucket) Use() { b.used++ }
