package authz

import (
	"net/url"
	"strings"
)

// baseAddress checks an address and returns it without a slash at its end.
func baseAddress(text string) (*url.URL, error) {
	base, err := url.Parse(text)
	if err != nil || base.Opaque != "" || base.Host == "" {
		if strings.Contains(text, "@") {
			text = "The base address"
		} else {
			text = `"` + text + `"`
		}
		return nil, failure(CodeInvalidConfig, "%s is no URL: write it like \"http://127.0.0.1:8080\".", text)
	}
	switch {
	case base.User != nil:
		return nil, failure(CodeInvalidConfig, "The base address holds a user name or a password: leave them out.")
	case base.Scheme != "http" && base.Scheme != "https":
		return nil, failure(CodeInvalidConfig, "%q is no http or https address: write it like \"http://127.0.0.1:8080\".", text)
	case base.RawQuery != "" || base.ForceQuery || base.Fragment != "":
		return nil, failure(CodeInvalidConfig, "%q holds a query or a fragment: give the base address alone.", text)
	}
	return &url.URL{
		Scheme:  base.Scheme,
		Host:    base.Host,
		Path:    strings.TrimRight(base.Path, "/"),
		RawPath: strings.TrimRight(base.RawPath, "/"),
	}, nil
}

func origin(address *url.URL) string {
	port := address.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[address.Scheme]
	}
	return address.Scheme + "://" + strings.ToLower(address.Hostname()) + ":" + port
}
