// Package conversions compares custom resources that a webhook converts with what kube-apiserver answers: its tests
// replay requests, with a webhook that errs on request, and compare the answers with recorded ones.
//
// With TABERNETES_CONVERSIONS_RECORD, the address of a kube-apiserver on this machine, and TABERNETES_TOKEN, a token
// for it, the answers are recorded again.
package conversions
