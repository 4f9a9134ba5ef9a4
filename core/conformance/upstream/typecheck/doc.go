// Package typecheck compares what the server writes to the status of ValidatingAdmissionPolicies with what
// apiserver's TypeChecker finds, which reads discovery and OpenAPI documents of the same server.
package typecheck
