// Package pcre reads regular expressions as PCRE2 reads them, and matches them as
// PCRE2 would, in UTF mode without UCP, or refuses them. It never matches a pattern
// differently.
//
// # From pattern to engine
//
// A pattern becomes a small tree, in which all options are already applied: literals,
// dots and classes are all sets of characters. From the tree, the package writes the
// pattern for an engine. That text spells out every set and uses no options, so an
// engine cannot read it differently:
//
//	engine      patterns                                                    written by
//	Go regexp   those that it matches exactly: no lookaround, no back-      Compile
//	            reference, no atomic or possessive part, no $ or \Z before
//	            something else; at most 1,000 repeats, nested ones multiplied
//	regexp2     the others                                                  Compile
//	ECMA-262    those that all engines match alike                          Tree.ECMA
//
// Go's regexp takes linear time, and so policies may have the text that is for it: Regex.RE2. The
// regexp2 module backtracks, so its time and its stack are bounded. Its clock needs a second thread, so
// where there is none, on wasm, a machine of this package matches instead, within the same bounds. The
// tests compare the two.
//
// # What a pattern means
//
// Without UCP, \d, \w, \s, \b and the POSIX classes are ASCII; \h, \v and \R are as
// in PCRE2. $ and \Z also match before a newline that ends the subject. Case folding
// follows Unicode, one character at a time. A match may be anywhere in the subject. A
// subject that is not valid UTF-8 is an error, and neither a match nor a miss.
//
// # What is refused
//
// The grammar lists what is allowed. Everything else is refused by name, with its place
// in characters from 1:
//
//   - constructs that the tree does not have: recursion and subroutine calls,
//     conditionals, verbs, callouts, branch reset, \K, \G, \C, \X, scripts in \p;
//   - other spellings of what the tree has: octal codes of several digits, \c, \g; and (?xx) and (?^);
//   - constructs that versions of PCRE2 read differently, such as {,n}, blanks in
//     braces, a lookbehind of variable length, \p{Lu} under (?i);
//   - patterns that PCRE2 itself matches wrongly, such as \R beside a quantifier;
//   - constructs that regexp2 may try in another order, if the order affects the
//     result, such as a repeat of something empty inside an atomic group;
//   - patterns beyond a bound: 4 KiB, 100 levels of groups, 10,000 parts with repeats
//     written out, 10,000 ranges of characters.
//
// # What it costs
//
// Patterns and subjects are hostile. Every step is charged to a meter.Budget before it is
// taken, in work and in bytes that are kept. If the budget is too small, the step is
// refused. The parser pays as it reads. Then the cost of an engine is estimated from the
// tree; tests check that the estimates are never too low. A linear match pays for each
// part of the pattern at each place in the subject where that part may begin. A
// backtracking match pays only for reading the subject; Budget.Backtracking limits its
// time.
//
// # Questions about a pattern
//
// A [Tree] answers questions about a pattern without matching it: whether it may take
// exponential time, whether it is anchored, which characters it needs.
package pcre
