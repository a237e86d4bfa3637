package main

import (
	"context"
	"reflect"

	checks "go-checks"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	openapi_v3 "github.com/google/gnostic-models/openapiv3"
	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/openapi"
	"k8s.io/client-go/rest"
)

// documents: the binary form of each OpenAPI document holds what its JSON says.
func documents(ctx context.Context, config *rest.Config) {
	client := discovery.NewDiscoveryClientForConfigOrDie(config)
	binary, err := client.OpenAPISchema()
	checks.Must(err)
	json, err := client.RESTClient().Get().AbsPath("/openapi/v2").SetHeader("Accept", runtime.ContentTypeJSON).Do(ctx).Raw()
	checks.Must(err)
	said, err := openapi_v2.ParseDocument(json)
	checks.Must(err)
	requireSame("/openapi/v2", binary, said)

	paths, err := client.OpenAPIV3().Paths()
	checks.Must(err)
	checks.Require(len(paths) > 20, paths)
	for path, document := range paths {
		json, err := document.Schema(runtime.ContentTypeJSON)
		checks.Must(err)
		said, err := openapi_v3.ParseDocument(json)
		checks.Must(err)
		bytes, err := document.Schema(openapi.ContentTypeOpenAPIV3PB)
		checks.Must(err)
		binary := &openapi_v3.Document{}
		checks.Must(proto.Unmarshal(bytes, binary))
		requireSame(path, binary, said)
	}
}

type shown interface{ YAMLValue(comment string) ([]byte, error) }

func requireSame(name string, binary, said shown) {
	checks.Require(reflect.DeepEqual(valueOf(binary), valueOf(said)), name+" is not the same in both forms")
}

func valueOf(document shown) (value any) {
	text, err := document.YAMLValue("")
	checks.Must(err)
	checks.Must(yaml.Unmarshal(text, &value))
	return value
}
