// Package schema holds the API's resources and the fields of their types as data.
package schema
