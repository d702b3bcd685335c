// Package door has the key to what the packages of this module share and users do not see.
package door

// A Key opens vmrules.Internal. Only packages of this module can name its type.
type Key struct{}

// Opened is the Key that they pass. Anything else opens nothing.
var Opened = &Key{}
