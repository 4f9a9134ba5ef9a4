// Package check says what an API server answers to manifests, without a cluster: it applies them to a server in
// process, and reports what that refuses and warns of, with file and line. It runs tests of policies, too.
//
// Each manifest is applied as by kubectl apply --server-side --validate=strict; one that has only a generateName is
// created. First come those that the cluster is said to have, then the manifests themselves: definitions, namespaces,
// custom resources, what admission asks for (policies, quotas, classes), the rest. What has the same rank keeps the
// order of the files. Of objects with the same name, which are there if the directories of several environments are
// checked at once, each is checked without the others.
//
// Test runs tests of policies, which are documents with tests: tables (tables.go). Each test has a copy of a cluster
// with what it is given, makes one request there (cases.go), and compares the answer with what is expected. What
// expressions have come to is counted by package coverage. Recorded makes the writes of a cluster's history again, with
// policies.
//
// What calls other servers does not take effect: webhook configurations and APIServices are applied as a dry run, and
// definitions whose objects are converted by a webhook are kept without that.
//
// Invariants: it writes no file and opens no connection, except to a URL that it is given. Documents that cannot be
// read are findings, and do not keep the others from being checked.
//
// It costs a request for each manifest and each group version, in the memory that the objects take; the lines of
// fields are looked for only where there is something to report.
package check
