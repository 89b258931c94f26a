package authz

import (
	"net/http"
	"testing"
)

func TestProxiesOfTheEnvironmentAreNotUsed(t *testing.T) {
	transport, ok := withoutRedirects(nil).Transport.(*http.Transport)
	if !ok || transport.Proxy != nil {
		t.Fatalf("the default transport may send questions and the key through a proxy")
	}
	own := &http.Transport{Proxy: http.ProxyFromEnvironment}
	kept, ok := withoutRedirects(&http.Client{Transport: own}).Transport.(*http.Transport)
	if !ok || kept.Proxy == nil {
		t.Fatalf("the caller's own client lost its proxy")
	}
}
