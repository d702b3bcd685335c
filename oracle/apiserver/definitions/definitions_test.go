// Package definitions requires KubeVirt's types, and the tool with which ../build generates
// CustomResourceDefinitions from them.
package definitions

import _ "kubevirt.io/api/core/v1"
