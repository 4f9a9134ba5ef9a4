// Package linearizable checks that the cluster's most recent reads and its
// writes behave as if each took effect at one instant between its request and
// its answer, whichever API server is asked and however far that one's cache is
// behind. Histories of random concurrent requests are recorded and given to
// porcupine, with a model of a handful of objects.
package linearizable
