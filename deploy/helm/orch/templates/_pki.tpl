{{/*
The Secret of what servers show and believe: tls.crt, tls.key (shown to whoever connects), ca.crt (authority of all of it).
Their identities towards each other and towards other servers lie in it too, but for certManager.
*/}}
{{- define "orch.serversSecret" -}}
{{- if eq .Values.pki.mode "secret" -}}{{ required "pki.secretName is needed with pki.mode=secret" .Values.pki.secretName }}
{{- else -}}{{ include "orch.fullname" . }}-servers
{{- end -}}
{{- end -}}

{{/*
What a server mounts, as sources of a projected volume; takes (list $ component). Never the key of an authority, and for each
direction an identity of its own: gateways too pass requests on to the servers of other APIs, and hand no watches on. By what load
balancers are believed no server has.
*/}}
{{- define "orch.pkiSources" -}}
{{- $root := index . 0 -}}
{{- $apart := eq $root.Values.pki.mode "certManager" -}}
{{- $identities := ternary (list "aggregator" "gateway-client") (list "aggregator") (eq (index . 1) "api-server") -}}
- secret:
    name: {{ include "orch.serversSecret" $root | quote }}
    items:
      {{- range tuple "ca.crt" "tls.crt" "tls.key" }}
      - { key: {{ . }}, path: {{ . }} }
      {{- end }}
      {{- if not $apart }}
      - { key: front-proxy-ca.crt, path: front-proxy-ca.crt }
      {{- end }}
{{- range $identity := $identities }}
      {{- if $apart }}
- secret:
    name: {{ include "orch.fullname" $root }}-{{ $identity }}
    items:
      {{- if eq $identity "aggregator" }}
      - { key: ca.crt, path: front-proxy-ca.crt }
      {{- end }}
      {{- end }}
      - { key: {{ ternary "tls" $identity $apart }}.crt, path: {{ $identity }}.crt }
      - { key: {{ ternary "tls" $identity $apart }}.key, path: {{ $identity }}.key }
{{- end }}
{{- with include "orch.kubeletClient" $root }}
{{- $client := fromJson . }}
- secret:
    name: {{ $client.name | quote }}
    items:
      - { key: {{ $client.key }}.crt, path: kubelet-client.crt }
      - { key: {{ $client.key }}.key, path: kubelet-client.key }
{{- end }}
{{- end -}}

{{/* Common name of the certificate that is made for what follows. */}}
{{- define "orch.kubeletUser" -}}{{ default "apiserver-kubelet-client" .Values.kubelets.clientUser }}{{- end -}}

{{/*
The Secret with what kubelets know servers by, and the names of certificate and key in it, as JSON: {name, key}; empty where they are
shown nothing.
*/}}
{{- define "orch.kubeletClient" -}}
{{- $name := .Values.kubelets.clientSecret -}}
{{- $own := and (not $name) (ne .Values.pki.mode "secret") -}}
{{- if $own -}}
{{- $name = printf "%s-%s" (include "orch.fullname" .) (ternary "kubelet-client" "servers" (eq .Values.pki.mode "certManager")) -}}
{{- end -}}
{{- if $name -}}{{ dict "name" $name "key" (ternary "kubelet-client" "tls" (and $own (eq .Values.pki.mode "generate"))) | toJson }}{{- end -}}
{{- end -}}

{{/* The Secret with what the load balancer shows and is believed by. */}}
{{- define "orch.loadBalancerSecret" -}}
{{- if .Values.loadBalancer.secretName -}}{{ .Values.loadBalancer.secretName }}
{{- else if eq .Values.pki.mode "secret" -}}{{ fail "loadBalancer.secretName is needed with pki.mode=secret" }}
{{- else -}}{{ include "orch.fullname" . }}-load-balancer
{{- end -}}
{{- end -}}

{{/* The Secret with what a scheduler is believed by, and shows to whoever asks for its metrics. */}}
{{- define "orch.schedulerSecret" -}}
{{- if .Values.scheduler.clientSecret -}}{{ .Values.scheduler.clientSecret }}
{{- else if eq .Values.pki.mode "secret" -}}{{ fail "scheduler.clientSecret is needed with pki.mode=secret" }}
{{- else -}}{{ include "orch.fullname" . }}-scheduler
{{- end -}}
{{- end -}}

{{/* DNS names and addresses by which clients and servers reach servers, as JSON: {dns: […], ip: […]}. */}}
{{- define "orch.hosts" -}}
{{- $root := . -}}
{{- $dns := list "localhost" -}}
{{- $ip := list "127.0.0.1" "::1" -}}
{{- range tuple "load-balancer" "api-server" "watch-gateway" -}}
{{- $dns = concat $dns (splitList "," (include "orch.serviceHosts" (list $root .))) -}}
{{- end -}}
{{- range .Values.config.advertiseHosts -}}
{{- if or (regexMatch "^[0-9.]+$" .) (contains ":" .) -}}{{- $ip = append $ip . -}}{{- else -}}{{- $dns = append $dns . -}}{{- end -}}
{{- end -}}
{{- dict "dns" ($dns | uniq) "ip" ($ip | uniq) | toJson -}}
{{- end -}}

{{/* Certificates one behind the other; takes a list of texts, which may lack the line break at their ends. */}}
{{- define "orch.bundle" -}}
{{- range . }}{{ with trim . }}{{ println . }}{{ end }}{{ end -}}
{{- end -}}

{{/*
Changes when generated certificates must; the number counts what the Secrets have been made to hold. Takes (list $ authorities), the
certificates of all that are believed.
*/}}
{{- define "orch.certificateEdition" -}}
{{- $root := index . 0 -}}
{{ now | date "2006" }}-{{ printf "3 %s %s %s %s" (include "orch.hosts" $root) (include "orch.publicUrl" $root) (include "orch.kubeletUser" $root) (index . 1) | sha256sum | trunc 12 }}
{{- end -}}

{{/* What a generated Secret holds as long as its edition is the present one, as JSON; takes (list $ component edition). */}}
{{- define "orch.keptSecret" -}}
{{- $root := index . 0 -}}
{{- $found := lookup "v1" "Secret" $root.Release.Namespace (printf "%s-%s" (include "orch.fullname" $root) (index . 1)) -}}
{{- $kept := and $found (eq (dig "metadata" "annotations" "orch.io/edition" "" $found) (index . 2)) -}}
{{- ternary $found.data dict (not (not $kept)) | toJson -}}
{{- end -}}

{{/* Head of a Secret of generated certificates; takes (list $ component edition). */}}
{{- define "orch.editionSecret" -}}
apiVersion: v1
kind: Secret
metadata:
  {{- include "orch.metadata" . | nindent 2 }}
  annotations:
    orch.io/edition: {{ index . 2 | quote }}
type: Opaque
{{- end -}}

{{/* A kubeconfig of an administrator; takes a dict of root, ca, cert and key (base64). */}}
{{- define "orch.kubeconfig" -}}
{{- $root := .root -}}
apiVersion: v1
kind: Config
clusters:
  - name: orch
    cluster:
      server: {{ include "orch.publicUrl" $root }}
      {{- /* One with a certificate of its own is one that clients know. */}}
      {{- if not $root.Values.loadBalancer.secretName }}
      certificate-authority-data: {{ .ca }}
      {{- end }}
users:
  - name: admin
    user:
      client-certificate-data: {{ .cert }}
      client-key-data: {{ .key }}
contexts:
  - name: orch
    context: { cluster: orch, user: admin }
current-context: orch
{{- end -}}
