#!/bin/bash
# Fine-tunes a model on all GPUs of an indexed Job's pods, in every one of them, with the fine_tune.py
# and the FSDP settings that lie in the image's working directory.
#
# fine_tune.py goes on from the checkpoint with the highest number in MODEL_PATH, whole or not. So
# pod 0 first takes away what a pod that was stopped while it wrote has left: a checkpoint without
# trainer_state.json, which transformers writes last. With DRY_RUN=1 nothing is taken away, and the
# command is printed, not run.
set -euo pipefail

: "${PODS:?}" "${GPUS_PER_POD:?}" "${HOST_PREFIX:?}" "${SUBDOMAIN:?}" "${MAIN_PORT:?}"
: "${MODEL_PATH:?}" "${JOB_COMPLETION_INDEX:?}"
main_host="$HOST_PREFIX-0.$SUBDOMAIN"

command=(
  accelerate launch
  --config_file fsdp_config.yaml
  --debug
  --main_process_ip "$main_host"
  --main_process_port "$MAIN_PORT"
  --machine_rank "$JOB_COMPLETION_INDEX"
  --num_processes "$((PODS * GPUS_PER_POD))"
  --num_machines "$PODS"
  fine_tune.py
)
if [[ "${DRY_RUN:-}" == 1 ]]; then
  printf '%q ' "${command[@]}"
  echo
  exit
fi

if ((JOB_COMPLETION_INDEX == 0)); then
  for checkpoint in "$MODEL_PATH"/checkpoint-*/; do
    if [[ -d "$checkpoint" && ! -s "$checkpoint/trainer_state.json" ]]; then
      echo "taking away $checkpoint, which is not whole"
      rm -r -- "$checkpoint"
    fi
  done
fi
# The pods start one after the other, and a name is there only once its pod has an address.
until getent hosts "$main_host" >/dev/null; do
  echo "waiting for $main_host"
  sleep 2
done
exec "${command[@]}"
