// Package serviceaccount makes and checks the tokens of service accounts: JSON Web
// Tokens (RFC 7519) with the claims of kube-apiserver, so that whatever reads the
// real ones reads these.
//
// # Security
//
// Nobody but the cluster checks its tokens, so they are signed with a key of its
// own (HS256), where a real server has a key pair, which would weigh some hundred
// kilobytes in the page. The key is derived from a seed, a secret that is kept with
// the cluster: tokens outlive a reload of the page, and a reset makes them void.
package serviceaccount
