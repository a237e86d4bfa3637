{{/* Where an authority ("ca", "front-proxy-ca") lies; these take a dict of root and authority. */}}
{{- define "orch.pkiSecret" -}}
{{- $name := include "orch.fullname" .root -}}
{{- if eq .root.Values.pki.mode "certManager" -}}{{ $name }}-{{ .authority }}
{{- else if eq .root.Values.pki.mode "secret" -}}{{ required "pki.secretName is needed with pki.mode=secret" .root.Values.pki.secretName }}
{{- else -}}{{ $name }}-pki
{{- end -}}
{{- end -}}

{{- define "orch.pkiCertKey" -}}
{{- if eq .root.Values.pki.mode "certManager" -}}tls.crt{{- else -}}{{ .authority }}.crt{{- end -}}
{{- end -}}

{{- define "orch.pkiKeyKey" -}}
{{- if eq .root.Values.pki.mode "certManager" -}}tls.key{{- else -}}{{ .authority }}.key{{- end -}}
{{- end -}}

{{/* The Secret with what the load balancer shows and is believed by. */}}
{{- define "orch.loadBalancerSecret" -}}
{{- if .Values.loadBalancer.secretName -}}{{ .Values.loadBalancer.secretName }}
{{- else if eq .Values.pki.mode "secret" -}}{{ fail "loadBalancer.secretName is needed with pki.mode=secret" }}
{{- else -}}{{ include "orch.fullname" . }}-load-balancer
{{- end -}}
{{- end -}}

{{/* DNS names and addresses by which clients reach the load balancer, as JSON: {dns: […], ip: […]}. */}}
{{- define "orch.clientHosts" -}}
{{- $dns := append (splitList "," (include "orch.serviceHosts" (list . "load-balancer"))) "localhost" -}}
{{- $ip := list "127.0.0.1" -}}
{{- range .Values.config.advertiseHosts -}}
{{- if or (regexMatch "^[0-9.]+$" .) (contains ":" .) -}}{{- $ip = append $ip . -}}{{- else -}}{{- $dns = append $dns . -}}{{- end -}}
{{- end -}}
{{- dict "dns" ($dns | uniq) "ip" ($ip | uniq) | toJson -}}
{{- end -}}

{{/* Changes when the load balancer's generated certificate must. */}}
{{- define "orch.certificateEdition" -}}
{{ now | date "2006" }}-{{ include "orch.clientHosts" . | sha256sum | trunc 12 }}
{{- end -}}
