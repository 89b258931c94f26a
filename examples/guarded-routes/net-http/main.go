// Serves invoices to those who may read them.
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	authz "github.com/authz-service/service/sdk/go"
)

func main() {
	client, err := authz.New(os.Getenv("AUTHZ_URL"))
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	listener, err := net.Listen("tcp", os.Getenv("LISTEN"))
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("listening on http://%s", listener.Addr())
	server := &http.Server{Handler: routes(client), ReadHeaderTimeout: 5 * time.Second}
	log.Fatal(server.Serve(listener))
}

func routes(decider authz.Decider) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/invoices/", authz.Guard(decider, readInvoice)(http.HandlerFunc(showInvoice)))
	return mux
}

// readInvoice says what a request asks for. X-User stands for the login that an application has.
func readInvoice(r *http.Request) (authz.Question, error) {
	user := r.Header.Get("X-User")
	if user == "" {
		return authz.Question{}, authz.ErrUnauthenticated
	}
	return authz.Question{
		Subject:  authz.Subject{Type: "user", ID: user},
		Action:   authz.Action{Name: "read"},
		Resource: authz.Resource{Type: "invoice", ID: strings.TrimPrefix(r.URL.Path, "/invoices/")},
	}, nil
}

func showInvoice(w http.ResponseWriter, r *http.Request) {
	decision, _ := authz.DecisionFrom(r.Context())
	log.Printf("shown: %s", decision.Reason)
	fmt.Fprintf(w, "Invoice %s\n", strings.TrimPrefix(r.URL.Path, "/invoices/"))
}
