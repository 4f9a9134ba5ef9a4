// Package e2e runs specs of Kubernetes' own end-to-end tests, unmodified, against a devserver: those of admission
// policies, of admission and conversion webhooks, and of the rules of custom resources.
//
// It is a separate module, since k8s.io/kubernetes requires each of its staging modules in one version, and compiles
// for minutes, so that it runs only with TABERNETES_LONG. The specs of webhooks deploy their webhook, for which a
// cluster needs nodes and controllers: [backend] does in their place what the specs wait for, and serves the webhook
// itself, by the code of the image.
package e2e
