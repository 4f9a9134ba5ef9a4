package auth

// Access is who is let in, and what they may do there. It does not change.
type Access struct {
	Authenticator
	Authorizer
	*Impersonation
}
