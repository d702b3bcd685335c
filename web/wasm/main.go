//go:build js && wasm

// Command wasm is the library for JavaScript. It sets one function, vmrules, in its global
// object, which is not that of the page, and waits for calls.
package main

import (
	"syscall/js"

	"github.com/vmrules/vmrules/web/internal/engine"
)

func main() {
	e := engine.New()
	js.Global().Set("vmrules", js.FuncOf(func(_ js.Value, args []js.Value) any {
		texts := make([]string, len(args))
		for i, arg := range args {
			texts[i] = arg.String()
		}
		result, failure := e.Call(texts[0], texts[1], texts[2:]...)
		return []any{result, failure}
	}))
	select {}
}
