package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"

	checks "go-checks"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/cert"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

const painted = "painted"

// painter gives Gadgets that ask for it a color, judges them and knows who asked.
type painter struct {
	mutex sync.Mutex
	users []string
}

func (p *painter) Default(ctx context.Context, object runtime.Object) error {
	request, err := admission.RequestFromContext(ctx)
	if err != nil {
		return err
	}
	p.mutex.Lock()
	p.users = append(p.users, request.UserInfo.Username)
	p.mutex.Unlock()
	gadget := object.(*Gadget)
	if gadget.Spec.Color == "grey" {
		gadget.Spec.Color = "blue"
	}
	metav1.SetMetaDataAnnotation(&gadget.ObjectMeta, painted, string(request.Operation))
	return nil
}

func (p *painter) ValidateCreate(_ context.Context, object runtime.Object) (admission.Warnings, error) {
	gadget := object.(*Gadget)
	if gadget.Spec.Size > 100 {
		return admission.Warnings{"nothing of that size was looked at"}, fmt.Errorf("size %d is too much", gadget.Spec.Size)
	}
	if gadget.Spec.Size > 10 {
		return admission.Warnings{"that is large"}, nil
	}
	return nil, nil
}

func (p *painter) ValidateUpdate(_ context.Context, before, after runtime.Object) (admission.Warnings, error) {
	if old, new := before.(*Gadget).Spec.Size, after.(*Gadget).Spec.Size; new < old {
		why := fmt.Errorf("it shrinks from %d to %d", old, new)
		return nil, errors.NewForbidden(gadgetVersion.WithResource("gadgets").GroupResource(), after.(*Gadget).Name, why)
	}
	return nil, nil
}

func (p *painter) ValidateDelete(_ context.Context, object runtime.Object) (admission.Warnings, error) {
	if object.(*Gadget).Labels["kept"] == "yes" {
		return nil, fmt.Errorf("it is kept")
	}
	return nil, nil
}

// asked is whether each request said whose it was.
func (p *painter) asked() bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, user := range p.users {
		if user == "" {
			return false
		}
	}
	return len(p.users) > 0
}

// heard collects the warnings that a client is told.
type heard struct {
	mutex sync.Mutex
	texts []string
}

func (h *heard) HandleWarningHeader(_ int, _ string, text string) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.texts = append(h.texts, text)
}

func (h *heard) take() []string {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	taken := h.texts
	h.texts = nil
	return taken
}

// ownWebhooks serves a defaulter and a validator by the library's builder, with certificates of its own, and registers them.
func ownWebhooks(ctx context.Context, config *rest.Config, direct client.Client) {
	_, err := envtest.InstallCRDs(config, envtest.CRDInstallOptions{
		CRDs: []*apiextensionsv1.CustomResourceDefinition{gadgetDefinition()},
	})
	checks.Must(err)
	own := managerConfig(config)
	warnings := &heard{}
	own.WarningHandler = warnings
	gadgets, err := client.New(own, client.Options{Scheme: gadgetScheme(), WarningHandler: client.WarningHandlerOptions{SuppressWarnings: true}})
	checks.Must(err)

	server, authority := webhookServer()
	defer os.RemoveAll(server.CertDir)
	mgr, err := ctrl.NewManager(own, ctrl.Options{Scheme: gadgetScheme(), MetricsBindAddress: "0", WebhookServer: webhook.NewServer(server)})
	checks.Must(err)
	hooks := &painter{}
	checks.Must(ctrl.NewWebhookManagedBy(mgr).For(&Gadget{}).WithDefaulter(hooks).WithValidator(hooks).Complete())
	running, stop := context.WithCancel(ctx)
	defer stop()
	ended := start(running, mgr)
	mutating, validating := registrations(server, authority)
	checks.Must(direct.Create(ctx, mutating))
	checks.Must(direct.Create(ctx, validating))
	checks.Until("the webhooks are asked", func() bool {
		probe := gadget("probe", 1000)
		err := gadgets.Create(ctx, probe, client.DryRunAll)
		return err != nil && strings.Contains(err.Error(), "size 1000 is too much")
	})
	warnings.take()
	judged(ctx, gadgets, warnings)

	checks.Restart()
	checks.Until("they are asked after a restart", func() bool {
		err := gadgets.Create(ctx, gadget("huge", 1000))
		return err != nil && strings.Contains(err.Error(), "size 1000 is too much")
	})
	checks.Require(hooks.asked(), hooks.users)
	checks.Must(direct.Delete(ctx, mutating))
	checks.Must(direct.Delete(ctx, validating))
	checks.Until("nobody is asked any more", func() bool { return gadgets.Create(ctx, gadget("huge", 1000)) == nil })
	stop()
	checks.Must(<-ended)
}

