// Package webhooks is the admission plugin that calls webhooks: the plugins
// MutatingAdmissionWebhook and ValidatingAdmissionWebhook of the real server in one. A
// write is shown to the webhooks of all configurations that match it, which may change it,
// warn about it and refuse it.
//
// config.go reads the configurations and keeps them, decoded, until one is written;
// match.go says which webhooks see a write; review.go makes the AdmissionReview
// they are sent, call.go sends it and answer.go reads what they answer; mutate.go
// and validate.go are the two phases. Webhooks that ask for another version of an
// object than the request's are shown that one.
//
// The network is not part of this package: the host gives it a Caller. How long a
// webhook may take is measured by the host's clock, which no lever stops.
//
// The rules are those of the Kubernetes documentation of dynamic admission control,
// the texts those of kube-apiserver. matchConditions and admission policies are CEL,
// which is not evaluated here: a webhook with conditions is called as if it had none,
// and the client that makes the request is warned.
//
// A write costs an atomic load while there are no configurations.
package webhooks
