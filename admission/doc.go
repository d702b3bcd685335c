// Package admission is an admission webhook that validates VMs by the rules of their templates.
// It runs on controller-runtime:
//
//	m, err := admission.NewManager(config, manager.Options{WebhookServer: server})
//	m.Start(ctx)
//
// A Reviewer finds the rules of a VM, the instance type and the preference that it names, and
// validates the VM as KubeVirt expands it. NewValidator makes a Reviewer a Validator of
// controller-runtime for VMs of a Go type.
//
// # Answers
//
// A Reviewer validates VirtualMachines, VirtualMachineInstances, their replica sets, and pools.
//
//	request                                      answer
//	CREATE                                       validated
//	UPDATE                                       validated; refused only for what it changes, unless WithoutRatcheting
//	UPDATE of an object with deletionTimestamp   allowed
//	DELETE                                       allowed
//	DELETE of a template                         allowed, unless WithProtectedTemplates, and VMs refer to it
//	CREATE or UPDATE of a template               allowed, with warnings, unless WithRefusedTemplates
//	CONNECT, or for a subresource                allowed
//	dry run                                      the same: a review has no side effects
//	for an object of another kind                allowed, with a warning that the webhook should not be asked
//	that cannot be read                          refused, with the code 400
//
// What is validated is answered by the report of vmrules.ValidateOwn, under Ratcheting. It is refused, with the
// code 422 and a cause for each violation or each problem with the annotation, if the report is not valid. The
// warnings are those of the report, at most 4,096 bytes.
//
//	in the report                                answer
//	Exempt, NoRules or NotApplicable             allowed
//	Ignored, or NoTemplate                       allowed with a warning
//	DoubtTemplate, Instancetype or Preference    allowed with a warning, unless WithUndecided
//	DoubtRules                                   refused; about a template, unless WithBrokenTemplate
//	DoubtLookup                                  not decided
//	any other Doubt                              refused
//
// A template that is written is checked with the defaults of its parameters, apart from rules in its
// own annotation, where nobody fills them in. There is a warning for rules that cannot be read or
// fail every VM, in the words of package lint, and for a VM of its own that does not satisfy them.
// WithRefusedTemplates refuses the former, unless an update leaves the rules and the parameters as
// they are. What depends on a parameter without a default is open.
//
// If there is no decision, ServeHTTP answers with the status 500 of HTTP, and the failurePolicy
// of the webhook decides. As a Handler or a Validator, a Reviewer refuses the request with the
// code 500.
//
// # What is read
//
// The VM is read as plain JSON, so that every digit of a number and every field counts. The
// rules come from the VM itself or from its template: an OpenShift Template or, if there is
// none, a VirtualMachineTemplate of KubeVirt. WithNamespaceFallback and WithTemplateNamespaces say where
// one is that the VM names without its namespace.
//
// An instance type or preference is read only if a rule cannot be decided without it: from the
// ControllerRevision that the VM names, in its spec or its status, as KubeVirt does, or as it is now.
//
// A kind that the cluster does not have, or that there is no right to read, has no objects; the log says so
// once. If there is no right to read any kind of templates, nothing is decided about VMs that name one. A
// kind that the cluster does not have is asked for again after 30 seconds.
//
// # Bounds
//
// At most as many requests as there are processors are read and validated at a time, the smallest first,
// with a Budget of which real VMs need a hundredth. Of those with more than 8 KiB, at most 1 MiB for each
// processor is in memory. A request that takes more, has more than 256 KiB, or a regular expression that
// backtracks, is validated anew with the Budget of vmrules, beside the others: one at a time, or as many as
// there are processors but one. The namespaces with such requests take turns. A request is refused with a
// cause, as if a bound were reached, if it is not validated there in 5 seconds, or if others with 256 MiB are
// there, or with 32 MiB of its namespace.
//
// Objects of more than 3 MiB are refused, and so are AdmissionReviews of more than 7 MiB. Of those with
// more than 256 KiB, at most 128 MiB are in memory; for others there is no decision. A
// status has at most 100 causes.
//
// # Metrics
//
// These are in controller-runtime's registry:
//
//	vmrules_admission_reviews_total{outcome}                       exempt, allowed, warned, refused, malformed, failed
//	vmrules_admission_slow_reviews_total                           reviews that had to wait for others that take much work
//	vmrules_admission_violations_total{source, rule, outcome}      rules that VMs do not satisfy
//	vmrules_admission_review_seconds                               a histogram
//
// WithReports adds those of docs/reports.md. Only the rules of templates have a name there, and only
// the first 200. Names beyond, and those of more than 100 bytes, count as "(other)". Rules of VMs
// count without a name: anyone who can create a VM could make up any number of names.
package admission
