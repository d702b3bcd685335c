// Package expand shares with package vmrules what package instancetype does not show to users.
package expand

// Named is a function of package instancetype, whose types this package cannot name. Package
// vmrules knows its type.
var Named any
