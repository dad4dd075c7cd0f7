# Completion for bash. conformance/protocol/program/test_subcommands.py demands every flag of --help here.

# Lines of JSON about tables, from the server that the command line names. Nothing if it does not answer at once.
_stator_rows() {
  local i flag value where=()
  for ((i = 2; i < COMP_CWORD; i++)); do
    flag=${COMP_WORDS[i]}
    case $flag in
      --endpoint-url | --host | --port | --region) ;;
      *) continue ;;
    esac
    value=${COMP_WORDS[++i]-}
    # Bash cuts words at colons.
    while [ "${COMP_WORDS[i + 1]-}" = : ]; do
      value+=:${COMP_WORDS[i + 2]-}
      i=$((i + 2))
    done
    where+=("$flag" "$value")
  done
  "${COMP_WORDS[0]}" tables "$@" --timeout 0.3 --output jsonl ${where[@]+"${where[@]}"} 2>/dev/null || true
}

# Names have no characters that mean anything to the shell; others are left out.
_stator_tables() {
  _stator_rows | sed -n 's/^{"table":"\([A-Za-z0-9_.-]*\)",.*/\1/p'
}

_stator_indexes() {
  [[ ${COMP_WORDS[2]-} =~ ^[A-Za-z0-9_.-]+$ ]] || return 0
  _stator_rows "${COMP_WORDS[2]}" | sed -n 's/.*"indexes":"\([^"]*\)".*/\1/p' | tr ';' '\n' |
    sed -n 's/^ *\([A-Za-z0-9_.-]*\) .*/\1/p'
}

