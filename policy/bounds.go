package policy

// The API server compiles each expression of a policy before it accepts the policy. These bounds
// keep what Of writes within what it accepts.
const (
	// maxExpression is the number of characters beyond which CEL's parser refuses an expression.
	maxExpression = 100_000
	// maxSteps is the largest number of steps of a path. No field of a VM has as many. An expression
	// nests no deeper than with so many steps, far less than CEL's parser permits, which is 250. Its
	// size grows with the square of the steps.
	maxSteps = 24
	// maxWritten is the size in bytes of the expressions and messages of all rules of a call, a third
	// of what etcd stores as an object. What is too long and thus not written counts, too.
	maxWritten = 512 << 10
	// maxMessage is the length in bytes beyond which the API server does not use what a
	// messageExpression says.
	maxMessage = 5 << 10
	maxName    = 253 // of an object
	maxLabel   = 63  // of the value of a label
)
