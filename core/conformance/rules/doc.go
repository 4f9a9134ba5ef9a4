// Package rules compares CEL rules of custom resources with what kube-apiserver answers: testdata/rules.jsonl has a
// rule a line, with the type that it is about, values, and the recorded answers: of the definition if it is refused, or
// else of the creation of an object with each value, or of an update from one to the next.
//
// With TABERNETES_RULES_RECORD, the address of a kube-apiserver on this machine, and TABERNETES_TOKEN, a token for it,
// the answers are recorded again, for the rules that table_test.go makes.
package rules
