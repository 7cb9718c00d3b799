#!/bin/sh
# Builds the Pulumi CLI that go.mod pins into the folder given.
set -eu

bin=$1
cd "$(dirname "$0")"
. ../build.sh

need_go "the Pulumi CLI is" 1.25 "install Go, or put pulumi $(version_of github.com/pulumi/pulumi/pkg/v3) on PATH"
module=github.com/pulumi/pulumi
version=$(version_of "$module/pkg/v3")
echo "setup 2/2: Pulumi CLI $version (once; 3 to 7 minutes on 2 cores, most of it compiling)"
# The SDK refuses a CLI that does not know its own version.
build_tools "$bin" 2000 "-X $module/sdk/v3/go/common/version.Version=$version"
