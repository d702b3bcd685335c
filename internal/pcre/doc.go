// Package pcre reads regular expressions as PCRE2 reads them, and matches them as
// PCRE2 would, in UTF mode without UCP, or refuses them. It never matches a pattern
// differently.
//
// # From pattern to engine
//
// A pattern becomes a small tree, in which everything that PCRE2 leaves to options
// is already applied: a literal, a dot and a class are all a set of characters. From
// the tree, the text for an engine is written, which spells out every set and uses
// no option, so that the engine has nothing left to read in its own way:
//
//	engine      gets                                                        by
//	Go regexp   what it expresses exactly: no lookaround, back-reference,   Compile
//	            atomic or possessive part, no $ or \Z before something else;
//	            up to 1,000 repeats, nested ones multiplied
//	regexp2     the rest                                                    Compile
//	ECMA-262    what all its engines match alike                            Tree.ECMA
//
// Go's regexp takes linear time. The regexp2 module backtracks, so its time and its
// stack are bounded.
//
// # What a pattern means
//
// Without UCP, \d, \w, \s, \b and the POSIX classes are ASCII; \h, \v and \R are as
// in PCRE2. $ and \Z also match before a newline that ends the subject. Cases fold
// by Unicode, one character for another. A match may be anywhere in the subject. A
// subject that is not valid UTF-8 is neither matched nor not matched: it is an error.
//
// # What is refused
//
// The grammar is a list of what is allowed. Everything else is refused by name, with
// its place in characters from 1:
//
//   - what a tree cannot hold: recursion and subroutine calls, conditionals, verbs,
//     callouts, branch reset, \K, \G, \C, \X, scripts in \p;
//   - what versions of PCRE2 read differently, such as {,n}, blanks in braces, a
//     lookbehind of variable length, \p{Lu} under (?i);
//   - what PCRE2 itself gets wrong, such as \R beside a quantifier;
//   - what regexp2 may try in another order where the order decides, such as a
//     repeat of something empty inside an atomic group;
//   - what is too large: 4 KiB, 100 levels of groups, 10,000 parts with repeats
//     written out, 10,000 ranges of characters.
//
// # What it costs
//
// Patterns and subjects are hostile. Everything is paid for from a [Budget] before
// it is done, in work and in bytes that are kept, and refused where the budget does
// not suffice. The parser pays as it reads. The tree then says what an engine will
// make of it; those estimates are measured to be no less than what the engine takes.
// A linear match is paid for by the places in the subject at which each part of the
// pattern may begin. A backtracking match pays only for looking at the subject, and
// is bounded by Budget.Backtracking.
//
// # What a pattern is like
//
// A [Tree] answers questions about a pattern without matching it: whether it may
// take exponential time, whether it is anchored, which characters it needs.
package pcre
