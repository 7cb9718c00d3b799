#!/bin/sh
# Builds what a simulated cluster's control plane runs, as the go.mod files here pin it, into the
# first folder given, and copies the operators' manifests and GKE's of the same versions into the second.
set -eu

bin=$1
manifests=$2
cd "$(dirname "$0")"
. ../build.sh

need_go "the control plane is" 1.26 "install Go, or leave --kube real out"

# build STEP MODULE PACKAGES LDFLAGS
build() {
    echo "kube-tools $1/5: $2 $(version_of "$2")"
    build_tools "$bin" "$3" "$4"
}

# manifests_of NAME MODULE FOLDER...: these folders of the module.
manifests_of() {
    to=$manifests/$1
    from=$(go list -m -f '{{.Dir}}' "$2")
    shift 2
    rm -rf "$to"
    mkdir -p "$to"
    for folder; do
        cp -R "$from/$folder" "$to"
    done
    # The module cache is read-only.
    chmod -R u+w "$to"
}

echo "kube-tools: once; 7 to 14 minutes on 2 cores, most of it compiling"
cd kubernetes
version=$(version_of k8s.io/kubernetes)
minor=${version#v1.}
at=k8s.io/component-base/version
build 1 k8s.io/kubernetes 2200 \
    "-X $at.gitVersion=$version -X $at.gitMajor=1 -X $at.gitMinor=${minor%%.*}"
# Go names a program after its package, and that of etcd is `server`.
mv "$bin/server" "$bin/etcd"

cd ../kueue
module=sigs.k8s.io/kueue
build 2 $module 1500 "-X $module/pkg/version.GitVersion=$(version_of $module)"
manifests_of kueue $module config/components/crd config/components/rbac config/components/webhook

cd ../kuberay
module=github.com/ray-project/kuberay/ray-operator
build 3 $module 600 ""
manifests_of kuberay $module config/crd config/rbac

# The versions of its modules are those of Kueue, so little is left to compile.
cd ../jobset
module=sigs.k8s.io/jobset
build 4 $module 740 "-X $module/pkg/version.GitVersion=$(version_of $module)"
manifests_of jobset $module charts/jobset/crds config/components/rbac config/components/webhook

# Nothing of it is built: only its definitions are wanted.
cd ../networking
module=github.com/GoogleCloudPlatform/gke-networking-api
go mod download $module
manifests_of networking $module config/crds

cd ../kwok
build 5 sigs.k8s.io/kwok 700 ""
