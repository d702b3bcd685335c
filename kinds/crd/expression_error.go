package crd

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/google/cel-go/common/operators"
)

// undeclared matches CEL's error for an unknown name.
var undeclared = regexp.MustCompile(`^undeclared reference to '(.*)' \(in container ''\)$`)

// expressionError returns the message for an error of CEL in an expression. names lists the
// variables.
func expressionError(line, column int, message, names string) string {
	if m := undeclared.FindStringSubmatch(message); m != nil {
		message = fmt.Sprintf("%s is not known: use %s, or a function of Kubernetes", m[1], names)
	}
	message, _, _ = strings.Cut(message, " expecting {")
	message = overloadOf.ReplaceAllStringFunc(message, operatorWords)
	message = typeWords.Replace(inferredType.ReplaceAllString(message, "object self$1"))
	return fmt.Sprintf("the expression has an error at line %d, column %d: %s", line, column, shortened(message))
}

// Errors of CEL's type checker name operators as functions, as in "overload for '_==_'", and types
// as Kubernetes numbers them, such as selfType123.disks.@idx for an item of self.disks.
var (
	overloadOf   = regexp.MustCompile(`overload for '[^' ]+'`)
	inferredType = regexp.MustCompile(`selfType[0-9]+([\w.@]*)`)
	typeWords    = strings.NewReplacer("optional_type(", "optional(", ".@idx", "[]", ".@elem", "[]")
)

func operatorWords(found string) string {
	name := strings.Split(found, "'")[1]
	if shown, ok := operators.FindReverse(name); ok && shown != "" {
		name = shown
	} else if name == operators.Index {
		name = "[]"
	}
	return "overload for '" + name + "'"
}
