// Package serviceaccount issues and verifies the tokens of service accounts: JSON Web Tokens (RFC
// 7519) with the claims of kube-apiserver, so that programs can read them as they read real ones.
//
// # Security
//
// Only the cluster verifies its tokens, so they are signed with its own key (HS256). A real
// server has a key pair, which would add some hundred kilobytes to the page. The key is derived
// from a secret that is stored with the cluster: tokens survive a reload of the page, and a reset
// makes them invalid.
//
// # Costs
//
// Issuing or verifying a token costs a few hashes and its JSON; a Verifier also looks up the
// objects that the token is bound to, each time.
package serviceaccount
