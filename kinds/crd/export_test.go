package crd

// ValidateMeta calls objectmeta.Validate of any Kubernetes.
var ValidateMeta = validateMeta
