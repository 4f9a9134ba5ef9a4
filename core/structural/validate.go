package structural

import "github.com/tabernetes/tabernetes/core/field"

// Validate says what is wrong with a value.
func Validate(v any, s *Schema, at string) field.ErrorList { return nil }

// ValidateUpdate does so with a value that takes the place of another one.
func ValidateUpdate(v, old any, s *Schema, at string) field.ErrorList { return nil }

// ValidateLists checks lists that are sets or maps.
func ValidateLists(obj map[string]any, s *Schema) field.ErrorList { return nil }