_stator() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local words="" serve_flags health_flags backup_flags data_flags client_flags output_flags template_flags
  serve_flags="--port --host --db-path --seed --s3-root --s3-endpoint --s3-timeout --kinesis-endpoint --sync --sync-interval --max-bytes --error-wording --isolate
    --item-collection-limit --control-plane-delay --gsi-delay --eventual-read-lag --transaction-time --policy-lag --throttling --capacity --clock --account-id
    --ttl-delay --ttl-sweep-interval --ttl-cooldown
    --stream-shards --stream-rollover --stream-retention --stream-max-bytes --pitr-max-bytes --pitr-lag
    --function --function-default --function-destination --lambda-strict --lambda-retry-backoff
    --threads --max-connections --max-memory --idle-timeout --request-timeout --tls-cert --tls-key --tls-cert-out --tls
    --http-root --admin --console --console-token --explain --explain-bytes --faults --fault-seed --cors --allow-host --check-signature-age --auth --access-file --access-file-insecure --access-report --log-level --log-slow --log-format --help --version"
  health_flags="--endpoint --host --port --timeout --help"
  backup_flags="--db-path --help"
  data_flags="--rate --region --insecure --endpoint-url --host --port --timeout --help"
  client_flags="--region --insecure --endpoint-url --host --port --timeout --help"
  output_flags="--output --full $client_flags"
  template_flags="--param --params --stack-name --account-id --import-value --var --names --name --output $client_flags"
  COMPREPLY=()
  case $previous in
    --sync) words="commit lazy" ;;
    --auth) words="off signature iam audit" ;;
    --error-wording) words="current classic next" ;;
    --isolate) words="region none key" ;;
    --clock) words="real manual" ;;
    --tls) words="self-signed" ;;
    --admin | --console) words="on off" ;;
    --console-token) words="none" ;;
    --http-root) words="aws local" ;;
    --throttling) words="observe enforce off" ;;
    --cors) words="loopback" ;;
    --log-level) words="trace debug info warn error off" ;;
    --log-format) words="text json" ;;
    --compression) words="none gzip zstd" ;;
    --output) words="table json jsonl dynamodb-json csv text" ;;
    --stream) words="KEYS_ONLY NEW_IMAGE OLD_IMAGE NEW_AND_OLD_IMAGES" ;;
    --format) words="csv json dynamodb-json ion scan export" ;;
    --drop) words="before after" ;;
    --as) words="cloudformation terraform cli" ;;
    --names) words="logical stack" ;;
    --corrupt) words="crc byte cut empty json" ;;
    --db-path | --seed | --s3-root)
      mapfile -t COMPREPLY < <(compgen -d -- "$current")
      return
      ;;
    --tls-cert | --tls-key | --tls-cert-out | --faults | --access-file | --access-report | --resource-policy | --rejects | --state | --file | -f | --params)
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      return
      ;;
    --host | --s3-endpoint | --s3-timeout | --kinesis-endpoint | --endpoint | --endpoint-url | --allow-host) return ;;
    --port | --max-bytes | --item-collection-limit | --account-id | --threads | --fault-seed) return ;;
    --index)
      [ "${COMP_WORDS[1]}" != query ] || words=$(_stator_indexes)
      ;;
    --name | --nth | --every | --attempt | --probability | --times | --error | --delay | --effect | --fired) return ;;
    --sync-interval | --log-slow | --control-plane-delay | --gsi-delay | --eventual-read-lag | --transaction-time | --policy-lag | --capacity) return ;;
    --from | --to | --from-region | --to-region | --key | --header | --delimiter | --connections | --segments | --rate | --region | --access-key) return ;;
    --principal | --action | --resource | --context) return ;;
    --sk | --ttl | --limit | --filter | --max-answer) return ;;
    --param | --stack-name | --import-value | --var | --tag | --ignore) return ;;
    --ttl-delay | --ttl-sweep-interval | --ttl-cooldown) return ;;
    --function | --function-default | --function-destination | --lambda-retry-backoff) return ;;
    --stream-shards | --stream-rollover | --stream-retention | --stream-max-bytes | --pitr-max-bytes | --pitr-lag) return ;;
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
        clock) words="get due now advance set rate real manual $health_flags" ;;
        mark) words="list set changes rollback forget $health_flags" ;;
        reset) words="--region --access-key --streams $health_flags" ;;
        capacity) words="--region $health_flags" ;;
        fault)
          words="list add remove clear preset wait"
          if [[ $current == -* ]]; then
            words="--file --name --table --index --access-key --nth --every --attempt --probability --times
              --error --drop --delay --corrupt --effect --fired --json $health_flags"
          fi
          ;;
        triggers)
          words="list calls filtered failures settle pause step resume replay explain"
          [[ $current != -* ]] || words="--since --json $health_flags"
          ;;
        access)
          words="check report"
          if [[ $current == -* ]]; then
            words="--principal --action --resource --context --resource-policy --json --since --against --format
              --denied --no-resources --check $health_flags"
          fi
          ;;
        function) words="--processes --handler $health_flags" ;;
        mcp) words="--read-only --allow-writes --max-answer $client_flags" ;;
        explain) words="--last --table --hints --all --follow --json $health_flags" ;;
        log) words="--follow --last --table --output $health_flags" ;;
        copy)
          words="--from --to --from-region --to-region --merge --schema-only --segments --rate --state --insecure --timeout --help"
          ;;
        import | export)
          if [[ $current != -* && $COMP_CWORD -eq 2 ]]; then
            words=$(_stator_tables)
            mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
            return
          fi
          if [[ $current != -* ]]; then
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
            return
          fi
          words="--format --delimiter --header --types --key --keep-going --rejects --connections $data_flags"
          [ "${COMP_WORDS[1]}" = import ] || words="--format --compression --delimiter --segments $data_flags"
          ;;
        apply)
          if [[ $current != -* ]]; then
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
            return
          fi
          words="--plan --check --allow-replace --prune --tag --yes --print-env $template_flags"
          ;;
        schema)
          words="diff"
          [[ $current != -* ]] || words="--as $template_flags"
          ;;
        tables) words=$output_flags ;;
        describe) words=$client_flags ;;
        create) words="--index --stream --ttl $client_flags" ;;
        get) words="--consistent --units --explain $output_flags" ;;
        query) words="--sk --index --desc --limit --consistent --units --explain $output_flags" ;;
        scan) words="--filter --limit --consistent --units --explain $output_flags" ;;
        sql) words="--limit --consistent --units --explain $output_flags" ;;
        watch) words="--from-start --once --output $client_flags" ;;
        stream) words="--follow --output $client_flags" ;;
        diff) words="--key --ignore --output $client_flags" ;;
        put) words="--file --typed --units --explain $client_flags" ;;
        delete) words="--units --explain $client_flags" ;;
        version) words="" ;;
        help) words="serve health clock mark reset capacity explain log fault triggers access function mcp import export copy apply schema tables describe create get query scan put delete sql watch stream diff backup check compact" ;;
        *) words=$serve_flags ;;
      esac
      if [[ $current != -* ]]; then
        case ${COMP_WORDS[1]}:$COMP_CWORD in
          tables:2 | describe:2 | get:2 | query:2 | scan:2 | put:2 | delete:2 | watch:2 | stream:2 | copy:[2-9]) words=$(_stator_tables) ;;
          diff:[23] | schema:[2-9])
            [ "${COMP_WORDS[1]}" = schema ] || words=""
            words="$words $(_stator_tables)"
            mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"; compgen -f -- "$current")
            return
            ;;
        esac
      fi
      [ "$COMP_CWORD" -ne 1 ] || words="serve health clock mark reset capacity explain log fault triggers access function mcp import export copy apply schema tables describe create get query scan put delete sql watch stream diff backup check compact version help $serve_flags"
      ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -F _stator stator
