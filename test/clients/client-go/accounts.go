package main

import (
	"context"

	checks "go-checks"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// accountToken acts with a token of a service account: with the rights that it is given, and no longer than the account is there.
func accountToken(ctx context.Context, config *rest.Config, admin kubernetes.Interface) {
	const name = "robot"
	accounts := admin.CoreV1().ServiceAccounts(namespace)
	meta := metav1.ObjectMeta{Name: name}
	_, err := accounts.Create(ctx, &corev1.ServiceAccount{ObjectMeta: meta}, metav1.CreateOptions{})
	checks.Must(err)
	asked, err := accounts.CreateToken(ctx, name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	checks.Must(err)
	own := rest.AnonymousClientConfig(config)
	own.BearerToken = asked.Status.Token
	robot := kubernetes.NewForConfigOrDie(own)
	maps := robot.CoreV1().ConfigMaps(namespace)
	_, err = maps.List(ctx, metav1.ListOptions{})
	checks.Require(errors.IsForbidden(err), err)

	rules := []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"list", "watch"}}}
	_, err = admin.RbacV1().Roles(namespace).Create(ctx, &rbacv1.Role{ObjectMeta: meta, Rules: rules}, metav1.CreateOptions{})
	checks.Must(err)
	_, err = admin.RbacV1().RoleBindings(namespace).Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: meta,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: name}},
	}, metav1.CreateOptions{})
	checks.Must(err)
	checks.Until("its rights hold", func() bool {
		_, err := maps.List(ctx, metav1.ListOptions{})
		return err == nil
	})
	_, err = robot.CoreV1().Secrets(namespace).List(ctx, metav1.ListOptions{})
	checks.Require(errors.IsForbidden(err), err)
	_, err = maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: meta}, metav1.CreateOptions{})
	checks.Require(errors.IsForbidden(err), err)

	var stream watch.Interface
	checks.Until("it watches, on whichever server", func() bool {
		stream, err = maps.Watch(ctx, metav1.ListOptions{})
		return err == nil
	})
	checks.Must(accounts.Delete(ctx, name, metav1.DeleteOptions{}))
	for event := range stream.ResultChan() {
		if event.Type == watch.Error {
			checks.Require(errors.IsUnauthorized(errors.FromObject(event.Object)), event.Object)
		}
	}
	checks.Until("it is let in no more", func() bool {
		_, err := maps.List(ctx, metav1.ListOptions{})
		return errors.IsUnauthorized(err)
	})
}
