// Reads YAML documents from standard input and decodes each strictly into its Go type of release 1.27: a field that the
// type does not have, one given twice, or a value of another kind is an error. Prints how many there were.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
)

func main() {
	strict := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, json.SerializerOptions{Yaml: true, Strict: true})
	documents := yaml.NewYAMLReader(bufio.NewReader(os.Stdin))
	count, failed := 0, false
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		var content any
		if err := yaml.Unmarshal(document, &content); err == nil && content == nil {
			continue
		}
		count++
		if _, kind, err := strict.Decode(document, nil, nil); err != nil {
			failed = true
			fmt.Fprintln(os.Stderr, kind, err)
		}
	}
	fmt.Println(count)
	if failed {
		os.Exit(1)
	}
}
