#!/bin/sh
# A Redis Cluster: "node" starts a node, "create HOST:PORT …" makes a cluster of running nodes, a replica for each master.
# cluster.yaml, kubernetes-cluster.yaml and systemd/topical-redis@.service call it, and say by environment variables what differs:
#   CREDENTIALS_DIRECTORY  folder of redis_users (users.acl) and redis_cluster (the password of the nodes)
#   REDIS_CONF, DATA, PORT configuration, folder and port of a node
#   ADDRESS, PEERS         the node's own address and the HOST:PORT … of all, where addresses change with every start
set -eu
secrets=${CREDENTIALS_DIRECTORY:-/run/secrets} data=${DATA:-/data} port=${PORT:-6379}
password=$(cat "$secrets/redis_cluster")
export REDISCLI_AUTH="$password"
ask() { # HOST:PORT COMMAND …
  node=$1; shift
  redis-cli --user cluster -h "${node%:*}" -p "${node##*:}" "$@"
}
place() { # of HOST:PORT, once it answers: the address that it gives to the others
  until ask "$1" ping | grep -q PONG; do sleep 1; done
  own=$(ask "$1" cluster nodes | sed -n 's/^[^ ]* \([^@]*\)@.*myself.*/\1/p')
  case $own in :*) echo "$1" ;; *) echo "$own" ;; esac
}
meet() { # the others again, who may have moved too
  for peer in $PEERS; do
    { at=$(place "$peer"); ask "127.0.0.1:$port" cluster meet "${at%:*}" "${at##*:}"; } &
  done
}
if [ "$1" = node ]; then
  umask 077
  { cat "${REDIS_CONF:-/etc/redis/redis.conf}"; echo "masteruser cluster"; echo "masterauth $password"; } > "/tmp/redis-$port.conf"
  if [ -n "${PEERS:-}" ] && grep -q 'slave\|replica' "$data/nodes.conf" 2> /dev/null; then meet > /dev/null & fi
  exec redis-server "/tmp/redis-$port.conf" --bind "${ADDRESS:-*}" ${ADDRESS:+127.0.0.1} --port "$port" --dir "$data" \
    --aclfile "$secrets/redis_users" --cluster-enabled yes ${ADDRESS:+--cluster-announce-ip "$ADDRESS"}
fi
shift
for node in "$@"; do places="${places:-} $(place "$node")"; done
ask "$1" cluster info | grep -q cluster_state:ok && exit 0
exec redis-cli --user cluster --cluster create $places --cluster-replicas 1 --cluster-yes
