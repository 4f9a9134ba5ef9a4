// Package serviceaccount makes and checks the tokens of service accounts: JSON Web
// Tokens (RFC 7519) signed with ES256, with the claims of kube-apiserver, so that
// whatever reads the real ones reads these.
//
// # Security
//
// The key that signs is derived from a seed with HKDF (RFC 5869), rather than
// drawn and kept, so that tokens outlive a reload of the page without a secret in
// the storage. So the tokens are as secret as the seed. That of a cluster is its
// uid, which its levers show to everybody who may read them: whoever knows it can
// make a token for any service account of this cluster. That is fit for a sandbox,
// in which tokens show how authentication works and guard nothing, and for nothing
// else. A reset gives the cluster another uid and makes all its tokens void.
package serviceaccount
