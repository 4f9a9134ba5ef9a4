// Package compare measures the API server against the least code that could do its work: a bare net/http handler that
// writes the same bytes. Both answer the same client over loopback, in turns and in the same run, so a ratio means
// something on any machine. Each ratio has a bound.
//
// It also measures servers in other processes beside one another, such as a kube-apiserver or an earlier version
// (Servers), and the memory of objects and idle watches. A whole run takes some minutes; make bench runs it.
package compare
