// Package kubetest has tests as authors of operators write them, with the servers of devserver/kubetest: with
// client-go, with controller-runtime, in ginkgo and as kubebuilder scaffolds them; and with the time of a bubble of
// testing/synctest, in which a wait of an hour takes none.
package kubetest
