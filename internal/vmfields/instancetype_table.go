package vmfields

import "github.com/vmrules/vmrules/internal/jsonpath"

// Instancetype lists the fields of an instance type.
var Instancetype = []Field{
	{From: "nodeSelector", Is: Names, To: "spec.nodeSelector", When: jsonpath.WholeIfMissing},
	{From: "schedulerName", Is: Text, To: "spec.schedulerName", When: jsonpath.IfEmptyText},

	{From: "cpu.guest", Is: Count, To: "spec.domain.resources.requests.cpu", How: NotAllowed},
	{From: "cpu.guest", Is: Count, To: "spec.domain.resources.limits.cpu", How: NotAllowed},
	{From: "cpu.guest", Is: Count, To: "spec.domain.cpu.sockets", When: jsonpath.IfZero, How: Topology},
	{From: "cpu.guest", Is: Count, To: "spec.domain.cpu.cores", When: jsonpath.IfZero, How: Topology},
	{From: "cpu.guest", Is: Count, To: "spec.domain.cpu.threads", When: jsonpath.IfZero, How: Topology},
	{From: "cpu.model", Is: EmptyText, To: "spec.domain.cpu.model", When: jsonpath.IfEmptyText},
	{From: "cpu.dedicatedCPUPlacement", Is: Flag, To: "spec.domain.cpu.dedicatedCpuPlacement", When: jsonpath.IfFalse,
		Reported: "spec.template.spec.domain.cpu.dedicatedCPUPlacement"},
	{From: "cpu.isolateEmulatorThread", Is: Flag, To: "spec.domain.cpu.isolateEmulatorThread", When: jsonpath.IfFalse},
	{From: "cpu.numa", To: "spec.domain.cpu.numa", When: jsonpath.WholeIfMissing},
	{From: "cpu.realtime", To: "spec.domain.cpu.realtime", When: jsonpath.WholeIfMissing},
	{From: "cpu.maxSockets", Is: Count, To: "spec.domain.cpu.maxSockets", When: jsonpath.Overwritten},

	{From: "memory.guest", Is: Amount, To: "spec.domain.memory.guest", How: Canonical},
	{From: "memory.hugepages", To: "spec.domain.memory.hugepages", When: jsonpath.WholeIfMissing},
	{From: "memory.maxGuest", Is: Amount, To: "spec.domain.memory.maxGuest", How: Canonical},
	{From: "memory.guest", Is: Amount, To: "spec.domain.resources.requests.memory", How: Overcommitted},
	{From: "memory.guest", Is: Amount, To: "spec.domain.resources.limits.memory", How: NotAllowed},
	{From: "memory.overcommitPercent", Is: Count},

	{From: "ioThreads.supplementalPoolThreadCount", Is: Count, To: "spec.domain.ioThreads.supplementalPoolThreadCount"},
	{From: "ioThreadsPolicy", Is: EmptyText, To: "spec.domain.ioThreadsPolicy"},
	{From: "launchSecurity", To: "spec.domain.launchSecurity", When: jsonpath.WholeIfMissing},
	{From: "gpus", Is: List, To: "spec.domain.devices.gpus", When: jsonpath.WholeIfEmpty},
	{From: "hostDevices", Is: List, To: "spec.domain.devices.hostDevices", When: jsonpath.WholeIfEmpty},
	{From: "annotations", Is: Names, To: "metadata.annotations.*", How: Merged, Reported: "annotations"},
}
