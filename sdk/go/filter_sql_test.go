package authz

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"testing"
)

// TestToSql compares what squirrel takes with the SQL of every vector.
func TestToSql(t *testing.T) {
	text, err := os.ReadFile("../../test/vectors/filters.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Cases []struct {
			Name string
			Call struct {
				Op      string
				Request struct {
					Filter  RowFilter
					Dialect SQLDialect
				}
			}
			Outcome struct{ Answer any }
		}
	}
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	columns := FilterColumns{
		Name: "doc.name", Parents: map[string]string{"folder": "doc.folder"}, Arrays: map[string]string{"tags": "doc.tags"},
		Properties: map[string]string{"n": "doc.n", "k": "doc.k", "t": "doc.t", "u": "doc.u", "b": "doc.b", "l": "doc.l"},
	}
	compared := 0
	for _, one := range vectors.Cases {
		if one.Call.Op != "filterSql" || one.Outcome.Answer == nil {
			continue
		}
		filter, err := FilterSQL(one.Call.Request.Filter, columns, one.Call.Request.Dialect)
		if err != nil {
			t.Errorf("%s: %v", one.Name, err)
			continue
		}
		sql, params, err := filter.ToSql()
		unnumbered := regexp.MustCompile(`\$\d+`).ReplaceAllString(filter.SQL, "?")
		if err != nil || sql != unnumbered || !reflect.DeepEqual(params, filter.Params) {
			t.Errorf("%s: %s, %v, %v", one.Name, sql, params, err)
		}
		compared++
	}
	if compared < 50 {
		t.Errorf("%d filters are compared", compared)
	}
	if sql, _, _ := (SQLFilter{}).ToSql(); sql != "1 = 0" {
		t.Errorf("the zero value selects %s", sql)
	}
}
