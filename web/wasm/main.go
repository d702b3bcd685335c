//go:build js && wasm

// Command wasm is the library for JavaScript. All that crosses is bytes in the memory of the
// program: JavaScript asks for room, writes the texts of a call there, and reads the answer.
package main

import (
	"runtime"
	"runtime/debug"
	"unsafe"

	"github.com/vmrules/vmrules/web/internal/engine"
)

// memoryLimit makes the garbage collector work harder above it. WebAssembly has 4 GiB and gives
// nothing back.
const memoryLimit = 1 << 30

// main waits, so that the functions below can be called.
func main() {
	debug.SetMemoryLimit(memoryLimit)
	select {}
}

var (
	program = engine.New()
	in      []byte
	answers [2]string
	places  [2 * len(answers)]uint32
)

// room returns where to write the bytes of the next call.
//
//go:wasmexport room
func room(size int32) unsafe.Pointer {
	in = make([]byte, max(size, 1))
	return unsafe.Pointer(unsafe.SliceData(in))
}

// call carries out the call whose bytes are written: a header of some length, and the texts that
// it names. It returns where four numbers are: the place and the length of the result, and those of
// the error.
//
//go:wasmexport call
func call(header int32) unsafe.Pointer {
	text := unsafe.String(unsafe.SliceData(in), len(in))
	answers[0], answers[1] = program.Call(text[:header], text[header:])
	in = nil
	runtime.Gosched() // to the garbage collector, which nothing else lets run between calls
	for i, answer := range answers {
		places[2*i] = uint32(uintptr(unsafe.Pointer(unsafe.StringData(answer))))
		places[2*i+1] = uint32(len(answer))
	}
	return unsafe.Pointer(&places)
}
