// Package storagesuite runs the storage behaviour suite that k8s.io/apiserver
// exports over core/mvcc, through an adapter: what upstream asks of etcd under a
// kube-apiserver is asked of the store under this one.
//
// The adapter holds no state beyond the store. It keeps encoded bytes, as the
// suite's transformer wants, puts Kubernetes' options on top of ranges and
// watches, and turns errors into those of k8s.io/apiserver/pkg/storage.
package storagesuite
