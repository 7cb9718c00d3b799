#!/bin/bash
# Runs a NeMo RL GRPO training as a Ray job, on the head of the Ray cluster.
#
# Arguments are key=value pairs. `recipe` names the base config inside the image; `mkdir` (a list
# separated by colons) names directories that must exist first; `fetch` names a model on Hugging Face
# that is brought into HF_HOME first, once, before every process asks for it; every other pair goes to
# NeMo RL as an override of that config. With DRY_RUN=1 no directory is made, nothing is fetched, and
# the command is printed, not run.
set -euo pipefail

recipe=""
model=""
overrides=()
for pair in "$@"; do
  case "$pair" in
    recipe=*) recipe="${pair#recipe=}" ;;
    fetch=*) model="${pair#fetch=}" ;;
    mkdir=*)
      IFS=':' read -r -a directories <<<"${pair#mkdir=}"
      [[ "${DRY_RUN:-}" == 1 ]] || mkdir -p -- "${directories[@]}"
      ;;
    *=*) overrides+=("$pair") ;;
    *)
      echo "not a key=value pair: $pair" >&2
      exit 2
      ;;
  esac
done
if [[ -z "$recipe" ]]; then
  echo "no recipe given (recipe=examples/configs/NAME.yaml)" >&2
  exit 2
fi

# NeMo RL hands its whole environment to ray.init as a runtime environment, and this job has one
# already; without this, Ray refuses the second.
export RAY_OVERRIDE_JOB_RUNTIME_ENV=1

command=(uv run python examples/run_grpo_math.py --config "$recipe" "${overrides[@]}")
if [[ "${DRY_RUN:-}" == 1 ]]; then
  printf '%q ' "${command[@]}"
  echo
  exit
fi
cd "${NEMO_RL_HOME:-/opt/nemo-rl}"
if [[ -n "$model" ]]; then
  uv run python -c 'import sys; from huggingface_hub import snapshot_download; snapshot_download(sys.argv[1])' "$model"
fi
exec "${command[@]}"
