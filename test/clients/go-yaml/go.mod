module go-yaml

go 1.20

require sigs.k8s.io/yaml v1.3.0

require gopkg.in/yaml.v2 v2.4.0 // indirect
