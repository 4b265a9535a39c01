// Renders a Helm chart as `helm template` does: text/template and sprig (what Helm itself is made of), with Helm's own functions
// and objects. Values are merged as Helm merges them, a null takes a key away. Prints {"name": text} as JSON; a `fail` or
// `required` ends it with its sentence. Usage: render <chart> <release> <namespace> [values.yaml …]
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v3"
)

type object = map[string]interface{}

// Helm reads YAML by way of JSON: every number is a float64.
func parseYaml(text []byte) (interface{}, error) {
	var value interface{}
	if err := yaml.Unmarshal(text, &value); err != nil {
		return nil, err
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var clean interface{}
	err = json.Unmarshal(raw, &clean)
	return clean, err
}

func parseObject(text []byte) object {
	value, err := parseYaml(text)
	if err != nil {
		return object{"Error": err.Error()}
	}
	found, ok := value.(object)
	if !ok {
		return object{}
	}
	return found
}

// Whole numbers are written as such, as sigs.k8s.io/yaml does.
func wholeNumbers(value interface{}) interface{} {
	switch it := value.(type) {
	case float64:
		if it == math.Trunc(it) && math.Abs(it) < 1<<53 {
			return int64(it)
		}
	case object:
		out := object{}
		for key, inner := range it {
			out[key] = wholeNumbers(inner)
		}
		return out
	case []interface{}:
		out := make([]interface{}, len(it))
		for at, inner := range it {
			out[at] = wholeNumbers(inner)
		}
		return out
	}
	return value
}

func toYaml(value interface{}) string {
	raw, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	var clean interface{}
	if json.Unmarshal(raw, &clean) != nil {
		return ""
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if encoder.Encode(wholeNumbers(clean)) != nil {
		return ""
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func merge(base, over object) object {
	out := object{}
	for key, value := range base {
		out[key] = value
	}
	for key, value := range over {
		if value == nil {
			delete(out, key)
			continue
		}
		inner, isObject := value.(object)
		before, wasObject := out[key].(object)
		if isObject && wasObject {
			out[key] = merge(before, inner)
		} else {
			out[key] = value
		}
	}
	return out
}

type files map[string]string

func (all files) Get(name string) string { return all[name] }
func (all files) Glob(pattern string) files {
	out := files{}
	for name, text := range all {
		if ok, _ := path.Match(pattern, name); ok {
			out[name] = text
		}
	}
	return out
}
func (all files) AsConfig() string {
	out := object{}
	for name, text := range all {
		out[path.Base(name)] = text
	}
	return toYaml(out)
}

type versions []string

func (all versions) Has(name string) bool {
	for _, one := range all {
		if one == name {
			return true
		}
	}
	return false
}

func functions(root *template.Template) template.FuncMap {
	all := sprig.TxtFuncMap()
	// Helm takes these away: a chart must not read the machine it is rendered on.
	delete(all, "env")
	delete(all, "expandenv")
	all["toYaml"] = toYaml
	all["fromYaml"] = func(text string) object { return parseObject([]byte(text)) }
	all["toJson"] = func(value interface{}) string { raw, _ := json.Marshal(value); return string(raw) }
	all["fromJson"] = func(text string) object {
		out := object{}
		if err := json.Unmarshal([]byte(text), &out); err != nil {
			out["Error"] = err.Error()
		}
		return out
	}
	all["include"] = func(name string, data interface{}) (string, error) {
		var out strings.Builder
		err := root.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	all["tpl"] = func(text string, data interface{}) (string, error) {
		clone, err := root.Clone()
		if err != nil {
			return "", err
		}
		parsed, err := clone.New("tpl").Parse(text)
		if err != nil {
			return "", err
		}
		var out strings.Builder
		err = parsed.Execute(&out, data)
		return out.String(), err
	}
	all["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return nil, errors.New(message)
		}
		return value, nil
	}
	all["fail"] = func(message string) (string, error) { return "", errors.New(message) }
	// `helm template` reaches no cluster.
	all["lookup"] = func(string, string, string, string) (object, error) { return object{}, nil }
	return all
}

func readChart(folder string) (templates, others files, err error) {
	templates, others = files{}, files{}
	err = filepath.Walk(folder, func(name string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		relative, _ := filepath.Rel(folder, name)
		if strings.HasPrefix(relative, "templates/") {
			templates[relative] = string(text)
		} else if relative != "Chart.yaml" && relative != "values.yaml" && relative != "values.schema.json" {
			others[relative] = string(text)
		}
		return err
	})
	return
}

func run(folder, release, namespace string, valueFiles []string) (object, error) {
	templates, others, err := readChart(folder)
	if err != nil {
		return nil, err
	}
	values := object{}
	for _, name := range append([]string{filepath.Join(folder, "values.yaml")}, valueFiles...) {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		parsed, err := parseYaml(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if over, ok := parsed.(object); ok {
			values = merge(values, over)
		}
	}
	chartText, err := os.ReadFile(filepath.Join(folder, "Chart.yaml"))
	if err != nil {
		return nil, err
	}
	chart := object{}
	for key, value := range parseObject(chartText) {
		// Fields of a Go struct there: .Chart.AppVersion for appVersion.
		chart[strings.ToUpper(key[:1])+key[1:]] = value
	}
	name, _ := chart["Name"].(string)

	root := template.New("chart").Option("missingkey=zero")
	root.Funcs(functions(root))
	for file, text := range templates {
		if _, err := root.New(name + "/" + file).Parse(text); err != nil {
			return nil, err
		}
	}
	out := object{}
	for file := range templates {
		if strings.HasPrefix(path.Base(file), "_") {
			continue
		}
		data := object{
			"Values": values, "Chart": chart, "Files": others,
			"Release": object{"Name": release, "Namespace": namespace, "Service": "Helm", "Revision": 1, "IsInstall": true, "IsUpgrade": false},
			"Capabilities": object{
				"KubeVersion": object{"Version": "v1.31.0", "Major": "1", "Minor": "31", "GitVersion": "v1.31.0"},
				"APIVersions": versions{"v1", "apps/v1", "autoscaling/v2", "policy/v1", "networking.k8s.io/v1"},
			},
			"Template": object{"Name": name + "/" + file, "BasePath": name + "/templates"},
		}
		var text strings.Builder
		if err := root.ExecuteTemplate(&text, name+"/"+file, data); err != nil {
			return nil, err
		}
		out[file] = strings.ReplaceAll(text.String(), "<no value>", "")
	}
	return out, nil
}

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: render <chart> <release> <namespace> [values.yaml …]")
		os.Exit(2)
	}
	out, err := run(os.Args[1], os.Args[2], os.Args[3], os.Args[4:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	json.NewEncoder(os.Stdout).Encode(out)
}
