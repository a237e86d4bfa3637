// Answers rules as release 1.27 does. The first line of the input is {"schema", "selves"}, each other one {"rule", "self", "old"}, with
// places in selves; a line is written for each rule: what it can cost at most, what it did cost there, and its value or what is wrong.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// What one call may cost in release 1.27.
const perCallLimit = 1000000

// An environment is made for each list of rules, which takes longer than the rules do.
const rulesAtOnce = 500

type subject struct {
	Schema json.RawMessage   `json:"schema"`
	Selves []json.RawMessage `json:"selves"`
}

type question struct {
	Rule string `json:"rule"`
	Self int    `json:"self"`
	Old  int    `json:"old"`
}

type answer struct {
	Error   string  `json:"error,omitempty"`
	MaxCost string  `json:"maxCost,omitempty"`
	Cost    *uint64 `json:"cost,omitempty"`
	Failure string  `json:"failure,omitempty"`
	Value   *bool   `json:"value,omitempty"`
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 1<<26)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	in.Scan()
	var about subject
	must(json.Unmarshal(in.Bytes(), &about))
	structural := read(about.Schema)
	selves := make([]interface{}, len(about.Selves))
	for i, text := range about.Selves {
		must(utiljson.Unmarshal(text, &selves[i]))
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for more := true; more; {
		var asked []question
		for len(asked) < rulesAtOnce {
			if more = in.Scan(); !more {
				break
			}
			var next question
			must(json.Unmarshal(in.Bytes(), &next))
			asked = append(asked, next)
		}
		for _, each := range answers(structural, selves, asked) {
			must(encoder.Encode(each))
		}
	}
	must(in.Err())
}

func read(text json.RawMessage) *schema.Structural {
	var external v1.JSONSchemaProps
	must(json.Unmarshal(text, &external))
	var internal apiextensions.JSONSchemaProps
	must(v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&external, &internal, nil))
	structural, err := schema.NewStructural(&internal)
	must(err)
	return structural
}

func answers(structural *schema.Structural, selves []interface{}, asked []question) []answer {
	if len(asked) == 0 {
		return nil
	}
	ruled := *structural
	for _, each := range asked {
		ruled.XValidations = append(ruled.XValidations, v1.ValidationRule{Rule: each.Rule})
	}
	compiled, err := cel.Compile(&ruled, model.SchemaDeclType(&ruled, false), perCallLimit)
	must(err)
	made := make([]answer, len(asked))
	for i, result := range compiled {
		made[i] = answerOf(result, map[string]interface{}{
			"self":    cel.UnstructuredToVal(selves[asked[i].Self], structural),
			"oldSelf": cel.UnstructuredToVal(selves[asked[i].Old], structural),
		})
	}
	return made
}

func answerOf(result cel.CompilationResult, variables map[string]interface{}) (made answer) {
	defer func() {
		if r := recover(); r != nil {
			made.Failure = fmt.Sprint("panic: ", r)
		}
	}()
	if result.Error != nil {
		made.Error = result.Error.Detail
		return made
	}
	made.MaxCost = fmt.Sprint(result.MaxCost)
	value, details, err := result.Program.Eval(variables)
	if details != nil {
		made.Cost = details.ActualCost()
	}
	if err != nil {
		made.Failure = err.Error()
		return made
	}
	held, _ := value.Value().(bool)
	made.Value = &held
	return made
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
