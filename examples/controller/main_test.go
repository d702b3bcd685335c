package main

func Example() {
	main()
	// Output:
	// allowed
	// denied: the object is not valid: spec.template.spec.domain.cpu.cores: Invalid value: 12: at most 8 cores (12 is more than max 8)
	// denied: the object is not valid: Not decided: the template openshift/gone, which the VM names, is not there
	// allowed, but no rule was applied: NoRules
}
