{{- define "orch.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels that never change, for selectors; takes (list $ component). */}}
{{- define "orch.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ default $root.Chart.Name $root.Values.nameOverride | quote }}
app.kubernetes.io/instance: {{ $root.Release.Name | quote }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- define "orch.labels" -}}
{{ include "orch.selector" . }}
app.kubernetes.io/part-of: orch
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
{{- end -}}

{{- define "orch.metadata" -}}
{{- $root := index . 0 -}}
name: {{ include "orch.fullname" $root }}-{{ index . 1 }}
namespace: {{ $root.Release.Namespace | quote }}
labels:
  {{- include "orch.labels" . | nindent 2 }}
{{- end -}}

{{/*
A value as it is written: numbers of a file of values are floating-point ones, which templates write as 1e+06. Nothing for null.
*/}}
{{- define "orch.plain" -}}
{{- if kindIs "string" . }}{{ . }}{{ else if not (kindIs "invalid" .) }}{{ toJson . }}{{ end -}}
{{- end -}}

{{- define "orch.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}{{ .repository }}@{{ .digest }}{{- else -}}{{ .repository }}:{{ default $.Chart.AppVersion .tag }}{{- end -}}
{{- end -}}
{{- end -}}

{{/* Every container of the chart: no root, no writable image, no capability. */}}
{{- define "orch.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* Takes the id of user and group. */}}
{{- define "orch.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ . }}
runAsGroup: {{ . }}
fsGroup: {{ . }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{/*
Takes (list $ component rollsOver): pods of a component apart from each other; those of a Deployment, which rolls over,
apart from those of the same template, so that what is on its way out does not count.
Zones that are only asked for are no constraint beside that of nodes: the scheduler leaves every node out of the reckoning that lacks
the label of one of them, so that pods would be apart from each other on no cluster without zones.
*/}}
{{- define "orch.spread" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $rollsOver := index . 2 -}}
{{- $spread := $root.Values.topologySpread -}}
{{- $zone := "topology.kubernetes.io/zone" -}}
{{- $constraints := dict "kubernetes.io/hostname" $spread.node -}}
{{- if eq (toString $spread.zone) "DoNotSchedule" }}{{ $constraints = set $constraints $zone $spread.zone }}{{ end -}}
topologySpreadConstraints:
  {{- range $key, $when := $constraints }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: {{ $when }}
    {{- if $rollsOver }}
    matchLabelKeys: [pod-template-hash]
    {{- end }}
    labelSelector:
      matchLabels:
        {{- include "orch.selector" (list $root $component) | nindent 8 }}
  {{- end }}
{{- if eq (toString $spread.zone) "ScheduleAnyway" }}
affinity:
  podAntiAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        podAffinityTerm:
          topologyKey: {{ $zone }}
          labelSelector:
            matchLabels:
              {{- include "orch.selector" (list $root $component) | nindent 14 }}
{{- end }}
{{- end -}}

{{/* Of a Service. */}}
{{- define "orch.ipFamilies" -}}
ipFamilyPolicy: {{ ternary "PreferDualStack" "SingleStack" .Values.ipv6 }}
{{- end -}}

{{- define "orch.gracePeriod" -}}
{{- add .Values.shutdown.delaySeconds .Values.shutdown.drainSeconds 10 -}}
{{- end -}}

{{/* Names by which clients and other servers reach a Service; takes (list $ component). */}}
{{- define "orch.serviceHosts" -}}
{{- $root := index . 0 -}}
{{- $service := printf "%s-%s" (include "orch.fullname" $root) (index . 1) -}}
{{- $namespace := $root.Release.Namespace -}}
{{ $service }},{{ $service }}.{{ $namespace }},{{ $service }}.{{ $namespace }}.svc,{{ $service }}.{{ $namespace }}.svc.{{ $root.Values.clusterDomain }}
{{- end -}}

{{/* The Service that clients speak to. */}}
{{- define "orch.entry" -}}
{{- include "orch.fullname" . }}-{{ ternary "load-balancer" "api-server" .Values.loadBalancer.enabled -}}
{{- end -}}

{{/* Where clients reach it, as their kubeconfigs say. */}}
{{- define "orch.publicUrl" -}}
{{- $service := (ternary .Values.loadBalancer .Values.apiServer .Values.loadBalancer.enabled).service -}}
{{- $port := int $service.port -}}
{{- default (printf "https://%s.%s.svc%s" (include "orch.entry" .) .Release.Namespace (ternary "" (printf ":%d" $port) (eq $port 443))) .Values.config.publicUrl -}}
{{- end -}}

{{- define "orch.postgresSecret" -}}
{{- if .Values.postgres.bundled.enabled -}}{{ include "orch.fullname" . }}-postgres{{- else -}}{{ .Values.postgres.urlSecret }}{{- end -}}
{{- end -}}

{{/* Key of the URL by which a component reaches PostgreSQL; takes (list $ component). */}}
{{- define "orch.postgresKey" -}}
{{- $postgres := (index . 0).Values.postgres -}}
{{- $own := ternary $postgres.gatewayUrlKey $postgres.apiServerUrlKey (eq (index . 1) "watch-gateway") -}}
{{- if $postgres.bundled.enabled -}}url{{- else -}}{{ default $postgres.urlKey $own }}{{- end -}}
{{- end -}}

{{/*
Changes with everything that servers read only when they start: the audit policy, and the versions of the objects that values name
(empty for `helm template`, which asks no cluster). Versions and not contents: a sum of a password can be guessed at.
*/}}
{{- define "orch.startChecksum" -}}
{{- $root := . -}}
{{- $secrets := list (include "orch.postgresSecret" .) .Values.nats.urlSecret .Values.auth.tokenSecret .Values.audit.webhook.secret -}}
{{- $secrets = concat $secrets (list .Values.auth.serviceAccountKeySecret .Values.postgres.caSecret) -}}
{{- $maps := list -}}
{{- range .Values.pods.extraEnv -}}
{{- $secrets = append $secrets ((.valueFrom).secretKeyRef).name -}}
{{- $maps = append $maps ((.valueFrom).configMapKeyRef).name -}}
{{- end -}}
{{- range .Values.optionFiles -}}
{{- $secrets = append $secrets .secret -}}
{{- $maps = append $maps .configMap -}}
{{- end -}}
{{- $seen := list .Values.audit.policy -}}
{{- range compact $secrets -}}
{{- $seen = append $seen (lookup "v1" "Secret" $root.Release.Namespace . | dig "metadata" "resourceVersion" "") -}}
{{- end -}}
{{- range compact $maps -}}
{{- $seen = append $seen (lookup "v1" "ConfigMap" $root.Release.Namespace . | dig "metadata" "resourceVersion" "") -}}
{{- end -}}
{{- $seen | toJson | sha256sum -}}
{{- end -}}

{{/* What is recorded of requests, and where. */}}
{{- define "orch.auditArgs" -}}
{{- with .Values.audit }}
{{- if .policy }}
- --audit-policy-file=/etc/orch/audit-policy/policy.yaml
{{- end }}
{{- if .log.enabled }}
- --audit-log-path=-
- --audit-log-mode={{ .log.mode }}
{{- end }}
{{- if .webhook.secret }}
- --audit-webhook-config-file=/etc/orch/audit-webhook/config
- --audit-webhook-mode={{ .webhook.mode }}
{{- end }}
{{- if .postgres.enabled }}
- --audit-postgres
- --audit-postgres-retention={{ .postgres.retention }}
{{- end }}
{{- if and (not .policy) (or .log.enabled .webhook.secret .postgres.enabled) }}
{{- fail "audit.policy is needed: without one nothing is recorded" }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Secret with what a component shows NATS; takes (list $ component). */}}
{{- define "orch.natsAuthSecret" -}}
{{- $auth := (index . 0).Values.nats.auth -}}
{{- if eq (index . 1) "watch-gateway" -}}{{ default $auth.secret $auth.gatewaySecret }}{{- else -}}{{ $auth.secret }}{{- end -}}
{{- end -}}

{{/* Empty where a Secret holds them (nats.urlSecret). */}}
{{- define "orch.natsUrls" -}}
{{- if .Values.nats.urlSecret -}}
{{- else if .Values.nats.urls -}}
{{ join "," .Values.nats.urls }}
{{- else if .Values.nats.bundled.enabled -}}
nats://{{ include "orch.fullname" . }}-nats.{{ .Release.Namespace }}.svc:4222
{{- end -}}
{{- end -}}

{{/* How servers prove who they are at NATS, and what they ask of it; takes (list $ component). */}}
{{- define "orch.natsArgs" -}}
{{- $nats := (index . 0).Values.nats -}}
{{- $apart := and $nats.auth.gatewaySecret (eq (index . 1) "watch-gateway") -}}
{{- if and $nats.auth.gatewaySecret (not $nats.auth.secret) }}
{{- fail "nats.auth.secret is needed beside nats.auth.gatewaySecret: api-servers have an identity, too" }}
{{- end }}
{{- if $nats.auth.secret }}
{{- if eq $nats.auth.by "credentials" }}
- --nats-credentials-file=/etc/orch/nats-auth/user.creds
{{- else if eq $nats.auth.by "token" }}
- --nats-token-file=/etc/orch/nats-auth/token
{{- else }}
- {{ printf "--nats-user=%s" (ternary $nats.auth.gatewayUser $nats.auth.user (not (not $apart))) | quote }}
- --nats-password-file=/etc/orch/nats-auth/password
{{- end }}
{{- end }}
{{- if $nats.tls.secret }}
- --nats-ca-file=/etc/orch/nats-tls/ca.crt
{{- if $nats.tls.clientCertificate }}
- --nats-cert-file=/etc/orch/nats-tls/tls.crt
- --nats-key-file=/etc/orch/nats-tls/tls.key
{{- end }}
{{- end }}
{{- end -}}
