package players

// Scope is what a token is good for.
type Scope string

// The scopes.
const (
	Play   Scope = "play"   // take a seat, serve, and enter contests
	Submit Scope = "submit" // hand programs in, and see one's own
	Read   Scope = "read"   // see what only the player can see
	All    Scope = "all"    // everything, also the tokens themselves; a registration's token has it
)
