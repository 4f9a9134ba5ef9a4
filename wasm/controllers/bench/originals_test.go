package bench

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"path/filepath"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// stageFiles are kwok's Stages: nodes that are ready at once and are kept so by their Leases, Pods that run at once.
var stageFiles = []string{
	"node/fast/node-initialize.yaml", "node/heartbeat-with-lease/node-heartbeat-with-lease.yaml",
	"pod/fast/pod-ready.yaml", "pod/fast/pod-complete.yaml", "pod/fast/pod-delete.yaml",
}

// startOriginals starts the original programs, and kwok in the place of kubelets. As beside the devserver, Pods need no
// ServiceAccount.
func (c *cluster) startOriginals() {
	key := filepath.Join(c.dir, "sa.key")
	port, client, peer := freePort(c), "http://127.0.0.1:"+freePort(c), "http://127.0.0.1:"+freePort(c)
	c.write("tokens.csv", "bench,admin,admin,\"system:masters\"\n")
	c.write("kubeconfig", fmt.Sprintf(`{"current-context": "c", "contexts": [{"name": "c",
 "context": {"cluster": "c", "user": "u"}}],
"clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:%s", "insecure-skip-tls-verify": true}}],
"users": [{"name": "u", "user": {"token": "bench"}}]}`, port))
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		c.t.Fatal(err)
	}
	c.write("sa.key", string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY",
		Bytes: x509.MarshalPKCS1PrivateKey(private)})))
	original := func(name string, args ...string) { c.start(name, filepath.Join(*real, name), args...) }
	original("etcd", "--data-dir", filepath.Join(c.dir, "etcd"), "--listen-client-urls", client,
		"--advertise-client-urls", client, "--listen-peer-urls", peer, "--log-level", "error")
	original("kube-apiserver", "--etcd-servers="+client, "--secure-port="+port, "--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1", "--cert-dir="+filepath.Join(c.dir, "certs"),
		"--token-auth-file="+filepath.Join(c.dir, "tokens.csv"), "--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file="+key, "--service-account-signing-key-file="+key, "--authorization-mode=AlwaysAllow",
		"--disable-admission-plugins=ServiceAccount", "--service-cluster-ip-range=10.0.0.0/16",
		"--enable-priority-and-fairness=false", "--max-requests-inflight=0", "--max-mutating-requests-inflight=0",
		"--endpoint-reconciler-type=none")
	c.reach()
	for _, name := range []string{"kube-controller-manager", "kube-scheduler"} {
		original(name, append([]string{"--kubeconfig=" + c.kubeconfig, "--secure-port=0"}, limits()...)...)
	}
	args := []string{"--kubeconfig=" + c.kubeconfig, "--manage-all-nodes", "--server-address=127.0.0.1:" + freePort(c)}
	for _, file := range stageFiles {
		args = append(args, "--config="+filepath.Join(*stages, filepath.FromSlash(file)))
	}
	original("kwok", args...)
	room := core.ResourceList{core.ResourceCPU: resource.MustParse("4"), core.ResourceMemory: resource.MustParse("16Gi"),
		core.ResourcePods: resource.MustParse("110")}
	for i := range *nodes {
		name := fmt.Sprint("node-", i+1)
		_, err := c.client.CoreV1().Nodes().Create(c.t.Context(), &core.Node{
			ObjectMeta: meta.ObjectMeta{Name: name, Labels: map[string]string{core.LabelHostname: name}},
			Status:     core.NodeStatus{Allocatable: room, Capacity: room},
		}, meta.CreateOptions{})
		if err != nil {
			c.t.Fatal(err)
		}
	}
}

// write writes a file of the cluster's directory.
func (c *cluster) write(name, text string) {
	c.t.Helper()
	if err := os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// freePort returns a port that is free.
func freePort(c *cluster) string {
	c.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		c.t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}
