package authz

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
)

// SQLDialect is a database for which filters can be said.
type SQLDialect string

const (
	PostgreSQL SQLDialect = "postgres"
	MySQL      SQLDialect = "mysql"
	SQLite     SQLDialect = "sqlite"
)

// FilterColumns are the columns of a table, as SQL expressions that the application trusts: "doc.amount".
type FilterColumns struct {
	// Name is the column that holds what requests call the name of the resource; it is never NULL.
	Name string
	// Properties are by their names. A list is a column of JSON.
	Properties map[string]string
	// Arrays are the properties whose lists are PostgreSQL arrays of text.
	Arrays map[string]string
	// Parents are by the type of the parent.
	Parents map[string]string
}

// SQLFilter is an expression for a WHERE, with $1 for parameters in PostgreSQL and ? elsewhere.
type SQLFilter struct {
	Kind   string `json:"kind"`
	SQL    string `json:"sql"`
	Params []any  `json:"params"`
	// Partial is set where not all of these rows are allowed: ask a decision for each.
	Partial bool `json:"partial,omitempty"`
	// questions is SQL with ? for every parameter.
	questions string
}

// ToSql gives the expression with ? for parameters, also in PostgreSQL, and the parameters: an SQLFilter is a Sqlizer of squirrel,
// whose Dollar format numbers them in the whole query. The zero value selects no row.
func (f SQLFilter) ToSql() (string, []any, error) {
	if f.questions == "" {
		return never, nil, nil
	}
	return f.questions, f.Params, nil
}

// FilterSQL says a filter in SQL. It fails with ErrInvalidConfig for an attribute that has no column: nothing is left out.
func FilterSQL(filter RowFilter, columns FilterColumns, dialect SQLDialect) (SQLFilter, error) {
	said := SQLFilter{filter.Kind, never, []any{}, filter.Partial, never}
	if dialect != PostgreSQL && dialect != MySQL && dialect != SQLite {
		return said, failure(CodeInvalidConfig, "%q is no dialect: give PostgreSQL, MySQL or SQLite.", dialect)
	}
	if filter.Kind == "all" {
		said.SQL, said.questions = "1 = 1", "1 = 1"
	}
	if filter.Kind != "some" {
		return said, nil
	}
	if !isFilterCondition(map[string]any(filter.Condition)) {
		return said, failure(CodeInvalidConfig, "The filter has a condition that is not understood.")
	}
	w := &sqlWriter{columns: columns, dialect: dialect, params: []any{}}
	sql := w.condition(filter.Condition)
	if w.err != nil {
		return said, w.err
	}
	said.SQL, said.Params = sql, w.params
	unnumbered := &sqlWriter{columns: columns, dialect: dialect, unnumbered: true}
	said.questions = unnumbered.condition(filter.Condition)
	return said, nil
}

const never = "1 = 0"

type sqlWriter struct {
	columns FilterColumns
	dialect SQLDialect
	params  []any
	err     error
	// unnumbered has PostgreSQL's parameters be ?, too.
	unnumbered bool
}

func (w *sqlWriter) condition(condition map[string]any) string {
	switch op := condition["op"].(string); op {
	case "and", "or":
		var parts []string
		for _, arg := range condition["args"].([]any) {
			parts = append(parts, w.condition(arg.(map[string]any)))
		}
		return "(" + strings.Join(parts, " "+strings.ToUpper(op)+" ") + ")"
	case "not":
		arg := condition["arg"].(map[string]any)
		if arg["op"] == "present" {
			column, _ := w.column(arg["attribute"])
			return column + " IS NULL"
		}
		return "NOT (" + w.test(arg) + ")"
	}
	return w.test(condition)
}

var sqlOrder = map[string]string{"lt": "<", "le": "<=", "gt": ">", "ge": ">="}

