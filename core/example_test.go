package core_test

import (
	"crypto/rand"
	"fmt"
	"log"
	"net/http/httptest"
	"strings"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/clock"
)

// A cluster is an http.Handler. Its clock and its randomness are given to it; without a Storage it
// lives in memory.
func ExampleNew() {
	cluster, err := core.New(core.Options{Clock: clock.Real(), Rand: rand.Reader})
	if err != nil {
		log.Fatal(err)
	}
	defer cluster.Close()

	ask := func(method, path, body string) string {
		answer := httptest.NewRecorder()
		cluster.ServeHTTP(answer, httptest.NewRequest(method, path, strings.NewReader(body)))
		return fmt.Sprint(answer.Code, " ", answer.Body)
	}
	const configMaps = "/api/v1/namespaces/default/configmaps"
	created := ask("POST", configMaps, `{"metadata":{"name":"colour"},"data":{"sky":"blue"}}`)
	fmt.Println(created[:3])
	read := ask("GET", configMaps+"/colour", "")
	fmt.Println(strings.Contains(read, `"data":{"sky":"blue"}`))
	// A second object of this name is refused, as a real API server refuses it.
	refused := ask("POST", configMaps, `{"metadata":{"name":"colour"}}`)
	fmt.Println(refused[:3], strings.Contains(refused, `configmaps \"colour\" already exists`))
	// Output:
	// 201
	// true
	// 409 true
}
