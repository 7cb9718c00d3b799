#!/bin/sh
# Builds the Cloud Storage FUSE that go.mod pins into the folder given.
set -eu

bin=$1
cd "$(dirname "$0")"
. ../build.sh

need_go "Cloud Storage FUSE is" 1.26 "install Go, or run make test alone"
module=github.com/googlecloudplatform/gcsfuse/v3
version=$(version_of $module)
echo "setup: Cloud Storage FUSE $version (once; 1 to 2 minutes on 2 cores)"
build_tools "$bin" 850 "-X $module/common.gcsfuseVersion=${version#v}"
