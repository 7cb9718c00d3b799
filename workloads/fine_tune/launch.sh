#!/bin/bash
# Fine-tunes a model on all GPUs of an indexed Job's pods, in every one of them, with the fine_tune.py
# and the FSDP settings that lie in the image's working directory.
#
# fine_tune.py goes on from the checkpoint with the highest number in MODEL_PATH, whole or not. So
# pod 0 first takes away what a pod that was stopped while it wrote has left: a checkpoint without
# trainer_state.json, which transformers writes last. With DRY_RUN=1 nothing is taken away, and the
# command is printed, not run.
#
# A pod whose machine goes away takes the training in all other pods with it. Those end with
# LOST_PEER_CODE, which the Job does not count, so that only the pod that failed itself counts. A pod
# that fails knows by the names of its peers: within LOST_PEER_SECONDS one of them is gone or belongs
# to a new pod.
set -euo pipefail

: "${PODS:?}" "${GPUS_PER_POD:?}" "${HOST_PREFIX:?}" "${SUBDOMAIN:?}" "${MAIN_PORT:?}"
: "${MODEL_PATH:?}" "${JOB_COMPLETION_INDEX:?}" "${LOST_PEER_CODE:?}" "${LOST_PEER_SECONDS:?}"
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

# As the first process of its container bash would take no notice of it.
trap 'exit 143' TERM
if ((JOB_COMPLETION_INDEX == 0)); then
  for checkpoint in "$MODEL_PATH"/checkpoint-*/; do
    if [[ -d "$checkpoint" && ! -s "$checkpoint/trainer_state.json" ]]; then
      echo "taking away $checkpoint, which is not whole"
      rm -r -- "$checkpoint"
    fi
  done
fi

# Addresses of all pods, one a line; an empty line for a pod that has none.
addresses() {
  local index found
  for ((index = 0; index < PODS; index++)); do
    found="$(getent hosts "$HOST_PREFIX-$index.$SUBDOMAIN")" || found=""
    echo "${found%% *}"
  done
}

# The pods start one after the other, and a name is there only once its pod has an address.
started_with="$(addresses)"
while grep -q '^$' <<<"$started_with"; do
  echo "waiting for the $PODS pods of $HOST_PREFIX"
  sleep 2
  started_with="$(addresses)"
done

# A signal may come before the training has a number, and after its end.
stopped="" training=""
stop() {
  stopped=1
  [[ -z "$training" ]] || kill -TERM "$training" 2>/dev/null || true
}
trap stop TERM
"${command[@]}" &
training=$!
[[ -z "$stopped" ]] || stop
code=0
wait "$training" || code=$?
# A signal ends `wait` before the training.
while kill -0 "$training" 2>/dev/null; do
  code=0
  wait "$training" || code=$?
done
if ((code == 0 || PODS == 1)) || [[ -n "$stopped" ]]; then
  exit "$code"
fi
echo "the training ended with code $code; looking for a peer that is gone"
for ((left = LOST_PEER_SECONDS; left >= 0; left -= 2)); do
  now="$(addresses)"
  if [[ "$now" != "$started_with" ]]; then
    echo "a peer is gone: ending with code $LOST_PEER_CODE, which counts for nothing"
    exit "$LOST_PEER_CODE"
  fi
  if [[ -n "$stopped" ]]; then
    break
  fi
  sleep 2
done
exit "$code"
