// Package upstream has, in its subdirectories, tests against the clients and libraries of others:
// client-go and its tools (clientgo), controller-runtime (controllerruntime), kubectl, Helm (helm),
// the storage suite of k8s.io/apiserver (storagesuite), a linearizability checker (linearizable),
// and the real code for patches (patches), field management (fields), custom resources (custom),
// CEL rules (celrules), protobuf, CBOR (cbor) and OpenAPI (openapi).
//
// They are in a module of their own, so that the project itself does not depend on all of that.
package upstream
