package kubectl

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/extension"
	"github.com/tabernetes/tabernetes/core/room"
	"github.com/tabernetes/tabernetes/devserver/edgetest"
)

// TestRoom has a room as the devserver serves it.
func TestRoom(t *testing.T) {
	t.Parallel()
	testRoom(t, newSession(t, core.Options{Extensions: []extension.Extension{
		room.NewExtension(room.Options{TeacherToken: "of-admin"}),
	}}))
}

// TestRoomAtTheEdge has a room in a Durable Object, with what make test-edge-build has built.
func TestRoomAtTheEdge(t *testing.T) {
	certificate, key := certificateOf(t)
	url, _ := edgetest.Start(t, "../../../..", t.TempDir(), certificate, key)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	answer, err := client.Post(url+"/rooms", "application/json", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var made struct{ Path, Token string }
	if err := json.NewDecoder(answer.Body).Decode(&made); err != nil || made.Token == "" {
		t.Fatalf("%s %v", answer.Status, err)
	}
	testRoom(t, sessionAt(t, url+strings.TrimSuffix(made.Path, "/"), made.Token))
}

// certificateOf returns a certificate for loopback and its key, as PEM.
func certificateOf(t *testing.T) (certificate, key []byte) {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	pair := server.TLS.Certificates[0]
	der, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

// testRoom joins a room as a learner, over HTTPS below the room's path, and works there: get, apply and
// get -w. A learner that makes more requests than its share is served later.
func testRoom(t *testing.T, s *session) {
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()
	const acts = "/apis/sandbox.tabernetes.dev/v1/rooms/default/"
	s.write("invite.json", `{"role":"learner"}`)
	s.write("join.json", `{"displayName":"Ada"}`)
	s.write("a.json", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"1"}}`)
	s.write("b.json", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"},"data":{"x":"1"}}`)
	tokenOf := func(command string) string {
		t.Helper()
		var answer struct{ Status struct{ Token string } }
		printed := s.run(ctx, strings.Fields(command))
		if err := json.Unmarshal([]byte(printed), &answer); err != nil {
			t.Fatalf("%s prints %s", command, printed)
		}
		return answer.Status.Token
	}
	invitation := tokenOf("kubectl create --raw " + acts + "invite -f invite.json")
	ada := "kubectl --token " + tokenOf("kubectl --token "+invitation+" create --raw "+acts+"join -f join.json") + " "
	shows := func(command, want string) {
		t.Helper()
		if printed := s.run(ctx, strings.Fields(command)); !(step{prints: want}).matches(printed) {
			t.Errorf("%s\nprints:\n%swant:\n%s", command, printed, want)
		}
	}
	shows(ada+"get members", "NAME        DISPLAY-NAME   ROLE      AGE\nada-…   Ada            learner   …s\n"+
		"teacher     Teacher        teacher   …s\n")
	shows(ada+"apply -f a.json", "configmap/a created\n")
	shows("kubectl get configmap a -o name", "configmap/a\n")
	w := s.watch(ctx, strings.Fields(ada+"get configmaps -w --field-selector metadata.name!=kube-root-ca.crt"))
	defer w.end()
	w.shows("NAME   DATA   AGE\na      1      …s\n")
	shows("kubectl apply -f b.json", "configmap/b created\n")
	w.shows("b      1      …s\n")
	shows(ada+"create namespace mine", "Error from server (Forbidden): namespaces is forbidden: User \"member:ada-…\" "+
		"cannot create resource \"namespaces\" in API group \"\" at the cluster scope\n[1]\n")

	shows(`kubectl patch rooms default --type merge -p {"spec":{"quotas":{"requestsPerSecond":1}}}`,
		"room.sandbox.tabernetes.dev/default patched\n")
	for range 14 { // 10 requests are saved up at most
		shows(ada+"get configmap a -o name", "configmap/a\n")
	}
}
