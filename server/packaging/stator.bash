# Completion for bash. conformance/raw_http/test_subcommands.py demands every flag of --help here.

_stator() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local words serve_flags health_flags backup_flags data_flags
  serve_flags="--port --host --db-path --seed --sync --sync-interval --max-bytes --error-wording --isolate
    --item-collection-limit --control-plane-delay --gsi-delay --eventual-read-lag --transaction-time --throttling --capacity --clock --account-id
    --ttl-delay --ttl-sweep-interval --ttl-cooldown
    --stream-shards --stream-rollover --stream-retention --stream-max-bytes
    --threads --max-connections --max-memory --idle-timeout --request-timeout --tls-cert --tls-key --tls
    --http-root --admin --explain --cors --allow-host --check-signature-age --log-level --log-slow --log-format --help --version"
  health_flags="--endpoint --host --port --timeout --help"
  backup_flags="--db-path --help"
  data_flags="--rate --region --insecure --endpoint-url --host --port --timeout --help"
  COMPREPLY=()
  case $previous in
    --sync) words="commit lazy" ;;
    --error-wording) words="current classic next" ;;
    --isolate) words="region none key" ;;
    --clock) words="real manual" ;;
    --tls) words="self-signed" ;;
    --admin) words="on off" ;;
    --http-root) words="aws local" ;;
    --throttling) words="observe enforce off" ;;
    --cors) words="loopback" ;;
    --log-level) words="trace debug info warn error off" ;;
    --log-format) words="text json" ;;
    --format) words="csv json dynamodb-json scan export" ;;
    --db-path | --seed)
      mapfile -t COMPREPLY < <(compgen -d -- "$current")
      return
      ;;
    --tls-cert | --tls-key | --rejects | --state)
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      return
      ;;
    --host | --endpoint | --endpoint-url | --allow-host) return ;;
    --port | --max-bytes | --item-collection-limit | --account-id | --threads) return ;;
    --sync-interval | --log-slow | --control-plane-delay | --gsi-delay | --eventual-read-lag | --transaction-time | --capacity) return ;;
    --from | --to | --from-region | --to-region | --key | --header | --delimiter | --connections | --segments | --rate | --region | --access-key) return ;;
    --ttl-delay | --ttl-sweep-interval | --ttl-cooldown) return ;;
    --stream-shards | --stream-rollover | --stream-retention | --stream-max-bytes) return ;;
    --max-connections | --max-memory | --idle-timeout | --request-timeout | --timeout) return ;;
    *)
      case ${COMP_WORDS[1]} in
        health) words=$health_flags ;;
        backup | check | compact)
          if [[ $current != -* ]]; then
            mapfile -t COMPREPLY < <(compgen -d -- "$current")
            return
          fi
          words=$backup_flags
          [ "${COMP_WORDS[1]}" = backup ] || words="--help"
          ;;
        clock) words="get advance set rate real manual $health_flags" ;;
        mark) words="list set rollback forget $health_flags" ;;
        reset) words="--region --access-key $health_flags" ;;
        capacity) words="--region $health_flags" ;;
        explain) words="--all $health_flags" ;;
        copy)
          words="--from --to --from-region --to-region --merge --segments --rate --state --insecure --timeout --help"
          ;;
        import | export)
          if [[ $current != -* ]]; then
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
            return
          fi
          words="--format --delimiter --header --key --keep-going --rejects --connections $data_flags"
          [ "${COMP_WORDS[1]}" = import ] || words="--format --delimiter --segments $data_flags"
          ;;
        version) words="" ;;
        help) words="serve health clock mark reset capacity explain import export copy backup check compact" ;;
        *) words=$serve_flags ;;
      esac
      [ "$COMP_CWORD" -ne 1 ] || words="serve health clock mark reset capacity explain import export copy backup check compact version help $serve_flags"
      ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -F _stator stator
