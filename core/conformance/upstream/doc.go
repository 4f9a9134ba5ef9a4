// Package upstream has, in its subdirectories, tests against the clients and libraries of others:
// client-go and its tools (clientgo), controller-runtime (controllerruntime), kubectl, Helm (helm),
// the storage suite of k8s.io/apiserver (storagesuite), a linearizability checker (linearizable),
// and the real code for patches (patches), field management (fields), custom resources (custom),
// CEL rules (celrules), the types in policies (typecheck), protobuf, CBOR (cbor) and OpenAPI (openapi).
// The suites of others that start a server run with the pair for envtest (envtestsuites), and Kubernetes' own
// end-to-end specs with a devserver (e2e, a separate module).
//
// They are in a separate module, so that the project itself does not depend on all of that.
package upstream
