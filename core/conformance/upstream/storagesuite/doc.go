// Package storagesuite runs the storage test suite that k8s.io/apiserver exports over core/mvcc,
// through an adapter: upstream's requirements for etcd under a kube-apiserver are checked for this
// store.
//
// The adapter has no state beyond the store. It stores encoded bytes, as the suite's transformer
// requires, implements Kubernetes' options by ranges and watches, and converts errors to those of
// k8s.io/apiserver/pkg/storage.
package storagesuite
