#!/bin/bash
# An NCCL all-gather over all GPUs of some nodes, in every pod of an indexed Job, one a node.
#
# Pod 0 runs it on all of them over ssh; the others serve ssh until pod 0 tells them that it is over.
# It fails when results are wrong, when gIB is not the network, and when the bus bandwidth of the
# largest size is below MIN_BUS_BANDWIDTH_GBPS (GB/s; 0 takes any).
set -euo pipefail

: "${NODES:?}" "${GPUS_PER_NODE:?}" "${HOST_PREFIX:?}" "${SUBDOMAIN:?}"
: "${MIN_BUS_BANDWIDTH_GBPS:?}" "${JOB_COMPLETION_INDEX:?}"
gib="${GIB_HOME:-/usr/local/gib}"
serve="${CONTAINER_ENTRY:-/scripts/container_entry.sh}"
all_gather="${ALL_GATHER:-/third_party/nccl-tests/build/all_gather_perf}"
scratch="${SCRATCH:-/tmp}"
port=222

fail() {
  echo "all-gather: $*" >&2
  exit 1
}

over="$scratch/over"
mkfifo -- "$over"
"$serve" daemon &

if ((JOB_COMPLETION_INDEX > 0)); then
  read -r _ <"$over"
  exit 0
fi

login=(ssh -n -q -p "$port" -o StrictHostKeyChecking=no -o LogLevel=ERROR)
hosts=()
for ((number = 0; number < NODES; number++)); do
  hosts+=("$HOST_PREFIX-$number.$SUBDOMAIN")
done

tell() {
  for host in "${hosts[@]:1}"; do
    "${login[@]}" "$host" "echo over >$over" || true
  done
}
trap tell EXIT

# How long this may last is for the Job's deadline.
for host in "${hosts[@]}"; do
  until "${login[@]}" "$host" true; do
    echo "waiting for $host"
    sleep 5
  done
  echo "$host port=$port slots=$GPUS_PER_NODE" >>"$scratch/hosts"
done

export NCCL_TESTS_SPLIT_MASK=0x0
# Without this, NCCL falls back to TCP when it finds no RDMA, and the test would pass.
export NCCL_NET=gIB
set +u
# shellcheck source=/dev/null
source "$gib/scripts/set_nccl_env.sh"
set -u

exported=()
for variable in "${!NCCL_@}" LD_LIBRARY_PATH PATH; do
  exported+=(-x "$variable")
done
mpirun --allow-run-as-root --hostfile "$scratch/hosts" "${exported[@]}" \
  --bind-to none \
  --mca plm_rsh_no_tree_spawn 1 \
  --mca plm_rsh_agent "ssh -q -p $port -o StrictHostKeyChecking=no -o LogLevel=ERROR" \
  --mca orte_keep_fqdn_hostnames 1 \
  --mca mtl ^ofi \
  --mca btl self,tcp \
  --mca btl_tcp_if_include eth0 \
  "$all_gather" -b 1K -e 8G -f 2 -g 1 -w 5 --iters 100 -c 1 | tee "$scratch/result"

grep -q '^# Out of bounds values : 0 OK' "$scratch/result" || fail "results are wrong or missing"
# size count type redop root, then time algbw busbw #wrong out of place, then the same in place.
reached="$(awk '$1 ~ /^[0-9]+$/ && NF >= 13 { busbw = $8 } END { print busbw }' "$scratch/result")"
[[ -n "$reached" ]] || fail "nccl-tests printed no bandwidth"
echo "bus bandwidth of the largest all-gather: $reached GB/s"
awk -v got="$reached" -v least="$MIN_BUS_BANDWIDTH_GBPS" 'BEGIN { exit !(got >= least) }' ||
  fail "bus bandwidth $reached GB/s is below the wanted $MIN_BUS_BANDWIDTH_GBPS GB/s"
