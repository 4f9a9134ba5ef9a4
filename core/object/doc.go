// Package object holds one API object as a tree: decoding, canonical encoding, access.
package object
