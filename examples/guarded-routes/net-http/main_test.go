package main

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/authz-service/service/sdk/go/authztest"
)

func TestInvoicesAreShownToThoseWhoMayReadThem(t *testing.T) {
	fake := authztest.New(t)
	fake.Allow("alice", "read", "invoice", "INV-1")
	handler := routes(fake.Client())
	for user, status := range map[string]int{"alice": http.StatusOK, "bob": http.StatusForbidden, "": http.StatusUnauthorized} {
		request := httptest.NewRequest(http.MethodGet, "/invoices/INV-1", nil)
		request.Header.Set("X-User", user)
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request)
		if recorder.Code != status {
			t.Errorf("%q gets %d, want %d", user, recorder.Code, status)
		}
	}
}
