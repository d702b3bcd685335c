package pcre

import (
	"time"

	"github.com/vmrules/vmrules/internal/meter"
)

// backtracking matches with a machine of this package. The clock of regexp2 is a goroutine,
// which never runs during a match where all goroutines share one thread: a hostile pattern
// would not end.
type backtracking struct{ program *program }

func newBacktracking(tree *node, b *meter.Budget) (*backtracking, error) {
	program, err := compileProgram(tree, b)
	return &backtracking{program}, err
}

func (b *backtracking) match(subject string, limit time.Duration) (bool, error) {
	return b.program.run(subject, limit)
}
