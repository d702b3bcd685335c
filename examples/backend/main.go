// Backend answers what the npm package answers, where a page may not compile WebAssembly. Run it at the
// root of the repository, on a port:
//
//	go run ./examples/backend 8080
package main

import (
	"log"
	"net/http"
	"os"
	"time"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
)

func main() {
	http.Handle("POST /vmrules/validate", handle(vmrules.Validate))
	http.Handle("POST /vmrules/limits", handle(form.Limits))
	server := &http.Server{Addr: "localhost:" + os.Args[1], ReadTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}
