# Completion for fish: what that for bash offers, which is installed beside it.

set -g __stator_bash (status dirname)/../../bash-completion/completions/stator
function __stator_offered
    bash -c 'source "$1" && shift && COMP_WORDS=("$@") && COMP_CWORD=$(($# - 1)) && _stator &&
      printf "%s\n" "${COMPREPLY[@]}"' bash $__stator_bash (commandline -opc) (commandline -ct) 2>/dev/null
end
complete -c stator -f -a '(__stator_offered)'
