package main

import (
	"context"

	checks "go-checks"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// accountToken reads by a cache that is filled with a token of a service account, and what that has no right to is refused.
func accountToken(ctx context.Context, config *rest.Config, admin client.Client) {
	const name = "robot"
	meta := metav1.ObjectMeta{Name: name, Namespace: namespace}
	account := &corev1.ServiceAccount{ObjectMeta: meta}
	checks.Must(admin.Create(ctx, account))
	asked := &authenticationv1.TokenRequest{}
	checks.Must(admin.SubResource("token").Create(ctx, account, asked))
	own := rest.AnonymousClientConfig(config)
	own.BearerToken = asked.Status.Token
	robot, err := client.New(own, client.Options{Scheme: scheme.Scheme})
	checks.Must(err)
	checks.Require(errors.IsForbidden(robot.List(ctx, &corev1.ConfigMapList{}, client.InNamespace(namespace))))

	rules := []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"list", "watch"}}}
	checks.Must(admin.Create(ctx, &rbacv1.Role{ObjectMeta: meta, Rules: rules}))
	checks.Must(admin.Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: meta,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: name}},
	}))
	checks.Must(admin.Create(ctx, configMap(name, map[string]string{"of": name})))
	checks.Until("its rights hold", func() bool {
		return robot.List(ctx, &corev1.ConfigMapList{}, client.InNamespace(namespace)) == nil
	})
	checks.Require(errors.IsForbidden(robot.List(ctx, &corev1.SecretList{}, client.InNamespace(namespace))))
	checks.Require(errors.IsForbidden(robot.Create(ctx, configMap("of-robot", nil))))
	filled, err := cache.New(own, cache.Options{Scheme: scheme.Scheme, Namespaces: []string{namespace}})
	checks.Must(err)
	go func() { _ = filled.Start(ctx) }()
	checks.Require(filled.WaitForCacheSync(ctx))
	found := &corev1.ConfigMap{}
	checks.Must(filled.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, found))
	checks.Require(found.Data["of"] == name, found.Data)
}
