// Renders the templates of a chart with text/template, the engine of Helm, and the few of Helm's functions that the chart calls.
// It reads {"templates": FOLDER, "data": {"Values": …, "Release": …, "Chart": …}} from its input.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

func main() {
	var input struct {
		Templates string
		Data      map[string]any
	}
	must(json.NewDecoder(os.Stdin).Decode(&input))
	templates := template.New("chart").Option("missingkey=error")
	templates.Funcs(template.FuncMap{
		"default": func(otherwise, value any) any {
			if truth, _ := template.IsTrue(value); truth {
				return value
			}
			return otherwise
		},
		"dict": func(pairs ...any) map[string]any {
			made := map[string]any{}
			for at := 0; at < len(pairs); at += 2 {
				made[pairs[at].(string)] = pairs[at+1]
			}
			return made
		},
		"include": func(name string, data any) (string, error) {
			var text bytes.Buffer
			err := templates.ExecuteTemplate(&text, name, data)
			return text.String(), err
		},
		"nindent": func(spaces int, text string) string {
			indent := "\n" + strings.Repeat(" ", spaces)
			return indent + strings.ReplaceAll(text, "\n", indent)
		},
		"quote": func(value any) string { return fmt.Sprintf("%q", fmt.Sprint(value)) },
		"sub":   func(from, what any) int64 { return number(from) - number(what) },
		// JSON is YAML.
		"toYaml": func(value any) (string, error) {
			text, err := json.Marshal(value)
			return string(text), err
		},
	})
	files, err := filepath.Glob(filepath.Join(input.Templates, "*"))
	must(err)
	template.Must(templates.ParseFiles(files...))
	for _, file := range files {
		if !strings.HasPrefix(filepath.Base(file), "_") {
			fmt.Println("---")
			must(templates.ExecuteTemplate(os.Stdout, filepath.Base(file), input.Data))
		}
	}
}

func number(value any) int64 {
	if float, ok := value.(float64); ok {
		return int64(float)
	}
	return int64(value.(int))
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
