#!/bin/sh
# Builds the Pulumi CLI that go.mod pins into the folder given.
set -eu

bin=$1
cd "$(dirname "$0")"

if ! command -v go >/dev/null; then
    echo "error: go: not found; the Pulumi CLI is built with Go 1.25 or newer;" \
        "nearest: install Go, or put a pulumi on PATH" >&2
    exit 1
fi

module=github.com/pulumi/pulumi
version=$(go list -m -f '{{.Version}}' "$module/pkg/v3")
echo "setup 2/2: Pulumi CLI $version (once; 3 to 7 minutes on 2 cores, most of it compiling)"
go mod download
echo "           modules are here; compiling about 2000 packages"

mkdir -p "$bin"
log=$bin/build.log
# The SDK refuses a CLI that does not know its own version.
GOBIN=$bin go install -v \
    -ldflags "-s -w -X $module/sdk/v3/go/common/version.Version=$version" tool >"$log" 2>&1 &
builder=$!
while kill -0 $builder 2>/dev/null; do
    # One line that counts for a person; nothing for a log.
    [ -t 1 ] && printf '\r           %5d packages compiled' "$(wc -l <"$log")"
    sleep 2
done
[ -t 1 ] && echo
if ! wait $builder; then
    tail -n 20 "$log" >&2
    exit 1
fi
rm "$log"
