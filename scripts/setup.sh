# Sourced by ./run and ./test: installs the Debian packages that are missing and configures a build.
# Needs: root (this folder). Sets nothing else but the functions below.

# missing_packages LIST...: prints the packages of those files that are not installed, one per line.
missing_packages() {
  local wanted installed
  wanted=$(grep -hv '^#' "$@" | sort -u)
  # shellcheck disable=SC2086
  installed=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' $wanted 2>/dev/null | awk '$1 == "ii" {print $2}' | sort -u)
  comm -23 <(echo "$wanted") <(echo "$installed")
}

# install_packages [LIST...]: scripts/packages.txt, and what those files name besides.
install_packages() {
  command -v dpkg-query >/dev/null || {
    echo "tandem: this is not a Debian system; install the equivalents of scripts/packages.txt by hand," \
         "then: cmake --preset product && cmake --build --preset product" >&2
    exit 2
  }
  local missing as_root=""
  missing=$(missing_packages "$root/scripts/packages.txt" "$@")
  [ -z "$missing" ] && return 0
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
      as_root="sudo"
    else
      echo "tandem: these packages are missing and installing them needs root:" >&2
      echo "  apt-get install --no-install-recommends $(echo "$missing" | tr '\n' ' ')" >&2
      exit 2
    fi
  fi
  echo "Installing: $(echo "$missing" | tr '\n' ' ')" >&2
  $as_root apt-get update -qq >&2
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing >&2 || {
    echo "tandem: apt-get could not install the packages above; see its messages" >&2
    exit 2
  }
}

# is_configured PRESET FOLDER: false also for a folder that ./run has made, where tests are wanted.
is_configured() {
  [ -f "$2/build.ninja" ] && { [ "$1" = product ] || ! grep -q '^TANDEM_TESTS:BOOL=OFF' "$2/CMakeCache.txt"; }
}

# build_preset PRESET [TARGET...]: configures once, builds quietly, shows the log only on failure.
# The product, what ./run builds, is a part of release and lies in its folder.
build_preset() {
  local preset=$1 log
  shift
  local folder="$root/build/${preset/#product/release}"
  log=$(mktemp)
  if ! is_configured "$preset" "$folder"; then
    echo "Configuring $preset" >&2
    (cd "$root" && cmake --preset "$preset") >"$log" 2>&1 || { cat "$log" >&2; rm -f "$log"; exit 1; }
  fi
  if [ -t 2 ]; then
    ninja -C "$folder" "$@" >&2 || { rm -f "$log"; exit 1; }
  else
    ninja -C "$folder" "$@" >"$log" 2>&1 || { cat "$log" >&2; rm -f "$log"; exit 1; }
  fi
  rm -f "$log"
}
