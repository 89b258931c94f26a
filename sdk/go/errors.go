package authz

import (
	"fmt"
	"strings"
)

// The codes that only this package uses; all others are the service's own.
const (
	// CodeNotEvaluated means that the batch ended before it came to this item.
	CodeNotEvaluated Code = "not_evaluated"
	// CodeCanceled means that the call's context was canceled.
	CodeCanceled Code = "canceled"
)

// Code names a kind of error, stable over releases.
type Code string

// Error says why a call has no answer. Compare it by its code: errors.Is(err, authz.ErrTimeout).
type Error struct {
	Code Code
	// Detail names the value at fault and the remedy. It may quote names of the request; it holds no credential.
	Detail string
	// Fields say which parts of the request are at fault.
	Fields []FieldError
	// RequestID finds the call in the log of the service.
	RequestID string
	// Status is that of the answer; 0 where there was none.
	Status int

	cause error
}

// FieldError is one fault in a request.
type FieldError struct {
	// Pointer is a JSON pointer (RFC 6901) into the request.
	Pointer string `json:"pointer"`
	Detail  string `json:"detail"`
	// Address names the record at fault, in a change-set.
	Address string `json:"address,omitempty"`
}

// Errors to compare with by errors.Is, one for each code that callers tell apart.
var (
	ErrTimeout          = &Error{Code: CodeTimeout}
	ErrNetwork          = &Error{Code: CodeNetwork}
	ErrCanceled         = &Error{Code: CodeCanceled}
	ErrNotEvaluated     = &Error{Code: CodeNotEvaluated}
	ErrEvaluationFailed = &Error{Code: CodeEvaluationFailed}
	ErrUnauthorized     = &Error{Code: CodeUnauthorized}
	ErrForbidden        = &Error{Code: CodeForbidden}
	ErrInvalidClient    = &Error{Code: CodeInvalidClient}
	ErrInvalidConfig    = &Error{Code: CodeInvalidConfig}
	ErrInvalidCursor    = &Error{Code: CodeInvalidCursor}
	ErrInvalidRequest   = &Error{Code: CodeInvalidRequest}
	ErrNotFound         = &Error{Code: CodeNotFound}
	ErrNotReady         = &Error{Code: CodeNotReady}
	ErrConflict         = &Error{Code: CodeConflict}
	ErrStaleBase        = &Error{Code: CodeStaleBase}
	ErrPrecondition     = &Error{Code: CodePreconditionFailed}
	ErrTooManyRequests  = &Error{Code: CodeTooManyRequests}
)

// Error gives the code and the detail.
func (e *Error) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "authz: %s", e.Code)
	if e.Detail != "" {
		fmt.Fprintf(&text, ": %s", e.Detail)
	}
	if e.RequestID != "" {
		fmt.Fprintf(&text, " (request %s)", e.RequestID)
	}
	return text.String()
}

// Is says whether the target is an error of the same code.
func (e *Error) Is(target error) bool {
	other, ok := target.(*Error)
	return ok && other.Code == e.Code && other.Detail == ""
}

// Unwrap returns the underlying error: that of the connection, or of the context.
func (e *Error) Unwrap() error { return e.cause }

func failure(code Code, format string, arguments ...any) *Error {
	return &Error{Code: code, Detail: fmt.Sprintf(format, arguments...)}
}

// statusCodes are the codes of statuses that another vendor answers without a code.
var statusCodes = map[int]Code{
	400: CodeInvalidRequest,
	401: CodeUnauthorized,
	403: CodeForbidden,
	404: CodeNotFound,
	405: CodeMethodNotAllowed,
	409: CodeConflict,
	412: CodePreconditionFailed,
	413: CodePayloadTooLarge,
	415: CodeUnsupportedMediaType,
	422: CodeInvalidRequest,
	429: CodeTooManyRequests,
	502: CodeNetwork,
	503: CodeNetwork,
	504: CodeNetwork,
}

func codeOf(code string, status int) Code {
	if problemCodes[Code(code)] {
		return Code(code)
	}
	if known, ok := statusCodes[status]; ok {
		return known
	}
	return CodeInternal
}
