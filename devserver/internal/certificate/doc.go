// Package certificate makes the server speak HTTPS: its own authority signs the certificate, and one port serves
// both HTTPS and HTTP.
//
// Invariants: an authority may sign for loopback and the hosts that it was made for, nothing else, so a thief of its
// key cannot pass for another server. With a directory it is the same at each start, as long as it fits the hosts;
// its key is for the owner of the directory only.
//
// A start costs a signature. A connection costs the wait for its first byte, in its own goroutine.
package certificate
