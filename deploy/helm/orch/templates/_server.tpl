{{/*
The Deployment of api-servers or gateways; takes a dict of root, component, command, values, args (further arguments) and
scaled (whether an autoscaler sets the number).
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
  replicas: {{ $values.replicas }}
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
      {{- if ne $root.Values.pki.mode "certManager" }}
      annotations:
        # Authorities are read at start.
        orch.io/pki: {{ include "orch.pkiSecret" (dict "root" $root "authority" "ca") }}
      {{- end }}
    spec:
      serviceAccountName: {{ include "orch.fullname" $root }}-{{ .component }}
      automountServiceAccountToken: false
      enableServiceLinks: false
      # Shutdown: {{ $root.Values.shutdown.delaySeconds }} s of serving while not ready, {{ $root.Values.shutdown.drainSeconds }} s of draining, and room. No preStop hook is
      # needed: the server itself goes on serving after SIGTERM (--shutdown-delay-duration).
      terminationGracePeriodSeconds: {{ include "orch.gracePeriod" $root }}
      securityContext:
        {{- include "orch.podSecurity" 1000 | nindent 8 }}
      {{- with $root.Values.image.pullSecrets }}
      imagePullSecrets:
        {{- range . }}
        - name: {{ . }}
        {{- end }}
      {{- end }}
      {{- with $values.priorityClassName }}
      priorityClassName: {{ . }}
      {{- end }}
      {{- with $values.nodeSelector }}
      nodeSelector: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $values.tolerations }}
      tolerations: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- include "orch.spread" (list $root .component) | nindent 6 }}
      containers:
        - name: {{ .component }}
          image: {{ include "orch.image" $root }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          args:
            - {{ .command }}
            - --bind-address=0.0.0.0
            - --secure-port=6443
            - --cert-dir=/var/run/orch/pki
            - --advertise-host={{ .hosts }}
            - --naming={{ $config.naming }}
            - --postgres-url=$(POSTGRES_URL)
            {{- with include "orch.natsUrls" $root }}
            - --nats-url={{ . }}
            {{- end }}
            {{- if include "orch.redisSecret" $root }}
            - --redis-url=$(REDIS_URL)
            {{- end }}
            - --history-retention={{ $config.historyRetention }}
            - --watch-cache-bytes={{ $values.watchCacheBytes }}
            - --watch-bookmark-interval={{ $config.watchBookmarkInterval }}
            - --request-timeout={{ $config.requestTimeout }}
            - --min-request-timeout={{ $config.minRequestTimeout }}
            - --max-watch-age={{ $config.maxWatchAge }}
            - --shutdown-delay-duration={{ $root.Values.shutdown.delaySeconds }}s
            - --shutdown-drain-duration={{ $root.Values.shutdown.drainSeconds }}s
            - --logging-format={{ $config.loggingFormat }}
            - --v={{ $config.verbosity }}
            {{- if $root.Values.auth.tokenSecret }}
            - --token-auth-file=/etc/orch/tokens/tokens.csv
            {{- end }}
            {{- if $root.Values.auth.clientCaSecret }}
            - --client-ca-file=/etc/orch/client-ca/ca.crt
            {{- end }}
            {{- range .args }}
            - {{ . }}
            {{- end }}
            {{- range $values.extraArgs }}
            - {{ . | quote }}
            {{- end }}
          env:
            - name: POSTGRES_URL
              valueFrom:
                secretKeyRef:
                  name: {{ include "orch.postgresSecret" $root }}
                  key: {{ ternary "url" $root.Values.postgres.urlKey $root.Values.postgres.bundled.enabled }}
            {{- with include "orch.redisSecret" $root }}
            - name: REDIS_URL
              valueFrom:
                secretKeyRef:
                  name: {{ . }}
                  key: url
            {{- end }}
          ports:
            - name: https
              containerPort: 6443
          startupProbe:
            httpGet: &livez { path: /livez, port: https, scheme: HTTPS }
            # The first server waits for the database and migrates it.
            periodSeconds: 2
            failureThreshold: 90
          livenessProbe:
            httpGet: *livez
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe:
            httpGet: { path: /readyz, port: https, scheme: HTTPS }
            periodSeconds: 2
            timeoutSeconds: 2
            failureThreshold: 2
          resources:
            {{- toYaml $values.resources | nindent 12 }}
          securityContext:
            {{- include "orch.containerSecurity" $root | nindent 12 }}
          volumeMounts:
            # Made at start: this pod's own certificates, signed by the authorities mounted into the folder.
            - name: pki
              mountPath: /var/run/orch/pki
            {{- range tuple "ca" "front-proxy-ca" }}
            {{- $authority := dict "root" $root "authority" . }}
            - name: {{ . }}
              mountPath: /var/run/orch/pki/{{ . }}.crt
              subPath: {{ include "orch.pkiCertKey" $authority }}
              readOnly: true
            - name: {{ . }}
              mountPath: /var/run/orch/pki/{{ . }}.key
              subPath: {{ include "orch.pkiKeyKey" $authority }}
              readOnly: true
            {{- end }}
            {{- if $root.Values.auth.tokenSecret }}
            - name: tokens
              mountPath: /etc/orch/tokens
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
      volumes:
        - name: pki
          emptyDir:
            medium: Memory
            sizeLimit: 1Mi
        {{- range tuple "ca" "front-proxy-ca" }}
        - name: {{ . }}
          secret:
            secretName: {{ include "orch.pkiSecret" (dict "root" $root "authority" .) }}
            defaultMode: 0440
        {{- end }}
        {{- range $name, $secret := dict "tokens" $root.Values.auth.tokenSecret "client-ca" $root.Values.auth.clientCaSecret "postgres-ca" $root.Values.postgres.caSecret }}
        {{- if $secret }}
        - name: {{ $name }}
          secret:
            secretName: {{ $secret }}
            defaultMode: 0440
        {{- end }}
        {{- end }}
{{- end -}}