// judged is what a client sees of webhooks that are asked about what it writes.
func judged(ctx context.Context, c client.Client, warnings *heard) {
	small := gadget("small", 5)
	checks.Must(c.Create(ctx, small))
	checks.Require(small.Spec.Color == "blue" && small.Annotations[painted] == "CREATE", small)
	checks.Require(len(warnings.take()) == 0)

	checks.Must(c.Create(ctx, gadget("large", 50)))
	told := warnings.take()
	checks.Require(len(told) == 1 && told[0] == "that is large", told)

	err := c.Create(ctx, gadget("huge", 500))
	checks.Require(errors.IsForbidden(err), err)
	checks.Require(err.Error() == `admission webhook "vgadget.example.com" denied the request: size 500 is too much`, err)
	told = warnings.take()
	checks.Require(len(told) == 1 && told[0] == "nothing of that size was looked at", told)

	shrink := client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"size":4}}`))
	err = c.Patch(ctx, gadget("small", 0), shrink)
	checks.Require(errors.IsForbidden(err) && strings.Contains(err.Error(), "it shrinks from 5 to 4"), err)
	small.Spec.Size = 6
	small.Labels = map[string]string{"kept": "yes"}
	checks.Must(c.Update(ctx, small))
	checks.Require(small.Annotations[painted] == "UPDATE" && small.Generation == 2, small)

	dry := gadget("dry", 7)
	checks.Must(c.Create(ctx, dry, client.DryRunAll))
	checks.Require(dry.Spec.Color == "blue", dry)
	checks.Require(errors.IsNotFound(c.Get(ctx, client.ObjectKeyFromObject(dry), dry)))

	err = c.Delete(ctx, small)
	checks.Require(errors.IsForbidden(err) && strings.Contains(err.Error(), "it is kept"), err)
	checks.Must(c.Get(ctx, client.ObjectKeyFromObject(small), small))
	checks.Must(c.Delete(ctx, gadget("large", 0)))
}

// webhookServer is where the webhooks are served, and PEM of who vouches for that.
func webhookServer() (webhook.Options, []byte) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	checks.Must(err)
	port := listener.Addr().(*net.TCPAddr).Port
	checks.Must(listener.Close())
	dir, err := os.MkdirTemp("", "webhooks-")
	checks.Must(err)
	certificate, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", []net.IP{net.ParseIP("127.0.0.1")}, nil)
	checks.Must(err)
	checks.Must(os.WriteFile(filepath.Join(dir, "tls.crt"), certificate, 0o600))
	checks.Must(os.WriteFile(filepath.Join(dir, "tls.key"), key, 0o600))
	return webhook.Options{Host: "127.0.0.1", Port: port, CertDir: dir}, certificate
}

// registrations are the configurations by which they are asked, at the paths that the builder gives them.
func registrations(server webhook.Options, authority []byte) (*admissionv1.MutatingWebhookConfiguration, *admissionv1.ValidatingWebhookConfiguration) {
	none := admissionv1.SideEffectClassNone
	at := func(verb string) admissionv1.WebhookClientConfig {
		url := fmt.Sprintf("https://%s:%d/%s-custom-example-com-v1-gadget", server.Host, server.Port, verb)
		return admissionv1.WebhookClientConfig{URL: &url, CABundle: authority}
	}
	about := func(operations ...admissionv1.OperationType) []admissionv1.RuleWithOperations {
		return []admissionv1.RuleWithOperations{{
			Operations: operations,
			Rule:       admissionv1.Rule{APIGroups: []string{gadgetVersion.Group}, APIVersions: []string{gadgetVersion.Version}, Resources: []string{"gadgets"}},
		}}
	}
	mutating := &admissionv1.MutatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "gadgets"},
		Webhooks: []admissionv1.MutatingWebhook{{
			Name: "mgadget.example.com", ClientConfig: at("mutate"), SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
			Rules: about(admissionv1.Create, admissionv1.Update),
		}},
	}
	validating := &admissionv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "gadgets"},
		Webhooks: []admissionv1.ValidatingWebhook{{
			Name: "vgadget.example.com", ClientConfig: at("validate"), SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
			Rules: about(admissionv1.Create, admissionv1.Update, admissionv1.Delete),
		}},
	}
	return mutating, validating
}
