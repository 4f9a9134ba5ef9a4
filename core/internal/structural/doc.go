// Package structural has the schemas of custom resources: it parses the openAPIV3Schema of a
// CustomResourceDefinition into a Schema and does with it what the API server does: it drops
// unspecified fields (Prune), sets defaults (Default), and returns the violations of values
// (Validate) and of schemas themselves (Check, CheckOpenAPI).
//
// Values are trees as core/object makes them: map[string]any, []any, string, bool, int64, float64
// and nil. The rules are those of structural schemas (apiextensions.k8s.io), the texts of errors
// those of the real server.
//
// # Invariants
//
//   - A Schema does not change once it is parsed and may be shared.
//   - Prune and Default change the value that they are given; Validate changes nothing.
//   - Errors are in the order of field names, where the real server's order is random.
//   - CEL rules (x-kubernetes-validations) are evaluated by the host, if it can: see Rules.
//
// # Costs
//
// Each function costs the size of the value and of the part of the schema that applies to it.
// Validation has a Budget, since a schema and an object could otherwise keep the server busy for
// hours; an object that exceeds it is refused as a whole. Checking a schema has one, too.
//
// A schema takes many times the memory of its text: Memory estimates it, and Oversized says which ones are
// too large or too deep to be used at all. Paths in errors are as long as the names of all levels together,
// so they are made for errors only.
package structural
