#!/bin/sh
# Builds the evaluator of network policies that go.mod pins into the folder given.
set -eu

bin=$1
cd "$(dirname "$0")"
. ../build.sh

need_go "the evaluator of network policies is" 1.26 "install Go, or run make test alone"
version=$(version_of github.com/np-guard/netpol-analyzer)
echo "setup: netpol-analyzer $version (once; 1 to 2 minutes on 2 cores)"
build_tools "$bin" 670 ""
