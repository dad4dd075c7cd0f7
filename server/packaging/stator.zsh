#compdef stator
# Completion for zsh: what that for bash offers, which is installed beside it.

local file=${functions_source[_stator]:A:h}/../../bash-completion/completions/stator
local -a offered
offered=(${(f)"$(bash -c 'source "$1" && shift && COMP_WORDS=("$@") && COMP_CWORD=$(($# - 1)) && _stator &&
  printf "%s\n" "${COMPREPLY[@]}"' bash $file "${(@)words[1,CURRENT]}" 2>/dev/null)"})
compadd -- $offered
