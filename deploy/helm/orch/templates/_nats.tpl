{{- define "orch.natsConfiguration" -}}
{{- $name := include "orch.fullname" . }}
{{- $bundled := .Values.nats.bundled }}
{{- $rereading := "\"$JS.API.INFO\", \"$JS.API.STREAM.INFO.*\", \"$JS.API.CONSUMER.CREATE.*.>\", \"$JS.API.CONSUMER.MSG.NEXT.*.*\", \"$JS.API.CONSUMER.DELETE.*.*\"" }}
{{- $peers := list }}
{{- range until (int $bundled.replicas) }}
{{- $peers = append $peers (printf "nats://%s-nats-%d.%s-nats.%s.svc:6222" $name . $name $.Release.Namespace) }}
{{- end }}
server_name: $POD_NAME
port: 4222
http_port: 8222
# Longer than a pod's grace period allows would only be cut off.
lame_duck_duration: 30s
lame_duck_grace_period: 5s
# Announcements are kept for a minute, in memory.
jetstream { store_dir: /data, max_mem: 256MB }
{{- if and .Values.nats.auth.secret (eq .Values.nats.auth.by "password") }}
{{- if .Values.nats.auth.gatewaySecret }}
# As orchctl nats users prints it.
authorization {
  users: [
    {
      user: {{ .Values.nats.auth.user | quote }}
      password: $NATS_PASSWORD
      permissions: {
        publish: { allow: ["orch.*.changes.*", "$JS.API.STREAM.NAMES", "$JS.API.STREAM.CREATE.*", {{ $rereading }}] }
        subscribe: { allow: ["orch.*.changes.*", "_INBOX.>"] }
      }
    }
    {
      user: {{ .Values.nats.auth.gatewayUser | quote }}
      password: $NATS_GATEWAY_PASSWORD
      permissions: {
        publish: { allow: [{{ $rereading }}] }
        subscribe: { allow: ["orch.*.changes.*", "_INBOX.>"] }
      }
    }
  ]
}
{{- else }}
authorization { user: {{ .Values.nats.auth.user | quote }}, password: $NATS_PASSWORD }
{{- end }}
{{- end }}
{{- if gt (int $bundled.replicas) 1 }}
cluster {
  name: {{ $name }}
  port: 6222
  routes: {{ $peers | toJson }}
}
{{- end }}
{{- end -}}

{{/* Changes with what a bundled NATS reads when it starts: its configuration and the passwords. */}}
{{- define "orch.natsChecksum" -}}
{{- $seen := list (include "orch.natsConfiguration" .) -}}
{{- range compact (list .Values.nats.auth.secret .Values.nats.auth.gatewaySecret) -}}
{{- $seen = append $seen (lookup "v1" "Secret" $.Release.Namespace . | dig "metadata" "resourceVersion" "") -}}
{{- end -}}
{{- $seen | toJson | sha256sum -}}
{{- end -}}
