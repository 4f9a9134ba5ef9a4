package auth

// Access is an authenticator and an authorizer. It does not change.
type Access struct {
	Authenticator
	Authorizer
	*Impersonation
}
