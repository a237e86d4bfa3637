package main

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var gadgetVersion = schema.GroupVersion{Group: "custom.example.com", Version: "v1"}

// GadgetSpec says what is wanted.
type GadgetSpec struct {
	Size int64 `json:"size"`
	// Color is filled in by the schema.
	Color string `json:"color,omitempty"`
}

// GadgetStatus says what was seen.
type GadgetStatus struct {
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	ObservedSize       int64 `json:"observedSize,omitempty"`
}

// Gadget is an object of a kind that the server does not bring.
type Gadget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              GadgetSpec   `json:"spec"`
	Status            GadgetStatus `json:"status,omitempty"`
}

// GadgetList is what a list of them is read into.
type GadgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Gadget `json:"items"`
}

// DeepCopyObject is as controller-gen writes it.
func (g *Gadget) DeepCopyObject() runtime.Object {
	out := *g
	g.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

// DeepCopyObject is as controller-gen writes it.
func (l *GadgetList) DeepCopyObject() runtime.Object {
	out := *l
	l.ListMeta.DeepCopyInto(&out.ListMeta)
	out.Items = make([]Gadget, len(l.Items))
	for index := range l.Items {
		out.Items[index] = *l.Items[index].DeepCopyObject().(*Gadget)
	}
	return &out
}

func gadgetScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypes(gadgetVersion, &Gadget{}, &GadgetList{})
	metav1.AddToGroupVersion(scheme, gadgetVersion)
	return scheme
}

func gadgetDefinition() *apiextensionsv1.CustomResourceDefinition {
	type properties = map[string]apiextensionsv1.JSONSchemaProps
	object := func(of properties) apiextensionsv1.JSONSchemaProps {
		return apiextensionsv1.JSONSchemaProps{Type: "object", Properties: of}
	}
	number := apiextensionsv1.JSONSchemaProps{Type: "integer", Format: "int64"}
	color := apiextensionsv1.JSONSchemaProps{Type: "string", Default: &apiextensionsv1.JSON{Raw: []byte(`"grey"`)}}
	spec := object(properties{"size": number, "color": color})
	spec.Required = []string{"size"}
	spec.XValidations = apiextensionsv1.ValidationRules{{Rule: "self.size >= 0", Message: "no gadget is that small"}}
	status := object(properties{"observedGeneration": number, "observedSize": number})
	schema := object(properties{"spec": spec, "status": status})
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "gadgets." + gadgetVersion.Group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: gadgetVersion.Group,
			Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "gadgets", Singular: "gadget", Kind: "Gadget", ListKind: "GadgetList"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name:         gadgetVersion.Version,
				Served:       true,
				Storage:      true,
				Schema:       &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &schema},
				Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
			}},
		},
	}
}
