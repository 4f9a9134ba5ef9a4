// Package upstream holds, in its subdirectories, what others have written to
// hold an API server against: client-go and its tools (clientgo),
// controller-runtime (controllerruntime), kubectl, Helm (helm), the storage
// behaviour suite of k8s.io/apiserver (storagesuite), a linearizability checker
// (linearizable), and the real code for patches (patches), field management
// (fields), protobuf, CBOR (cbor) and OpenAPI. They are tests only, in a module of
// their own.
package upstream
