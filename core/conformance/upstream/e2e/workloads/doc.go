// Package workloads runs specs of Kubernetes' own end-to-end tests, unmodified, against a devserver with a control
// plane and three nodes without machines: those of workloads, scheduling, taints, ServiceAccounts, quotas, garbage
// collection and namespaces.
//
// testdata/specs.txt says of each whether it passes, and else why not: most of these look into a container, and none
// runs. It is compared with what happens, with TABERNETES_LONG, as make test-upstream-long does; with -all the specs
// that do not pass run, too, and with -write the file is written. Many run at once, in four clusters, since they
// wait more than they work: at least -parallel 4.
package workloads
