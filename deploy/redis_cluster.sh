#!/bin/sh
# For cluster.yaml: "node" starts a node of a Redis Cluster, "create HOST:PORT …" makes one of such nodes, a replica for each master.
set -eu
password=$(cat /run/secrets/redis_cluster)
if [ "$1" = node ]; then
  umask 077
  { cat /etc/redis/redis.conf; echo "masteruser cluster"; echo "masterauth $password"; } > /tmp/redis.conf
  exec redis-server /tmp/redis.conf --bind '*' --dir /data --aclfile /run/secrets/redis_users --cluster-enabled yes
fi
shift
export REDISCLI_AUTH="$password"
for node in "$@"; do
  until redis-cli --user cluster -h "${node%:*}" -p "${node##*:}" ping | grep -q PONG; do sleep 1; done
done
redis-cli --user cluster -h "${1%:*}" -p "${1##*:}" cluster info | grep -q cluster_state:ok && exit 0
exec redis-cli --user cluster --cluster create "$@" --cluster-replicas 1 --cluster-yes
