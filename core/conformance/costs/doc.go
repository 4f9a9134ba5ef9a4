// Package costs tests that no request takes work or memory out of proportion to its body: it has no code but tests.
//
// For each list and each map of each resource type there is an object with 10,000 entries in it, all different or all
// the same, made from the schema, which is created, updated, patched and applied, whether it is valid or not. What that
// takes is compared with what a tenth of the entries takes: processor time and the bytes that are allocated may grow
// 25 times, which is more than tenfold for the sake of caches and of sorting, and far less than the hundred times of
// what compares all entries with each other. So the result does not depend on how fast the machine is.
//
// Make test tries some places and those that were once slow; make test-costs-long tries all.
package costs
