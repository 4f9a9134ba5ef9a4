// Package auth knows who makes a request.
package auth
