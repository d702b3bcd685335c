module github.com/vmrules/vmrules/web

go 1.25.0

// Packages of npm may hold Go files.
ignore ./node_modules

require (
	github.com/google/go-cmp v0.7.0
	github.com/vmrules/vmrules v0.0.0
)

require (
	github.com/dlclark/regexp2/v2 v2.13.0 // indirect
	github.com/ohler55/ojg v1.28.5 // indirect
)
