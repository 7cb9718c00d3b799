#!/bin/sh
# Builds Pulumi's language host for Python into the folder given, beside the CLI, which looks for it there.
set -eu

bin=$1
cd "$(dirname "$0")"
. ../build.sh

need_go "Pulumi's language host is" 1.25 "install Go, or put pulumi $(version_of github.com/pulumi/pulumi/sdk/v3) on PATH"
module=github.com/pulumi/pulumi/sdk/v3
version=$(version_of "$module")
echo "stack-tools: Pulumi's language host for Python $version (once; 3 to 7 minutes on 2 cores, most of it compiling)"
build_tools "$bin" 2000 "-X $module/go/common/version.Version=$version"
# The host starts a program by this one, which the SDK's module has.
install -m 755 "$(go list -m -f '{{.Dir}}' "$module")/python/cmd/pulumi-language-python-exec" "$bin"
