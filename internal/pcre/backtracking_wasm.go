package pcre

// backtracking matches with a machine of this package. The clock of regexp2 is a goroutine,
// which never runs during a match where all goroutines share one thread: a hostile pattern
// would not end.
type backtracking = program

var newBacktracking = compileProgram
