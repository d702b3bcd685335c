module github.com/vmrules/vmrules

go 1.25.0

require (
	github.com/dlclark/regexp2/v2 v2.13.0
	github.com/google/go-cmp v0.7.0
	github.com/ohler55/ojg v1.28.5
)
