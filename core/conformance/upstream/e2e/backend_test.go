package e2e

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	certutil "k8s.io/client-go/util/cert"
	"k8s.io/kubernetes/test/images/agnhost/crd-conversion-webhook/converter"
	"k8s.io/kubernetes/test/images/agnhost/webhook"
)

// ports are those of the webhooks' Services, as the specs have them.
var ports = []string{"8443", "9443"}

// backend does what nodes and controllers would do for the webhooks that the specs deploy: a Deployment gets its
// ReplicaSet and is available; a Service has an endpoint. The Service becomes one of another name, localhost, where the
// webhook is served, since there is no network of Services.
type backend struct {
	client kubernetes.Interface

	mu    sync.Mutex
	certs map[string]*tls.Certificate // by namespace
}

// serve starts it; it ends with the test.
func serve(t *testing.T, client kubernetes.Interface) {
	t.Helper()
	b := &backend{client: client, certs: map[string]*tls.Certificate{}}
	handlers(t)
	for _, port := range ports {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", net.JoinHostPort("127.0.0.1", port))
		if err != nil {
			t.Fatalf("the specs' webhooks have this port: %v", err)
		}
		s := &http.Server{Handler: http.DefaultServeMux, ReadHeaderTimeout: time.Minute,
			TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: b.certificate}}
		go func() { _ = s.ServeTLS(l, "", "") }() // until it is closed
		t.Cleanup(func() { _ = s.Close() })
	}
	all := informers.NewSharedInformerFactory(client, 0)
	made := func(obj any) {
		var err error
		switch obj := obj.(type) {
		case *apps.Deployment:
			err = b.deployed(t.Context(), obj.DeepCopy())
		case *core.Service:
			err = b.exposed(t.Context(), obj)
		}
		if err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
	}
	for _, informer := range []cache.SharedIndexInformer{
		all.Apps().V1().Deployments().Informer(), all.Core().V1().Services().Informer(),
	} {
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: made}); err != nil {
			t.Fatal(err)
		}
	}
	all.Start(t.Context().Done())
	t.Cleanup(all.Shutdown)
}

// deployed makes the Deployment of a webhook available, with the certificate of its Secret.
func (b *backend) deployed(ctx context.Context, d *apps.Deployment) error {
	volumes := d.Spec.Template.Spec.Volumes
	if len(volumes) == 0 || volumes[0].Secret == nil {
		return nil // not a webhook's
	}
	secret, err := b.client.CoreV1().Secrets(d.Namespace).Get(ctx, volumes[0].Secret.SecretName, meta.GetOptions{})
	if err != nil {
		return err
	}
	cert, err := tls.X509KeyPair(secret.Data["tls.crt"], secret.Data["tls.key"])
	if err != nil {
		return err
	}
	b.mu.Lock()
	b.certs[d.Namespace] = &cert
	b.mu.Unlock()

	const hash, revision = "1", `{"metadata":{"annotations":{"deployment.kubernetes.io/revision":"1"}}}`
	set := &apps.ReplicaSet{
		ObjectMeta: meta.ObjectMeta{
			Name: d.Name + "-" + hash, Labels: map[string]string{apps.DefaultDeploymentUniqueLabelKey: hash},
			Annotations:     map[string]string{"deployment.kubernetes.io/revision": "1"},
			OwnerReferences: []meta.OwnerReference{*meta.NewControllerRef(d, apps.SchemeGroupVersion.WithKind("Deployment"))},
		},
		Spec: apps.ReplicaSetSpec{Replicas: d.Spec.Replicas, Selector: d.Spec.Selector.DeepCopy(), Template: d.Spec.Template},
	}
	set.Spec.Selector.MatchLabels[apps.DefaultDeploymentUniqueLabelKey] = hash
	set.Spec.Template.Labels = map[string]string{apps.DefaultDeploymentUniqueLabelKey: hash}
	for name, value := range d.Spec.Template.Labels {
		set.Labels[name], set.Spec.Template.Labels[name] = value, value
	}
	if _, err := b.client.AppsV1().ReplicaSets(d.Namespace).Create(ctx, set, meta.CreateOptions{}); err != nil {
		return err
	}
	deployments := b.client.AppsV1().Deployments(d.Namespace)
	if d, err = deployments.Patch(ctx, d.Name, types.MergePatchType, []byte(revision), meta.PatchOptions{}); err != nil {
		return err
	}
	d.Status = apps.DeploymentStatus{ObservedGeneration: d.Generation, Replicas: *d.Spec.Replicas,
		UpdatedReplicas: *d.Spec.Replicas, ReadyReplicas: *d.Spec.Replicas, AvailableReplicas: *d.Spec.Replicas}
	_, err = deployments.UpdateStatus(ctx, d, meta.UpdateOptions{})
	return err
}

// exposed leads the Service of a webhook to where it is served.
func (b *backend) exposed(ctx context.Context, s *core.Service) error {
	if !strings.HasSuffix(s.Labels["test"], "webhook") {
		return nil
	}
	elsewhere := `{"spec":{"type":"ExternalName","externalName":"localhost","clusterIP":null,"clusterIPs":null}}`
	if _, err := b.client.CoreV1().Services(s.Namespace).Patch(ctx, s.Name, types.MergePatchType, []byte(elsewhere),
		meta.PatchOptions{}); err != nil {
		return err
	}
	_, err := b.client.DiscoveryV1().EndpointSlices(s.Namespace).Create(ctx, &discovery.EndpointSlice{
		ObjectMeta:  meta.ObjectMeta{Name: s.Name, Labels: map[string]string{discovery.LabelServiceName: s.Name}},
		AddressType: discovery.AddressTypeIPv4,
		Endpoints:   []discovery.Endpoint{{Addresses: []string{"192.0.2.1"}}},
	}, meta.CreateOptions{})
	return err
}

// certificate returns that of the webhook in a namespace: it is called NAME.NAMESPACE.svc.
func (b *backend) certificate(h *tls.ClientHelloInfo) (*tls.Certificate, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if parts := strings.Split(h.ServerName, "."); len(parts) == 3 && b.certs[parts[1]] != nil {
		return b.certs[parts[1]], nil
	}
	return nil, fmt.Errorf("no webhook is called %s", h.ServerName)
}

// handlers registers those of the image's two webhooks in http.DefaultServeMux. The program of the first one does it
// before it listens on all addresses of the machine, for which it gets a port that does not exist.
func handlers(t *testing.T) {
	t.Helper()
	http.HandleFunc("/crdconvert", converter.ServeExampleConvert)
	dir := t.TempDir()
	file, keyFile := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	cert, key, err := certutil.GenerateSelfSignedCertKey("localhost", nil, nil) // which nobody will be shown
	if err := errors.Join(err, os.WriteFile(file, cert, 0o600), os.WriteFile(keyFile, key, 0o600)); err != nil {
		t.Fatal(err)
	}
	program := webhook.CmdWebhook
	for name, value := range map[string]string{"tls-cert-file": file, "tls-private-key-file": keyFile, "port": "-1"} {
		if err := program.Flags().Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	defer func() {
		if err := recover(); err == nil || !strings.Contains(fmt.Sprint(err), "port") {
			t.Fatalf("the webhook's program has ended by %v", err)
		}
	}()
	program.Run(program, nil)
}
