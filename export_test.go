package vmrules

// Codes are the codes of problems.
var Codes = []string{
	codeUnreadable, codeUnknownVersion, codeInvalidOption, codeDifferentRules, codeUnwritable, codeMissingKey, codeWrongType,
	codeDuplicate, codeTooLong, codeInvalidPath, codeInvalidRegex, codeInvalidArgument,
	codeMisspeltKey, codeUnknownKey, codeMisspeltKind, codeUnknownKind, codeNoArguments,
}
