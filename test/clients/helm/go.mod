module helm-tools

go 1.26.0

tool (
	helm.sh/helm/v3/cmd/helm
	helm.sh/helm/v4/cmd/helm
)

require (
	helm.sh/helm/v3 v3.22.0 // indirect
	helm.sh/helm/v4 v4.3.2 // indirect
)
