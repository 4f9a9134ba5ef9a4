// Package structural holds the schemas of custom resources: what the
// openAPIV3Schema of a CustomResourceDefinition says, as a Schema, and what the
// API server does with it: it drops the fields that a schema does not specify
// (Prune), sets defaults (Default), and says what is wrong with values (Validate)
// and with schemas themselves (Check, CheckOpenAPI).
//
// Values are trees as core/object makes them: map[string]any, []any, string, bool,
// int64, float64 and nil. The rules are those of structural schemas
// (apiextensions.k8s.io), the texts of errors those of the real server. Where that
// goes through a map, and so reports in a random order, the order here is that of
// the names.
//
// Validation has an end (Budget): whoever may write a schema and an object could keep
// the server busy for hours otherwise. What takes more is refused as a whole.
//
// CEL rules (x-kubernetes-validations) are evaluated by what core is given for it: see
// Rules.
//
// A Schema does not change once it is parsed and may be shared. Prune and Default
// change the value that they are given, and cost what the value and the part of the
// schema that it meets hold.
package structural
