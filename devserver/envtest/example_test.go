package envtest_test

import (
	"fmt"
	"io"
	"log"
	"os"

	"github.com/tabernetes/tabernetes/devserver/envtest"
)

// A program that is etcd and kube-apiserver under their names, and puts itself where test frameworks look for the two.
func Example() {
	if run := envtest.Program(os.Args[0]); run != nil {
		os.Exit(run(os.Args[1:]))
	}
	dir, err := os.MkdirTemp("", "pair")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	err = envtest.Install(envtest.Options{
		Dir: dir, Settings: envtest.Settings{Latency: envtest.DefaultLatency}, Out: io.Discard, Notes: io.Discard,
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"etcd", "kube-apiserver", "kubectl"} {
		_, err := os.Lstat(dir + "/" + name) // on Windows with .exe
		fmt.Println(name, err == nil)
	}
	// Output:
	// etcd true
	// kube-apiserver true
	// kubectl true
}
