package authz

import "context"

// Iterator walks results page by page, as they are asked for.
//
//	roles := client.Roles().List(ctx, nil)
//	for roles.Next() {
//		fmt.Println(roles.Value().Name)
//	}
//	if err := roles.Err(); err != nil {
//		…
//	}
type Iterator[T any] struct {
	fetch func(ctx context.Context, token string) (items []T, next string, err error)
	ctx   context.Context
	items []T
	at    int
	token string
	last  bool
	err   error
}

// newIterator keeps the context of the call that started the walk, and asks for all pages with it.
func newIterator[T any](ctx context.Context, fetch func(context.Context, string) ([]T, string, error)) *Iterator[T] {
	return &Iterator[T]{ctx: ctx, fetch: fetch, at: -1}
}

// Next moves on to the next result. It is false after the last one, and on an error.
func (i *Iterator[T]) Next() bool {
	if i.err != nil {
		return false
	}
	i.at++
	for i.at >= len(i.items) {
		if i.last {
			i.items, i.at = nil, 0
			return false
		}
		items, next, err := i.fetch(i.ctx, i.token)
		if err == nil && next != "" && next == i.token {
			err = failure(CodeNetwork, "A page names itself as the next one: that is not the service.")
		}
		if err != nil {
			i.err, i.items = err, nil
			return false
		}
		i.items, i.at, i.token, i.last = items, 0, next, next == ""
	}
	return true
}

// Value is the result that Next moved to. Before the first Next and after the last it is the zero value.
func (i *Iterator[T]) Value() T {
	if i.at < 0 || i.at >= len(i.items) {
		var none T
		return none
	}
	return i.items[i.at]
}

// Err says why the walk ended early; it is nil if the walk came to its end.
func (i *Iterator[T]) Err() error { return i.err }

// All collects the remaining results.
func (i *Iterator[T]) All() ([]T, error) {
	var all []T
	for i.Next() {
		all = append(all, i.Value())
	}
	return all, i.err
}
