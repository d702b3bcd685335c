module github.com/vmrules/vmrules/oracle/autogen

go 1.26.6

require (
	github.com/google/go-cmp v0.7.0
	github.com/kyverno/kyverno v1.19.1
	github.com/vmrules/vmrules v0.0.0
	github.com/vmrules/vmrules/kinds/kyverno v0.0.0
	k8s.io/apimachinery v0.37.2
	sigs.k8s.io/yaml v1.6.0
)
