package authz

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
)

var errTooLong = errors.New("the answer is too long")

// readAll reads a body, so that its connection can serve the next call, but never more than max bytes.
func readAll(response *http.Response, max int64) ([]byte, error) {
	defer response.Body.Close()
	if response.ContentLength > max {
		return nil, errTooLong
	}
	if length := response.ContentLength; length >= 0 && length <= 64<<10 {
		body := make([]byte, length)
		if _, err := io.ReadFull(response.Body, body); err != nil {
			return nil, err
		}
		// The connection is free again only when the body has been read to its end.
		_, err := response.Body.Read(make([]byte, 1))
		if err == io.EOF {
			err = nil
		}
		return body, err
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, max+1))
	if err == nil && int64(len(body)) > max {
		err = errTooLong
	}
	return body, err
}

// lasting says whether another attempt would meet the same fault.
func lasting(err error) bool {
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var certificate x509.CertificateInvalidError
	var plain tls.RecordHeaderError
	return errors.As(err, &authority) || errors.As(err, &name) || errors.As(err, &certificate) || errors.As(err, &plain)
}

func isJSON(header http.Header) bool {
	if header.Get("Content-Type") == "application/json; charset=utf-8" {
		return true
	}
	kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	return err == nil && (kind == "application/json" || strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json"))
}

// decode reads a successful answer into a value.
func (c *Client) decode(came *answer, r request, value any) error {
	if !isJSON(came.header) {
		return c.notTheService(came, r)
	}
	if err := json.Unmarshal(came.body, value); err != nil {
		failed := c.notTheService(came, r)
		failed.cause = err
		return failed
	}
	return nil
}

func (c *Client) notTheService(came *answer, r request) *Error {
	what := "JSON that cannot be used"
	if !isJSON(came.header) {
		what, _, _ = strings.Cut(came.header.Get("Content-Type"), ";")
		if what == "" {
			what = "no content type"
		}
		what += " instead of JSON"
	}
	failed := failure(CodeNetwork, "%s %s%s answered %d with %s: that is not the service. Check the address, and any proxy on the way.",
		r.method, c.address, r.route, came.status, what)
	failed.Status = came.status
	failed.RequestID = came.header.Get("X-Request-Id")
	return failed
}

// problemOf reads the error in an answer that is none to the request, and says whether it has a code of the service.
func (c *Client) problemOf(came *answer, r request) (*Error, bool) {
	at := r.method + " " + c.address + r.route
	if came.status < 300 {
		failed := failure(CodeNetwork, "%s answered %d: that is no answer to this request, whatever it holds.", at, came.status)
		failed.Status = came.status
		return failed, false
	}
	if came.status < 400 {
		failed := failure(CodeNetwork, "%s answered %d%s: redirects are not followed, for they would carry the credential elsewhere. "+
			"Give the final address.", at, came.status, redirection(came.header.Get("Location")))
		failed.Status = came.status
		return failed, false
	}
	var problem struct {
		Code      any `json:"code"`
		Title     any `json:"title"`
		Message   any `json:"message"`
		Detail    any `json:"detail"`
		RequestID any `json:"request_id"`
		Errors    any `json:"errors"`
		Error     any `json:"error"`
		Why       any `json:"error_description"`
		Schemas   any `json:"schemas"`
	}
	if !isJSON(came.header) || json.Unmarshal(came.body, &problem) != nil {
		return c.notTheService(came, r), false
	}
	code, _ := problem.Code.(string)
	failed := &Error{Code: codeOf(code, came.status), Status: came.status, RequestID: came.header.Get("X-Request-Id")}
	if id, _ := problem.RequestID.(string); id != "" {
		failed.RequestID = id
	}
	detail, _ := problem.Detail.(string)
	title, _ := problem.Title.(string)
	message, _ := problem.Message.(string)
	oauth, _ := problem.Error.(string)
	switch {
	case detail != "":
		failed.Detail = detail
	case code == "" && oauth != "":
		failed.Detail = at + " refused (" + oauth + ")"
		if why, _ := problem.Why.(string); why != "" {
			failed.Detail += ": " + strings.TrimSuffix(why, ".")
		}
		failed.Detail += "."
		if oauth == "invalid_client" {
			failed.Code = CodeInvalidClient
		}
	case title != "":
		failed.Detail = title
	case message != "":
		failed.Detail = message
	default:
		failed.Detail = failure("", "%s answered %d and gave no detail.", at, came.status).Detail
	}
	failed.Fields = fieldsOf(problem.Errors)
	ofService := problemCodes[Code(code)]
	if !ofService && isSCIMError(problem.Schemas) {
		ofService = true
		switch came.status {
		case http.StatusServiceUnavailable:
			failed.Code = CodeNotReady
		case http.StatusGatewayTimeout:
			failed.Code = CodeTimeout
		}
	}
	return failed, ofService
}

// isSCIMError says whether these are the schemas of an error of SCIM (RFC 7644 section 3.12), which has no code of the service.
func isSCIMError(schemas any) bool {
	list, _ := schemas.([]any)
	for _, schema := range list {
		if schema == "urn:ietf:params:scim:api:messages:2.0:Error" {
			return true
		}
	}
	return false
}

func fieldsOf(value any) []FieldError {
	list, _ := value.([]any)
	var fields []FieldError
	for _, item := range list {
		members, _ := item.(map[string]any)
		detail, _ := members["detail"].(string)
		if detail == "" {
			continue
		}
		pointer, _ := members["pointer"].(string)
		address, _ := members["address"].(string)
		fields = append(fields, FieldError{pointer, detail, address})
	}
	return fields
}

// redirection says where a redirect leads, without what might be secret in it.
func redirection(location string) string {
	target, err := url.Parse(location)
	if location == "" || err != nil {
		return ""
	}
	shown := url.URL{Scheme: target.Scheme, Host: target.Host, Path: target.Path}
	return " to " + shown.String()
}

// redacted removes credentials from an error, in case an answer has repeated them.
func redacted(err *Error, secrets []string, from authorization) *Error {
	if from != nil {
		secrets = append(append([]string(nil), secrets...), from.secrets()...)
	}
	clean := func(text string) string {
		for _, secret := range secrets {
			if secret != "" {
				text = strings.ReplaceAll(text, secret, "[redacted]")
				text = strings.ReplaceAll(text, url.QueryEscape(secret), "[redacted]")
			}
		}
		return text
	}
	copied := *err
	copied.Detail = clean(err.Detail)
	copied.RequestID = clean(err.RequestID)
	copied.Fields = append([]FieldError(nil), err.Fields...)
	for i := range copied.Fields {
		field := &copied.Fields[i]
		field.Pointer, field.Detail, field.Address = clean(field.Pointer), clean(field.Detail), clean(field.Address)
	}
	return &copied
}
