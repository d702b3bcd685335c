package main

import (
	"context"
	"fmt"
	"log"

	"sigs.k8s.io/controller-runtime/pkg/client"
	webhook "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/vmrules/vmrules/admission"
)

func main() {
	var noCluster struct{ client.Reader }
	reviewer, err := admission.New(noCluster)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(reviewer.Handle(context.Background(), webhook.Request{}).Result.Message)
}
