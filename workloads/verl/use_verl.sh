#!/bin/bash
# use_verl.sh SOURCE TARGET [TAG]: copies verl's package from the bucket to the pod's own disk.
# With TAG once the preparation has put that release there, for which it has PREPARED_S. The
# container that fails then is started again, and its pod shows it.
# `pip install -e` would write verl.egg-info into the bucket from all pods at once, and be lost with
# this init container; the main container sees TARGET alone, and sets PYTHONPATH to it.
set -euo pipefail

if (($# < 2 || $# > 3)); then
  echo "usage: use_verl.sh SOURCE TARGET [TAG]" >&2
  exit 2
fi
source="$1"
target="$2"
prepared_s="${PREPARED_S:-7200}"
if (($# == 3)); then
  until grep -qsF "\"tag\": \"$3\"" "$(dirname -- "$source")/.prepared/code.json"; do
    if ((SECONDS >= prepared_s)); then
      echo "$source: no release $3 in $prepared_s s; does the preparation's Job run?" >&2
      exit 1
    fi
    sleep 2
  done
fi
if [[ ! -f "$source/verl/__init__.py" ]]; then
  echo "$source: no verl/__init__.py in it; has the data been prepared?" >&2
  exit 1
fi

mkdir -p -- "$target"
rm -rf -- "$target/verl" "$target/.verl.part"
# Only the package: trainings keep their checkpoints beside it.
cp -R -- "$source/verl" "$target/.verl.part"
mv -- "$target/.verl.part" "$target/verl"
cd -- "$target"
PYTHONPATH="$PWD" python3 -c '
import os, verl
assert os.path.samefile(verl.__path__[0], "verl"), f"another verl comes first: {verl.__path__[0]}"
print(f"verl {verl.__version__} in {verl.__path__[0]}")'
