# Shared by the scripts of this folder: source it first. Sets `root` (the project's folder, also the working folder)
# and `jobs` (how many things to run at once).
# shellcheck shell=bash
# shellcheck disable=SC2034  # used by the scripts that source this file

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
jobs="${CADRE_JOBS:-$(nproc)}"
cd "$root" || exit 1

say() {
  printf '%s\n' "$*"
}

fail() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# build_preset <preset> [target...]: configures build/<preset> and builds the targets (all without any).
build_preset() {
  local preset="$1"
  shift
  local targets=()
  if (($# > 0)); then
    targets=(--target "$@")
  fi
  cmake --preset "$preset" &&
    cmake --build --preset "$preset" --parallel "$jobs" "${targets[@]}" -- -k 0
}

# Our own C++ files, one path a line, with NUL between them.
cxx_files() {
  local folders=()
  local folder
  for folder in src tests fuzz bench; do
    if [[ -d "$folder" ]]; then
      folders+=("$folder")
    fi
  done
  find "${folders[@]}" -type f \( -name '*.cc' -o -name '*.h' \) -print0 | sort -z
}
