// Package helm installs, upgrades, rolls back and uninstalls a chart with Helm,
// which keeps its releases in the cluster's secrets.
package helm
