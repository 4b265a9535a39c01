{{/* Names, labels and landbridge.yaml. */}}
{{- define "landbridge.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "landbridge.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "landbridge.selectorLabels" -}}
app.kubernetes.io/name: {{ include "landbridge.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "landbridge.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "landbridge.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "landbridge.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "landbridge.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "landbridge.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{/* More than one replica, now or under load. */}}
{{- define "landbridge.isMany" -}}
{{- if .Values.autoscaling.enabled -}}
{{- if gt (int .Values.autoscaling.maxReplicas) 1 -}}true{{- end -}}
{{- else -}}
{{- if gt (int .Values.replicaCount) 1 -}}true{{- end -}}
{{- end -}}
{{- end -}}

{{/* What cannot work is said here, before anything is installed. */}}
{{- define "landbridge.check" -}}
{{- $config := .Values.config -}}
{{- if not (or .Values.apiKeys.existingSecret $config.auth $config.allowUnauthenticated (dig "tls" "clientCa" "" $config)) -}}
{{- fail "Who may call? Name a Secret with keys (apiKeys.existingSecret), write config.auth, or, where something else keeps strangers away, config.allowUnauthenticated: true." -}}
{{- end -}}
{{- if and (include "landbridge.isMany" .) (not (or .Values.secret.existingSecret $config.secret)) -}}
{{- fail "Replicas refuse each other's confirmations and sessions unless they share a secret: kubectl create secret generic landbridge --from-literal=secret=\"$(openssl rand -hex 32)\", then secret.existingSecret: landbridge. Or replicaCount: 1." -}}
{{- end -}}
{{- if and .Values.autoscaling.enabled (gt (int .Values.autoscaling.minReplicas) (int .Values.autoscaling.maxReplicas)) -}}
{{- fail "autoscaling.minReplicas is more than autoscaling.maxReplicas." -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.hosts) -}}
{{- fail "ingress has no host: write ingress.hosts: [{ host: mcp.example.com, paths: [{ path: /, pathType: Prefix }] }]." -}}
{{- end -}}
{{- if and .Values.serviceMonitor.enabled (not .Values.admin.enabled) -}}
{{- fail "serviceMonitor needs the metrics of the admin listener: admin.enabled: true." -}}
{{- end -}}
{{- end -}}

{{/* landbridge.yaml: `config`, and what follows from the other values where it is silent. */}}
{{- define "landbridge.config" -}}
{{- $name := include "landbridge.fullname" . -}}
{{- $hosts := list $name (printf "%s.%s" $name .Release.Namespace) (printf "%s.%s.svc" $name .Release.Namespace) (printf "%s.%s.svc.cluster.local" $name .Release.Namespace) -}}
{{- if .Values.ingress.enabled -}}
{{- range .Values.ingress.hosts -}}{{- if .host -}}{{- $hosts = append $hosts .host -}}{{- end -}}{{- end -}}
{{- end -}}
{{- $own := dict "drainSeconds" (int .Values.drainSeconds) "graceSeconds" (int .Values.graceSeconds) "allowedHosts" $hosts -}}
{{- if not (or .Values.domains .Values.openapi) -}}
{{- $_ := set $own "domains" (list "/app/domains/tasks.yaml") -}}
{{- else if not .Values.domains -}}
{{- $documents := list -}}
{{- range $file, $_ := .Values.openapi -}}{{- $documents = append $documents (printf "./openapi/%s" $file) -}}{{- end -}}
{{- $_ := set $own "domains" $documents -}}
{{- end -}}
{{- if .Values.admin.enabled -}}
{{- $admin := dict "host" "0.0.0.0" "port" (int .Values.admin.port) -}}
{{- if .Values.admin.tokenSecret -}}
{{- $_ := set $admin "token" (dict "file" "/run/secrets/landbridge-admin/token") -}}
{{- else -}}
{{- $_ := set $admin "allowAnyone" true -}}
{{- end -}}
{{- $_ := set $own "admin" $admin -}}
{{- end -}}
{{- if .Values.secret.existingSecret -}}
{{- $_ := set $own "secret" (dict "file" (printf "/run/secrets/landbridge-secret/%s" .Values.secret.key)) -}}
{{- end -}}
{{- if .Values.audit.existingClaim -}}
{{- $audit := dict "file" "/var/lib/landbridge/audit-%h.jsonl" -}}
{{- if .Values.audit.keySecret -}}
{{- $_ := set $audit "keyFile" "/run/secrets/landbridge-audit/audit-key.pem" -}}
{{- else -}}
{{- $_ := set $audit "keyFile" "/var/lib/landbridge/audit-key.pem" -}}
{{- end -}}
{{- $_ := set $own "audit" $audit -}}
{{- end -}}
{{- toYaml (mergeOverwrite $own (deepCopy .Values.config)) -}}
{{- end -}}

{{/* A file of domains or openapi: text as it is, anything else as YAML. */}}
{{- define "landbridge.file" -}}
{{- if kindIs "string" . -}}{{- . -}}{{- else -}}{{- toYaml . -}}{{- end -}}
{{- end -}}

{{/* How the gateway is asked by the kubelet. */}}
{{- define "landbridge.scheme" -}}
{{- if .Values.config.tls -}}HTTPS{{- else -}}HTTP{{- end -}}
{{- end -}}
