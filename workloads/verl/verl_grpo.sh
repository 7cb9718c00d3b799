#!/bin/bash
# Runs a verl GRPO training as a Ray job, on the head of the Ray cluster.
#
# Arguments are key=value pairs. `code` names the folder with verl's package, `loggers` where verl
# reports to, as a list without brackets; every other pair goes to verl as a Hydra override. With DRY_RUN=1 the command is checked and printed, not run.
set -euo pipefail

stop() {
  echo "$1" >&2
  exit 2
}

code=""
train=""
val=""
model=""
overrides=()
for pair in "$@"; do
  case "$pair" in
    code=*) code="${pair#*=}" && continue ;;
    loggers=*) pair="trainer.logger=[${pair#*=}]" ;;
    data.train_files=*) train="${pair#*=}" ;;
    data.val_files=*) val="${pair#*=}" ;;
    actor_rollout_ref.model.path=*) model="${pair#*=}" ;;
    [!-]*=*) ;;
    *) stop "not a key=value pair: $pair" ;;
  esac
  overrides+=("$pair")
done

# Hydra writes a list as [a,b].
check_files() {
  local file files
  [[ -n "$2" ]] || stop "no $1 given ($1=FILE.parquet)"
  IFS=',' read -r -a files <<<"${2//[\[\]\"\' ]/}"
  for file in "${files[@]}"; do
    [[ -s "$file" ]] || stop "$1=$file: no such file, or an empty one; has the data been prepared?"
  done
}

[[ -n "$code" ]] || stop "no code given (code=FOLDER, with verl/trainer/main_ppo.py in it)"
[[ -f "$code/verl/trainer/main_ppo.py" ]] || stop "code=$code: no verl/trainer/main_ppo.py in it"
check_files data.train_files "$train"
check_files data.val_files "$val"
[[ -n "$model" ]] || stop "no model given (actor_rollout_ref.model.path=FOLDER)"
[[ -s "$model/config.json" ]] || stop "actor_rollout_ref.model.path=$model: no config.json in it"

export PYTHONPATH="$code${PYTHONPATH:+:$PYTHONPATH}" PYTHONUNBUFFERED=1
command=(python3 -m verl.trainer.main_ppo "${overrides[@]}")
if [[ "${DRY_RUN:-}" == 1 ]]; then
  printf '%q ' "PYTHONPATH=$PYTHONPATH" "PYTHONUNBUFFERED=$PYTHONUNBUFFERED" "${command[@]}"
  echo
  exit
fi
exec "${command[@]}"
