# Sourced by the build.sh beside a go.mod, in its folder.

# need_go WHAT VERSION NEAREST
need_go() {
    command -v go >/dev/null && return
    echo "error: go: not found; $1 built with Go $2 or newer; nearest: $3" >&2
    exit 1
}

# version_of MODULE
version_of() {
    go list -m -f '{{.Version}}' "$1"
}

# build_tools BIN PACKAGES LDFLAGS: the tools of the go.mod in this folder, of about so many packages.
build_tools() {
    go mod download
    echo "           modules are here; compiling about $2 packages"
    mkdir -p "$1"
    log=$1/build.log
    GOBIN=$1 go install -v -ldflags "-s -w $3" tool >"$log" 2>&1 &
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
}
