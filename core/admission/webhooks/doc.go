// Package webhooks is the admission plugin that calls webhooks: the plugins
// MutatingAdmissionWebhook and ValidatingAdmissionWebhook of the real server in one. A write is
// sent to all matching webhooks, which may change it, warn about it and refuse it.
//
// config.go reads the configurations and caches them, decoded, until one is written; match.go finds
// the webhooks for a write, by core/internal/plugins/match; review.go makes the AdmissionReview, call.go sends
// it and answer.go reads the answer; mutate.go and validate.go are the two phases. Webhooks that ask for another
// version of an object than the request's get that one.
//
// The network is not part of this package: the host provides a Caller. The timeouts of webhooks are
// measured by the host's clock, which cannot be paused.
//
// The behaviour is that of the Kubernetes documentation of dynamic admission control, the texts are
// those of kube-apiserver. Match conditions are evaluated by the cluster's evaluator of CEL; without one,
// failurePolicy decides, as on any condition that cannot be evaluated.
//
// A write costs an atomic load if there are no configurations.
package webhooks
