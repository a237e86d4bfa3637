// Reads documents of YAML as Kubernetes does: from standard input one JSON text a line, to standard output one line
// each, the document as JSON or {"refused": why}.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"sigs.k8s.io/yaml"
)

const maxLine = 16 << 20

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var text string
		if err := json.Unmarshal(lines.Bytes(), &text); err != nil {
			log.Fatal(err)
		}
		fmt.Println(string(answer(text)))
	}
	if err := lines.Err(); err != nil {
		log.Fatal(err)
	}
}

func answer(text string) []byte {
	document, err := yaml.YAMLToJSON([]byte(text))
	if err == nil {
		return document
	}
	refusal, err := json.Marshal(map[string]string{"refused": err.Error()})
	if err != nil {
		log.Fatal(err)
	}
	return refusal
}
