// Package linearizable checks that the cluster's most recent reads and its writes behave as if each
// took effect at one instant between its request and its answer, whichever API server answers and
// however far its cache is behind. Histories of random concurrent requests are recorded and checked
// by porcupine, with a model of a few objects.
package linearizable
