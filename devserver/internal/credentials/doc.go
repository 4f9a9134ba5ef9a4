// Package credentials has what clients show to the server's own cluster, and how they come to know it: the tokens of
// --token-auth-file, and the kubeconfig that --kubeconfig writes.
//
// Invariants: of a kubeconfig, only entries that a devserver wrote are replaced, and after a failure it is as it was.
// It is for its owner only, and no token is printed.
package credentials
