// Package expand shares with package vmrules what package instancetype does not show to users.
package expand

// Named is a function of package instancetype. Its type has types of that package.
var Named any
