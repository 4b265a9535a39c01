// Files of deploy/ that npm run docs copies into the Helm chart, because a chart reads nothing outside its folder: from → to.
export const CHART_FILES = {
  'deploy/prometheus/alerts.yml': 'deploy/helm/landbridge/files/alerts.yml',
  'deploy/grafana/landbridge.json': 'deploy/helm/landbridge/files/landbridge.json',
} as const;
