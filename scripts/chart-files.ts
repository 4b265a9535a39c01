// Files of deploy/ that the Helm chart has copies of: a chart reads nothing outside of its folder. By path, from → to.
export const CHART_FILES = {
  'deploy/prometheus/alerts.yml': 'deploy/helm/landbridge/files/alerts.yml',
  'deploy/grafana/landbridge.json': 'deploy/helm/landbridge/files/landbridge.json',
} as const;
