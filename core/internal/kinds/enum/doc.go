// Package enum has the values of the API's enumerations, as Kubernetes declares them: each in the
// order of its constants. It is generated; its values never change.
package enum