func (w *sqlWriter) test(test map[string]any) string {
	column, isArray := w.column(test["attribute"])
	value := test["value"]
	values, _ := test["values"].([]any)
	text, _ := value.(string)
	switch op := test["op"].(string); op {
	case "present":
		return column + " IS NOT NULL"
	case "eq":
		return w.equal(column, value)
	case "in":
		return w.oneOf(column, values)
	case "startsWith":
		return w.startsWith(column, text)
	case "endsWith":
		return w.endsWith(column, text)
	case "contains":
		return w.contains(column, text)
	case "hasAny":
		return w.hasAny(column, values, isArray)
	case "hasOnly":
		return w.hasOnly(column, values, isArray)
	case "same":
		other, _ := w.column(test["other"])
		return w.same(column, other)
	case "less", "atMost":
		other, _ := w.column(test["other"])
		return column + map[string]string{"less": " < ", "atMost": " <= "}[op] + other
	default:
		return w.ordered(column, sqlOrder[op], value)
	}
}

func (w *sqlWriter) column(attribute any) (column string, isArray bool) {
	root, member, _ := strings.Cut(attribute.(string), ".")
	switch root {
	case "name":
		column = w.columns.Name
	case "properties":
		if column = w.columns.Arrays[member]; column != "" {
			return column, true
		}
		column = w.columns.Properties[member]
	case "parents":
		column = w.columns.Parents[member]
	}
	if column == "" && w.err == nil {
		w.err = failure(CodeInvalidConfig, "The filter reads %q, to which no column is given: add it, or send it with the request if it is "+
			"the same for all rows.", attribute)
	}
	return column, false
}

// parameter is the place of a value.
func (w *sqlWriter) parameter(value any) string {
	number, isNumber := value.(float64)
	switch truth, isTruth := value.(bool); {
	case isTruth && w.dialect == SQLite:
		value = int64(0)
		if truth {
			value = int64(1)
		}
	case isTruth:
		return strings.ToUpper(strconv.FormatBool(truth))
	case isNumber && number == math.Trunc(number) && math.Abs(number) < 1<<53:
		value = int64(number)
	}
	w.params = append(w.params, value)
	if w.dialect != PostgreSQL {
		return "?"
	}
	place := "$" + strconv.Itoa(len(w.params))
	if w.unnumbered {
		place = "?"
	}
	// As the column's own type, the parameter might be out of its range.
	switch {
	case isNumber && (number != math.Trunc(number) || math.Abs(number) >= 1<<53):
		return "CAST(" + place + " AS numeric)"
	case isNumber && math.Abs(number) >= 1<<15:
		return "CAST(" + place + " AS bigint)"
	}
	return place
}

// asText has a database compare texts as texts, whatever type a column has, and SQLite by their bytes, whatever its collation. In
// PostgreSQL the index of a column of text serves that.
func (w *sqlWriter) asText(column string) string {
	switch w.dialect {
	case SQLite:
		return "CAST(" + column + " AS TEXT) COLLATE BINARY"
	case PostgreSQL:
		return "CAST(" + column + " AS text)"
	}
	return column
}

// likeNumber is a text that a column of integers in SQLite takes for a number: 007 for 7.
var likeNumber = regexp.MustCompile(`^[ \t\n\v\f\r+.-]*[0-9]`)

// storable are the values that PostgreSQL has: its texts are without U+0000.
func storable(values []any) []any {
	kept := []any{}
	for _, value := range values {
		if text, _ := value.(string); !strings.Contains(text, "\x00") {
			kept = append(kept, value)
		}
	}
	return kept
}

// asBytes has MySQL compare by bytes. It stands beside the comparison that an index serves.
func asBytes(expression string) string {
	return "CAST(CONVERT(" + expression + " USING utf8mb4) AS BINARY)"
}

func (w *sqlWriter) equal(column string, value any) string {
	return w.among(column, []any{value}, func(place func(any) string) string { return " = " + place(value) })
}

