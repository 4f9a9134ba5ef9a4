package core

import (
	"net/http"
	"testing"

	"github.com/tabernetes/tabernetes/core/journal"
)

const (
	accounts     = "/api/v1/namespaces/default/serviceaccounts"
	tokenReviews = "/apis/authentication.k8s.io/v1/tokenreviews"
)

// tokenUser returns the user that a cluster authenticates a token as; nil if it does not.
func tokenUser(t *testing.T, h http.Handler, token string) any {
	t.Helper()
	review := must(t, h, 201, "POST", tokenReviews, `{"spec":{"token":"`+token+`"}}`)
	if at(review, "status.authenticated") != true {
		return nil
	}
	return at(review, "status.user.username")
}

func TestTokensSurviveReloadsOnly(t *testing.T) {
	storage := journal.NewMemory(nil)
	c, _ := newCluster(t, Options{Storage: storage})
	robot := `{"metadata":{"name":"robot"}}`
	must(t, c, 201, "POST", accounts, robot)
	token := at(must(t, c, 201, "POST", accounts+"/robot/token", `{}`), "status.token").(string)
	const want = "system:serviceaccount:default:robot"
	if who := tokenUser(t, c, token); who != want {
		t.Errorf("the token's bearer is %v", who)
	}
	again := reopen(t, storage)
	if who := tokenUser(t, again, token); who != want {
		t.Errorf("after a reload the token's bearer is %v", who)
	}
	must(t, again, 200, "DELETE", accounts+"/robot", "")
	must(t, again, 201, "POST", accounts, robot)
	if who := tokenUser(t, again, token); who != nil {
		t.Errorf("the token of an account that is gone is good for %v", who)
	}
	must(t, c, 201, "POST", plane+"/reset", "{}")
	must(t, c, 201, "POST", accounts, robot)
	if who := tokenUser(t, c, token); who != nil {
		t.Errorf("after a reset the token is good for %v", who)
	}
}
