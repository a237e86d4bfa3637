{{/*
The Deployment of api-servers or gateways; takes a dict of root, component (which is the command too), values, args (further
arguments) and scaled (whether an autoscaler sets the number).
*/}}
{{- define "orch.server" -}}
{{- $root := .root -}}
{{- $values := .values -}}
{{- $config := $root.Values.config -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "orch.metadata" (list $root .component) | nindent 2 }}
spec:
  {{- if not .scaled }}
  replicas: {{ include "orch.plain" $values.replicas }}
  {{- end }}
  revisionHistoryLimit: 5
  selector:
    matchLabels:
      {{- include "orch.selector" (list $root .component) | nindent 6 }}
  strategy:
    type: RollingUpdate
    rollingUpdate:
      # One more first, then one less: the tier never has less than it was given.
      maxSurge: 1
      maxUnavailable: 0
  template:
    metadata:
      labels:
        {{- include "orch.labels" (list $root .component) | nindent 8 }}
      annotations:
        # Of what is read when a pod starts, and only then.
        checksum/start: {{ include "orch.startChecksum" $root }}
        {{- with $root.Values.pods.annotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      serviceAccountName: {{ include "orch.fullname" $root }}-{{ .component }}
      automountServiceAccountToken: false
      enableServiceLinks: false
      # Shutdown: {{ include "orch.plain" $root.Values.shutdown.delaySeconds }} s of serving while not ready, {{ include "orch.plain" $root.Values.shutdown.drainSeconds }} s of draining, and room. No preStop hook is
      # needed: the server itself goes on serving after SIGTERM (--shutdown-delay-duration).
      terminationGracePeriodSeconds: {{ include "orch.gracePeriod" $root }}
      securityContext:
        {{- include "orch.podSecurity" 1000 | nindent 8 }}
      {{- with $root.Values.image.pullSecrets }}
      imagePullSecrets:
        {{- range . }}
        - name: {{ . | quote }}
        {{- end }}
      {{- end }}
      {{- with $values.priorityClassName }}
      priorityClassName: {{ . | quote }}
      {{- end }}
      {{- with $values.nodeSelector }}
      nodeSelector: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $values.tolerations }}
      tolerations: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- include "orch.spread" (list $root .component true) | nindent 6 }}
      containers:
        - name: {{ .component }}
          image: {{ include "orch.image" $root | quote }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          args:
            - {{ .component }}
            - {{ printf "--bind-address=%s" (ternary "::" "0.0.0.0" $root.Values.ipv6) | quote }}
            - --secure-port=6443
            - --tls-cert-file=/etc/orch/pki/tls.crt
            - --tls-private-key-file=/etc/orch/pki/tls.key
            - --tls-ca-file=/etc/orch/pki/ca.crt
            - --client-ca-file=/etc/orch/pki/ca.crt{{ if $root.Values.auth.clientCaSecret }},/etc/orch/client-ca/ca.crt{{ end }}
            - --requestheader-client-ca-file=/etc/orch/pki/front-proxy-ca.crt
            - --proxy-client-cert-file=/etc/orch/pki/aggregator.crt
            - --proxy-client-key-file=/etc/orch/pki/aggregator.key
            {{- if eq .component "api-server" }}
            - --gateway-client-cert-file=/etc/orch/pki/gateway-client.crt
            - --gateway-client-key-file=/etc/orch/pki/gateway-client.key
            {{- end }}
            {{- if include "orch.kubeletClient" $root }}
            - --kubelet-client-certificate=/etc/orch/pki/kubelet-client.crt
            - --kubelet-client-key=/etc/orch/pki/kubelet-client.key
            {{- end }}
            - --naming={{ $config.naming }}
            {{- with include "orch.natsUrls" $root }}
            - {{ printf "--nats-url=%s" . | quote }}
            {{- end }}
            {{- include "orch.natsArgs" (list $root .component) | nindent 12 }}
            {{- if $root.Values.postgres.migratorUrlKey }}
            - --migrate=false
            {{- end }}
            {{- with include "orch.auditArgs" $root }}
            {{- . | nindent 12 }}
            {{- end }}
            - --history-retention={{ $config.historyRetention }}
            - --watch-cache-bytes={{ include "orch.plain" $values.watchCacheBytes }}
            - --watch-bookmark-interval={{ $config.watchBookmarkInterval }}
            - --request-timeout={{ $config.requestTimeout }}
            - --min-request-timeout={{ include "orch.plain" $config.minRequestTimeout }}
            - --max-watch-age={{ $config.maxWatchAge }}
            - --shutdown-delay-duration={{ include "orch.plain" $root.Values.shutdown.delaySeconds }}s
            - --shutdown-drain-duration={{ include "orch.plain" $root.Values.shutdown.drainSeconds }}s
            - --logging-format={{ $config.loggingFormat }}
            - --v={{ include "orch.plain" $config.verbosity }}
            {{- if and (eq $root.Values.pki.mode "generate") (eq .component "api-server") }}
            # Helm signs no groups: the administrator's certificate says the user alone.
            - --cluster-admin-users=admin
            {{- end }}
            {{- if and (eq .component "api-server") (include "orch.kubeletClient" $root) }}
            {{- with $root.Values.kubelets.clientUser }}
            - {{ printf "--kubelet-client-users=%s" . | quote }}
            {{- end }}
            {{- end }}
            {{- if $root.Values.auth.tokenSecret }}
            - --token-auth-file=/etc/orch/tokens/tokens.csv
            {{- end }}
            {{- if $root.Values.auth.serviceAccountKeySecret }}
            - --service-account-key-file=/etc/orch/service-accounts/sa.pub
            {{- if eq .component "api-server" }}
            - --service-account-signing-key-file=/etc/orch/service-accounts/sa.key
            {{- end }}
            {{- end }}
            {{- if $root.Values.auth.clusterSigningSecret }}
            - --cluster-signing-cert-file=/etc/orch/cluster-signing/tls.crt
            {{- if eq .component "api-server" }}
            - --cluster-signing-key-file=/etc/orch/cluster-signing/tls.key
            {{- end }}
            {{- end }}
            {{- range .args }}
            - {{ . }}
            {{- end }}
            {{- range $name, $value := $root.Values.options }}
            - {{ printf "--%s=%s" $name (include "orch.plain" $value) | quote }}
            {{- end }}
            {{- range $name, $file := $root.Values.optionFiles }}
            - {{ printf "--%s=/etc/orch/files/%s/%s" $name $name $file.key | quote }}
            {{- end }}
            {{- range $values.extraArgs }}
            - {{ . | quote }}
            {{- end }}
          # What is secret comes this way: command lines can be read by whoever sees the processes.
          env:
            - name: ORCH_POSTGRES_URL
              valueFrom:
                secretKeyRef:
                  name: {{ include "orch.postgresSecret" $root | quote }}
                  key: {{ include "orch.postgresKey" (list $root .component) | quote }}
            {{- with $root.Values.nats.urlSecret }}
            - name: ORCH_NATS_URL
              valueFrom:
                secretKeyRef:
                  name: {{ . | quote }}
                  key: url
            {{- end }}
            {{- with $root.Values.pods.extraEnv }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
          ports:
            - name: https
              containerPort: 6443
          startupProbe:
            httpGet: &livez { path: /livez, port: https, scheme: HTTPS }
            # The first server waits for the database and migrates it.
            periodSeconds: 2
            failureThreshold: {{ div $root.Values.startup.seconds 2 }}
          livenessProbe:
            httpGet: *livez
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe:
            httpGet: { path: "/readyz?exclude=kms-providers", port: https, scheme: HTTPS }
            periodSeconds: 2
            timeoutSeconds: 2
            failureThreshold: 2
          resources:
            {{- toYaml $values.resources | nindent 12 }}
          securityContext:
            {{- include "orch.containerSecurity" $root | nindent 12 }}
          volumeMounts:
            # A folder and not files of it: renewed certificates arrive in it, and are taken without a restart.
            - name: pki
              mountPath: /etc/orch/pki
              readOnly: true
            {{- if include "orch.natsAuthSecret" (list $root .component) }}
            - name: nats-auth
              mountPath: /etc/orch/nats-auth
              readOnly: true
            {{- end }}
            {{- if $root.Values.audit.policy }}
            - name: audit-policy
              mountPath: /etc/orch/audit-policy
              readOnly: true
            {{- end }}
            {{- if $root.Values.audit.webhook.secret }}
            - name: audit-webhook
              mountPath: /etc/orch/audit-webhook
              readOnly: true
            {{- end }}
            {{- if $root.Values.nats.tls.secret }}
            - name: nats-tls
              mountPath: /etc/orch/nats-tls
              readOnly: true
            {{- end }}
            {{- if $root.Values.auth.tokenSecret }}
            - name: tokens
              mountPath: /etc/orch/tokens
              readOnly: true
            {{- end }}
            {{- if $root.Values.auth.serviceAccountKeySecret }}
            - name: service-accounts
              mountPath: /etc/orch/service-accounts
              readOnly: true
            {{- end }}
            {{- if $root.Values.auth.clusterSigningSecret }}
            - name: cluster-signing
              mountPath: /etc/orch/cluster-signing
              readOnly: true
            {{- end }}
            {{- if $root.Values.auth.clientCaSecret }}
            - name: client-ca
              mountPath: /etc/orch/client-ca
              readOnly: true
            {{- end }}
            {{- if $root.Values.postgres.caSecret }}
            - name: postgres-ca
              mountPath: /etc/orch/postgres-ca
              readOnly: true
            {{- end }}
            {{- range $name, $file := $root.Values.optionFiles }}
            - name: {{ include "orch.fileVolume" $name }}
              mountPath: /etc/orch/files/{{ $name }}
              readOnly: true
            {{- end }}
            {{- with $root.Values.pods.extraVolumeMounts }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
        {{- with $root.Values.pods.sidecars }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      volumes:
        - name: pki
          projected:
            defaultMode: 0440
            sources:
              {{- include "orch.pkiSources" (list $root .component) | nindent 14 }}
        {{- if $root.Values.audit.policy }}
        - name: audit-policy
          configMap:
            name: {{ include "orch.fullname" $root }}-audit
        {{- end }}
        {{- with $root.Values.auth.serviceAccountKeySecret }}
        - name: service-accounts
          secret:
            secretName: {{ . | quote }}
            defaultMode: 0440
            items:
              - { key: sa.pub, path: sa.pub }
              {{- if eq $.component "api-server" }}
              # Gateways judge tokens and issue none.
              - { key: sa.key, path: sa.key }
              {{- end }}
        {{- end }}
        {{- with $root.Values.auth.clusterSigningSecret }}
        - name: cluster-signing
          secret:
            secretName: {{ . | quote }}
            defaultMode: 0440
            items:
              - { key: tls.crt, path: tls.crt }
              {{- if eq $.component "api-server" }}
              # Gateways believe what is signed and sign nothing.
              - { key: tls.key, path: tls.key }
              {{- end }}
        {{- end }}
        {{- range $name, $secret := dict "tokens" $root.Values.auth.tokenSecret "client-ca" $root.Values.auth.clientCaSecret "postgres-ca" $root.Values.postgres.caSecret "nats-auth" (include "orch.natsAuthSecret" (list $root .component)) "nats-tls" $root.Values.nats.tls.secret "audit-webhook" $root.Values.audit.webhook.secret }}
        {{- if $secret }}
        - name: {{ $name }}
          secret:
            secretName: {{ $secret | quote }}
            defaultMode: 0440
        {{- end }}
        {{- end }}
        {{- range $name, $file := $root.Values.optionFiles }}
        - name: {{ include "orch.fileVolume" $name }}
          {{- if $file.configMap }}
          configMap:
            name: {{ $file.configMap | quote }}
          {{- else }}
          secret:
            secretName: {{ $file.secret | quote }}
            defaultMode: 0440
          {{- end }}
        {{- end }}
        {{- with $root.Values.pods.extraVolumes }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
{{- end -}}

{{/* Name of the volume of an option's file: at most 63 characters, as names of volumes are. */}}
{{- define "orch.fileVolume" -}}
{{- printf "file-%s" . | trunc 52 | trimSuffix "-" }}-{{ sha256sum . | trunc 8 }}
{{- end -}}
