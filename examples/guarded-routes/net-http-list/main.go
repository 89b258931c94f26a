// Serves invoices to those who may read them, and lists them page by page.
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	authz "github.com/authz-service/service/sdk/go"
	_ "github.com/lib/pq"
)

const pageSize = 2

var columns = authz.FilterColumns{Name: "invoice.name", Properties: map[string]string{"owner": "invoice.owner"}}

func main() {
	client, err := authz.New(os.Getenv("AUTHZ_URL"))
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	database, err := openDatabase(os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", os.Getenv("LISTEN"))
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("listening on http://%s", listener.Addr())
	server := &http.Server{Handler: routes(client, database), ReadHeaderTimeout: 5 * time.Second}
	log.Fatal(server.Serve(listener))
}

// openDatabase stands for your own database: its table lives as long as its only connection.
func openDatabase(url string) (*sql.DB, error) {
	database, err := sql.Open("postgres", url)
	if err != nil {
		return nil, err
	}
	database.SetMaxOpenConns(1)
	_, err = database.Exec(`CREATE TEMPORARY TABLE invoice (name text PRIMARY KEY, owner text);
		INSERT INTO invoice VALUES ('INV-1', 'alice'), ('INV-2', 'carol'), ('INV-3', 'bob'), ('INV-4', 'carol'), ('INV-5', 'carol')`)
	return database, err
}

func routes(client *authz.Client, database *sql.DB) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/invoices/", authz.Guard(client, readInvoice)(http.HandlerFunc(showInvoice)))
	mux.HandleFunc("/invoices", func(w http.ResponseWriter, r *http.Request) { listInvoices(w, r, client, database) })
	return mux
}

// userOf reads X-User, which stands for the login that an application has.
func userOf(r *http.Request) authz.Subject {
	return authz.Subject{Type: "user", ID: r.Header.Get("X-User")}
}

func readInvoice(r *http.Request) (authz.Question, error) {
	user := userOf(r)
	if user.ID == "" {
		return authz.Question{}, authz.ErrUnauthenticated
	}
	return authz.Question{
		Subject:  user,
		Action:   authz.Action{Name: "read"},
		Resource: authz.Resource{Type: "invoice", ID: strings.TrimPrefix(r.URL.Path, "/invoices/")},
	}, nil
}

func showInvoice(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintf(w, "Invoice %s\n", strings.TrimPrefix(r.URL.Path, "/invoices/"))
}

func listInvoices(w http.ResponseWriter, r *http.Request, client *authz.Client, database *sql.DB) {
	user := userOf(r)
	if user.ID == "" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	rows, err := client.FilterRows(r.Context(), authz.FilterQuestion{
		Subject: user, Action: authz.Action{Name: "read"}, Resource: authz.Resource{Type: "invoice"},
	})
	if err != nil {
		log.Printf("nobody decided: %v", err)
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	found, err := pageOf(r.Context(), database, rows, r.URL.Query().Get("after"))
	if err != nil {
		log.Printf("no page: %v", err)
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(found); err != nil {
		log.Printf("not sent: %v", err)
	}
}

// page has the names of some invoices, the number of all, and the one after which the next page begins.
type page struct {
	Invoices []string `json:"invoices"`
	Count    int      `json:"count"`
	Next     *string  `json:"next"`
}

// pageOf finds a page of the invoices that a filter selects, which begins after one of them.
func pageOf(ctx context.Context, database *sql.DB, filter authz.RowFilter, after string) (page, error) {
	found := page{Invoices: []string{}}
	where, err := authz.FilterSQL(filter, columns, authz.PostgreSQL)
	if err != nil {
		return found, err
	}
	count := "SELECT count(*) FROM invoice WHERE " + where.SQL
	if err := database.QueryRowContext(ctx, count, where.Params...).Scan(&found.Count); err != nil {
		return found, err
	}
	next := len(where.Params) + 1
	query := fmt.Sprintf("SELECT name FROM invoice WHERE %s AND name > $%d ORDER BY name LIMIT $%d", where.SQL, next, next+1)
	rows, err := database.QueryContext(ctx, query, append(where.Params, after, pageSize+1)...)
	if err != nil {
		return found, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return found, err
		}
		found.Invoices = append(found.Invoices, name)
	}
	if len(found.Invoices) > pageSize {
		found.Invoices = found.Invoices[:pageSize]
		found.Next = &found.Invoices[pageSize-1]
	}
	return found, rows.Err()
}
