package access

// checkSignature is left out in the browser: the code for all kinds of keys would
// be a tenth of the whole binary.
func checkSignature([]byte) error { return nil }
