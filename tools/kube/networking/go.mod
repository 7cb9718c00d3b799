module gke-ai-stacks/tools/kube/networking

go 1.24.0

require github.com/GoogleCloudPlatform/gke-networking-api v0.2.11 // indirect
