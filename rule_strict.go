package vmrules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/rulekey"
	"github.com/vmrules/vmrules/internal/spelling"
	"github.com/vmrules/vmrules/internal/value"
)

// findsUnknown reports whether problems that only Strict finds are wanted.
func (o *parseOptions) findsUnknown() bool { return o.strict || o.unstrict != nil }

// isOfStrict reports whether only Strict makes something with this code a problem.
func isOfStrict(code string) bool {
	return slices.Contains([]string{codeMisspeltKey, codeUnknownKey, codeMisspeltKind, codeUnknownKind, codeNoArguments}, code)
}

// ofStrict adds a problem that only Strict finds. The suggestion replaces what is at the offset.
func (r *ruleReader) ofStrict(offset int, key string, reason Reason, code, message, suggestion string) {
	b := r.budget
	if !r.strict {
		b = r.unstrict
	}
	r.add(b, len(suggestion), Problem{Key: key, Offset: offset, Reason: reason, Code: code, Message: message, Suggestion: suggestion})
}

// unknownKey adds the problem with a key that the version and the kind do not know.
func (r *ruleReader) unknownKey(m jsontext.Member) {
	if !r.findsUnknown() || slices.Contains(r.rule.own, m.Key) || !r.judgesArguments() && rulekey.Named(m.Key).IsArgument {
		return
	}
	meant, code := r.meantKey(m.Key), codeUnknownKey
	if meant != "" {
		code = codeMisspeltKey
	}
	message := fmt.Sprintf("unknown key %s: %s", value.Quoted(m.Key), rulekey.Hint(m.Key, meant))
	r.ofStrict(m.Start, m.Key, ReasonNotSupported, code, message, meant)
}

// strictly adds the problems that only Strict finds, apart from unknown keys.
func (r *ruleReader) strictly() {
	if !r.findsUnknown() || r.rule.Kind == "" {
		return
	}
	if kind, _ := r.node.Member(rulekey.Rule); !r.judgesArguments() {
		meant, code := r.meantKind(r.rule.Kind), codeUnknownKind
		if meant != "" {
			code = codeMisspeltKind
		}
		message := fmt.Sprintf("unknown kind %s: %s", value.Quoted(string(r.rule.Kind)), r.kindHint(meant))
		r.ofStrict(kind.Start, rulekey.Rule, ReasonNotSupported, code, message, meant)
		return
	}
	if !r.rule.Kind.isOfFormat() {
		return
	}
	for _, m := range r.node.Members {
		if rulekey.OfAnyVersion(m.Key).IsArgument && m.Value.Value != nil {
			return
		}
	}
	message := "the rule has no argument, so it enforces little or nothing: add one of " + strings.Join(argumentKeys[:], ", ")
	r.ofStrict(r.node.Start, "", ReasonRequired, codeNoArguments, message, "")
}

// kindHint returns what to write instead of an unknown kind.
func (r *ruleReader) kindHint(meant string) string {
	switch meant {
	case "":
	case string(KindEnum):
		return fmt.Sprintf("did you mean %q, with the allowed values in %q?", meant, constraint.Values)
	default:
		return fmt.Sprintf("did you mean %q?", meant)
	}
	return "write one of " + strings.Join(r.kindNames(), ", ") + ", in lower case"
}

// meantKey returns the key that an unknown key most likely means, out of the unused
// keys of its rule; "" if there is none. A rule of an unknown kind may have words of its own.
func (r *ruleReader) meantKey(key string) string {
	if now := rulekey.OfAnyVersion(key).Name; slices.Contains(r.unused, now) {
		return now
	}
	if meant := rulekey.Meant(key, r.unused); r.judgesArguments() && meant != "" {
		return meant
	}
	return spelling.Nearest(key, r.unused)
}

// meantKind returns the kind that an unknown one most likely means; "" if there is none.
func (o *parseOptions) meantKind(k Kind) string {
	if meant := spelling.Nearest(string(k), o.kindNames()); meant != "" {
		return meant
	}
	if k == "pattern" {
		return "" // which is a kind of vmrules-full
	}
	return rulekey.Meant(string(k), o.kindNames())
}

func (o *parseOptions) kindNames() []string {
	names := []string{string(KindInteger), string(KindString), string(KindRegex), string(KindEnum)}
	for _, k := range o.kinds {
		names = append(names, string(k.kind))
	}
	return names
}
