// Fills in what the reference makes of manifests of old versions: reads records {"name", "input", "to"}, one a line, and writes
// them with "output". Makes libs/kinds/src/conversions/reference-conversions.jsonl anew, or longer:
//
//	cd tools/reference-conversions
//	go run . < ../../libs/kinds/src/conversions/reference-conversions.jsonl > new.jsonl
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	apiext "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	agg "k8s.io/kube-aggregator/pkg/apis/apiregistration/install"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/authentication/install"
	_ "k8s.io/kubernetes/pkg/apis/authorization/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/events/install"
	_ "k8s.io/kubernetes/pkg/apis/extensions/install"
	_ "k8s.io/kubernetes/pkg/apis/flowcontrol/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
)

type record struct {
	Name   string          `json:"name,omitempty"`
	Input  json.RawMessage `json:"input"`
	To     string          `json:"to"`
	Output json.RawMessage `json:"output,omitempty"`
	Error  string          `json:"error,omitempty"`
}

func main() {
	scheme := legacyscheme.Scheme
	apiext.Install(scheme)
	agg.Install(scheme)
	codecs := serializer.NewCodecFactory(scheme)
	decoder := codecs.UniversalDeserializer()
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 1<<26)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for in.Scan() {
		var r record
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			panic(err)
		}
		body, err := convert(scheme, decoder, r)
		if err != nil {
			r.Error = err.Error()
		} else {
			r.Output = body
		}
		if err := out.Encode(r); err != nil {
			panic(err)
		}
	}
}

func convert(scheme *runtime.Scheme, decoder runtime.Decoder, r record) (json.RawMessage, error) {
	object, _, err := decoder.Decode(r.Input, nil, nil)
	if err != nil {
		return nil, err
	}
	scheme.Default(object)
	gv, err := schema.ParseGroupVersion(r.To)
	if err != nil {
		return nil, err
	}
	kinds, _, err := scheme.ObjectKinds(object)
	if err != nil {
		return nil, err
	}
	hub, err := scheme.UnsafeConvertToVersion(object, schema.GroupVersions{{Group: kinds[0].Group, Version: runtime.APIVersionInternal}, {Group: gv.Group, Version: runtime.APIVersionInternal}})
	if err != nil {
		return nil, fmt.Errorf("to hub: %w", err)
	}
	made, err := scheme.UnsafeConvertToVersion(hub, gv)
	if err != nil {
		return nil, fmt.Errorf("from hub: %w", err)
	}
	return json.Marshal(made)
}
