module github.com/vmrules/vmrules/release

go 1.26.0

require (
	github.com/google/go-cmp v0.7.0
	github.com/google/licensecheck v0.3.1
	golang.org/x/mod v0.41.0
)
