// Package upstream holds, in its subdirectories, what others have written to
// hold an API server against: client-go and its tools (clientgo),
// controller-runtime (controllerruntime), kubectl, the storage behaviour suite of
// k8s.io/apiserver (storagesuite), and a linearizability checker (linearizable).
// They are tests only, in a module of their own.
package upstream
