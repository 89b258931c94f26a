package authz

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"sort"
	"strconv"
	"strings"
)

// encode writes what is sent as JSON. The error points to what has no form there.
func encode(value any) ([]byte, error) {
	body, err := json.Marshal(value)
	if err == nil {
		return body, nil
	}
	failed := failure(CodeInvalidRequest, "The request cannot be written as JSON: %s.", err)
	var number *json.UnsupportedValueError
	var kind *json.UnsupportedTypeError
	if errors.As(err, &number) || errors.As(err, &kind) {
		if found := unsendable(reflect.ValueOf(value), "", 0); found != nil {
			failed.Detail = fmt.Sprintf("%s (at %s)", found.Detail, found.Pointer)
			failed.Fields = []FieldError{*found}
		}
	}
	failed.cause = err
	return nil, failed
}

// unsendable is the first member of a value that JSON has no form for; nil if there is none.
func unsendable(value reflect.Value, pointer string, depth int) *FieldError {
	if depth > 100 {
		return nil
	}
	member := func(value reflect.Value, name string) *FieldError {
		return unsendable(value, pointer+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name), depth+1)
	}
	switch value.Kind() {
	case reflect.Float32, reflect.Float64:
		if number := value.Float(); math.IsNaN(number) || math.IsInf(number, 0) {
			return &FieldError{Pointer: pointer, Detail: fmt.Sprintf("%v has no form in JSON: leave it out.", number)}
		}
	case reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer:
		return &FieldError{Pointer: pointer, Detail: fmt.Sprintf("A value of %s has no form in JSON: give a number, a text, a list or a map.", value.Type())}
	case reflect.Interface, reflect.Pointer:
		if !value.IsNil() {
			return unsendable(value.Elem(), pointer, depth+1)
		}
	case reflect.Slice, reflect.Array:
		for i := 0; i < value.Len(); i++ {
			if found := member(value.Index(i), strconv.Itoa(i)); found != nil {
				return found
			}
		}
	case reflect.Map:
		keys := value.MapKeys()
		sort.Slice(keys, func(i, j int) bool { return fmt.Sprint(keys[i]) < fmt.Sprint(keys[j]) })
		for _, key := range keys {
			if found := member(value.MapIndex(key), fmt.Sprint(key)); found != nil {
				return found
			}
		}
	case reflect.Struct:
		for i := 0; i < value.NumField(); i++ {
			field := value.Type().Field(i)
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			var found *FieldError
			switch {
			case name == "-":
			case name == "" && field.Anonymous:
				found = unsendable(value.Field(i), pointer, depth+1)
			case field.IsExported():
				if name == "" {
					name = field.Name
				}
				found = member(value.Field(i), name)
			}
			if found != nil {
				return found
			}
		}
	}
	return nil
}