func (w *sqlWriter) oneOf(column string, values []any) string {
	if w.dialect == PostgreSQL {
		values = storable(values)
	}
	return w.among(column, values, func(place func(any) string) string { return " IN (" + w.all(values, place) + ")" })
}

// among compares a column with values of one type.
func (w *sqlWriter) among(column string, values []any, compared func(place func(any) string) string) string {
	if w.dialect == PostgreSQL && len(storable(values)) == 0 {
		return never
	}
	if _, isText := values[0].(string); !isText {
		return column + compared(w.parameter)
	}
	switch w.dialect {
	case PostgreSQL:
		return w.asText(column) + compared(w.parameter)
	case MySQL:
		exact := func(value any) string { return asBytes(w.parameter(value)) }
		return "(" + column + compared(w.parameter) + " AND " + asBytes(column) + compared(exact) + ")"
	}
	text := column + " COLLATE BINARY" + compared(w.parameter)
	for _, value := range values {
		if likeNumber.MatchString(value.(string)) {
			return "(" + text + " AND " + w.asText(column) + compared(w.parameter) + ")"
		}
	}
	return text
}

func (w *sqlWriter) all(values []any, say func(any) string) string {
	said := make([]string, len(values))
	for i, value := range values {
		said[i] = say(value)
	}
	return strings.Join(said, ", ")
}

func (w *sqlWriter) same(left, right string) string {
	compared := w.asText(left) + " = " + w.asText(right)
	if w.dialect != MySQL {
		return compared
	}
	return "(" + compared + " AND " + asBytes(left) + " = " + asBytes(right) + ")"
}

func (w *sqlWriter) ordered(column, operator string, value any) string {
	text, isText := value.(string)
	switch {
	case !isText:
		return column + " " + operator + " " + w.parameter(value)
	case w.dialect == MySQL:
		return asBytes(column) + " " + operator + " " + asBytes(w.parameter(text))
	case w.dialect == SQLite:
		return w.asText(column) + " " + operator + " " + w.parameter(text)
	}
	// No text lies between one and its continuation with U+0000.
	start, _, cut := strings.Cut(text, "\x00")
	if cut {
		operator = map[byte]string{'<': "<=", '>': ">"}[operator[0]]
	}
	return w.asText(column) + ` COLLATE "C" ` + operator + " " + w.parameter(start)
}

func (w *sqlWriter) startsWith(column, text string) string {
	switch w.dialect {
	case PostgreSQL:
		return w.like(column, text, escapedLike(text)+"%")
	case MySQL:
		return "LOCATE(" + asBytes(w.parameter(text)) + ", " + asBytes(column) + ") = 1"
	}
	return "instr(" + column + ", " + w.parameter(text) + ") = 1"
}

func (w *sqlWriter) endsWith(column, text string) string {
	switch {
	case w.dialect == PostgreSQL:
		return w.like(column, text, "%"+escapedLike(text))
	case w.dialect == MySQL:
		return fmt.Sprintf("RIGHT(%s, %d) = %s", asBytes(column), len(text), asBytes(w.parameter(text)))
	case text == "":
		// A part from -0 on is the whole, and the end of no bytes is NULL.
		return column + " IS NOT NULL"
	}
	data := "CAST(" + column + " AS BLOB)"
	return fmt.Sprintf("(length(%s) >= %d AND substr(%s, -%d) = CAST(%s AS BLOB))", data, len(text), data, len(text), w.parameter(text))
}

func (w *sqlWriter) contains(column, text string) string {
	switch w.dialect {
	case PostgreSQL:
		return w.like(column, text, "%"+escapedLike(text)+"%")
	case MySQL:
		return "LOCATE(" + asBytes(w.parameter(text)) + ", " + asBytes(column) + ") > 0"
	}
	return "instr(" + column + ", " + w.parameter(text) + ") > 0"
}

func (w *sqlWriter) like(column, part, pattern string) string {
	if len(storable([]any{part})) == 0 {
		return never
	}
	return w.asText(column) + " LIKE " + w.parameter(pattern)
}

