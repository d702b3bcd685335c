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
)

// room returns where to write the bytes of the next call.
//
//go:wasmexport room
func room(size int32) unsafe.Pointer {
	in = make([]byte, max(size, 1))
	return unsafe.Pointer(unsafe.SliceData(in))
}

// call carries out the call whose bytes are written: a JSON header of some length, and the
// texts that it names.
//
//go:wasmexport call
func call(header int32) {
	text := unsafe.String(unsafe.SliceData(in), len(in))
	answers[0], answers[1] = program.Call(text[:header], text[header:])
	in = nil
	runtime.Gosched() // to the garbage collector, which nothing else lets run between calls
}

// place and length say where one of the two answers of the last call is: its result and its
// error.
//
//go:wasmexport place
func place(i int32) unsafe.Pointer { return unsafe.Pointer(unsafe.StringData(answers[i])) }

//go:wasmexport length
func length(i int32) int32 { return int32(len(answers[i])) }
