#!/usr/bin/env bash
# Plants one mistake at a time in a copy of the library, and demands that
# TestModel finds it. Usage: oracle/model/mutants.sh [cases]
set -euo pipefail
cd "$(dirname "$0")/../.."

cases=${1:-20000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
survived=0

# mutant NAME FILE SED: the sed script plants the mistake in the file.
mutant() {
	local name=$1 file=$2 script=$3 copy=$work/copy
	rm -rf "$copy"
	mkdir -p "$copy/oracle"
	cp -r ./*.go go.mod go.sum internal instancetype "$copy"
	cp -r oracle/go.mod oracle/go.sum oracle/go.work oracle/model "$copy/oracle"
	sed -i "$script" "$copy/$file"
	if cmp -s "$file" "$copy/$file"; then
		printf 'STALE     %s: the script changes nothing in %s\n' "$name" "$file"
		survived=1
		return
	fi
	local out=$work/out
	if (cd "$copy/oracle" && go test -run TestModel ./model -cases "$cases" -most 1 >"$out" 2>&1); then
		printf 'SURVIVED  %s\n' "$name"
		survived=1
	elif ! grep -q 'different$' "$out"; then
		printf 'BROKEN    %s\n' "$name"
		cat "$out"
		survived=1
	else
		printf 'found     %s: %s\n' "$name" "$(grep -o 'cases of seed.*different$' "$out")"
	fi
}

mutant "min is exclusive" internal/constraint/bound.go \
	's/return n.Compare(c.number) != c.beyond, nil/o := n.Compare(c.number); return o != c.beyond \&\& (o != 0 || c.beyond > 0), nil/'
mutant "0 cores are set" internal/jsonpath/implied.go 's/f.zeroIsUnset && isZero(next)/f.zeroIsUnset \&\& isZero(next) \&\& false/'
mutant "a union keeps its own order" internal/jsonpath/step.go 's/slices.SortFunc(all, Element.Compare)//'
mutant "valid is ignored where the path has other steps than names" evaluate.go \
	's/if j.rule.Valid.IsZero() {/if _, names := j.rule.Path.parsed.Names(); !names || j.rule.Valid.IsZero() {/'
mutant "a negative index is off by one" internal/jsonpath/step.go 's/return i + length$/return i + length - 1/'
mutant "Partial violates what is missing" evaluate.go \
	'/^func (j \*judgement) missing/,/^}/s/if j.call.given.partial {/if false {/'
exit "$survived"