// escapedLike is a text in LIKE, of which no character stands for others.
func escapedLike(text string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
}

func (w *sqlWriter) hasAny(column string, values []any, isArray bool) string {
	if w.dialect == SQLite {
		return "EXISTS (SELECT 1 FROM json_each(" + column + ") AS item WHERE " + w.isItem(values) + ")"
	}
	if w.dialect == PostgreSQL {
		values = storable(values)
	}
	var tests []string
	for _, value := range values {
		switch {
		case w.dialect == MySQL:
			for _, item := range spellings(value) {
				tests = append(tests, "JSON_CONTAINS("+column+", "+w.parameter(item)+")")
			}
		case isArray:
			tests = append(tests, w.array(column, "@>", []any{value}))
		default:
			tests = append(tests, "CAST("+column+" AS jsonb) @> "+w.jsonb([]any{value}))
		}
	}
	return anyOf(tests)
}

func (w *sqlWriter) hasOnly(column string, values []any, isArray bool) string {
	switch {
	case w.dialect == MySQL:
		var items []string
		for _, value := range values {
			items = append(items, spellings(value)...)
		}
		return "JSON_CONTAINS(" + w.parameter("["+strings.Join(items, ",")+"]") + ", " + column + ")"
	case w.dialect == PostgreSQL && isArray:
		return w.array(column, "<@", storable(values))
	case w.dialect == PostgreSQL:
		return "CAST(" + column + " AS jsonb) <@ " + w.jsonb(storable(values))
	}
	// What is NULL has no items, either.
	return "(" + column + " IS NOT NULL AND NOT EXISTS (SELECT 1 FROM json_each(" + column + ") AS item WHERE NOT " + w.isItem(values) + "))"
}

// isItem is a test of SQLite's items.
func (w *sqlWriter) isItem(values []any) string {
	var tests []string
	for _, value := range values {
		switch typed := value.(type) {
		case bool:
			tests = append(tests, "item.type = '"+strconv.FormatBool(typed)+"'")
		case string:
			tests = append(tests, "(item.type = 'text' AND item.value = "+w.parameter(value)+")")
		default:
			tests = append(tests, "(item.type IN ('integer', 'real') AND item.value = "+w.parameter(value)+")")
		}
	}
	return anyOf(tests)
}

func anyOf(tests []string) string {
	if len(tests) == 0 {
		return never
	}
	return "(" + strings.Join(tests, " OR ") + ")"
}

func (w *sqlWriter) jsonb(values []any) string {
	return "CAST(" + w.parameter(jsonText(values)) + " AS jsonb)"
}

// array is a test of an array of texts, which holds no numbers and no truth values.
func (w *sqlWriter) array(column, operator string, values []any) string {
	var texts []any
	for _, value := range values {
		if _, isText := value.(string); isText {
			texts = append(texts, value)
		}
	}
	if operator == "@>" && len(texts) < len(values) {
		return never
	}
	return "CAST(" + column + " AS text[]) " + operator + " CAST(ARRAY[" + w.all(texts, w.parameter) + "] AS text[])"
}

// jsonText writes values, all of which JSON has.
// spellings writes a value as JSON. MariaDB takes a character and the two escapes that stand for it for different texts.
func spellings(value any) []string {
	text := jsonText(value)
	var lower, upper strings.Builder
	for _, one := range text {
		if one < 0x10000 {
			lower.WriteRune(one)
			upper.WriteRune(one)
			continue
		}
		first, second := utf16.EncodeRune(one)
		fmt.Fprintf(&lower, `\u%x\u%x`, first, second)
		fmt.Fprintf(&upper, `\u%X\u%X`, first, second)
	}
	if lower.String() == text {
		return []string{text}
	}
	return []string{text, lower.String(), upper.String()}
}

func jsonText(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value)
	return strings.TrimSuffix(text.String(), "\n")
}
